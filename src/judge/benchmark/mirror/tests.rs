use super::*;
use crate::sandbox::{Choice, Job, Sandbox};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

async fn repository() -> MockServer {
    let server = MockServer::start().await;
    let file = |at: &str, body: &str| {
        Mock::given(method("GET")).and(path(at)).respond_with(ResponseTemplate::new(200).set_body_string(body))
    };
    for (at, body) in [("/m2/g/a/1/a-1.jar", "abc"), ("/m2/g/b/1/b-1.jar", "broken"), ("/m2/g/c/1/c-1.jar", "no sum")] {
        file(at, body).mount(&server).await;
    }
    file("/m2/g/a/1/a-1.jar.sha1", "A9993E364706816ABA3E25717850C26C9CD0D89D  a-1.jar\n").mount(&server).await;
    file("/m2/g/b/1/b-1.jar.sha1", "a9993e364706816aba3e25717850c26c9cd0d89d").mount(&server).await;
    file("/m2/g/maven-metadata.xml", "<metadata/>").mount(&server).await;
    server
}

/// What a job that may use the mirror sees of it, and of a server beside it.
async fn response(choice: Choice, mirror: &Mirror, url: &str) -> String {
    let mut job = Job::new("perl", "/usr").args([
        "-MIO::Socket::INET",
        "-e",
        "$ARGV[0] =~ m{http://([^/]+)(.*)}; my $s = IO::Socket::INET->new($1) or die \"no way\\n\"; \
         print $s \"GET $2 HTTP/1.1\\r\\n\\r\\n\"; print <$s>",
        url,
    ]);
    job.door = Some(mirror.door.clone());
    let done = Sandbox::detect(choice).await.unwrap().run(job).await.unwrap();
    String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned()
}

#[tokio::test]
async fn a_job_reaches_the_mirror_and_nothing_else() {
    let server = repository().await;
    let settings = format!(
        "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>{}/m2</url></mirror></mirrors></settings>",
        server.uri()
    );
    for choice in [Choice::Bubblewrap, Choice::Landlock] {
        let store = tempfile::tempdir().unwrap();
        let store = Utf8Path::from_path(store.path()).unwrap();
        let mirror = Mirror::open(store, None, of_user(Some(&settings), None)).await.unwrap();
        let ask = |path: &str| format!("{}/{path}", mirror.url);
        let jar = response(choice, &mirror, &ask("g/a/1/a-1.jar")).await;
        assert!(jar.starts_with("HTTP/1.1 200") && jar.ends_with("abc"), "{choice:?}: {jar}");
        assert_eq!(std::fs::read(store.join("g/a/1/a-1.jar")).unwrap(), b"abc");
        assert!(store.join("g/a/1/a-1.jar.sha1").is_file());
        let broken = response(choice, &mirror, &ask("g/b/1/b-1.jar")).await;
        assert!(broken.starts_with("HTTP/1.1 503 the sum of g/b/1/b-1.jar is wrong"), "{broken}");
        assert!(!store.join("g/b/1/b-1.jar").exists());
        assert!(response(choice, &mirror, &ask("g/c/1/c-1.jar")).await.ends_with("no sum"));
        assert!(response(choice, &mirror, &ask("g/d/1/d-1.jar")).await.starts_with("HTTP/1.1 404"));
        assert!(response(choice, &mirror, &ask("g/maven-metadata.xml")).await.ends_with("<metadata/>"));
        assert!(store.join("g/maven-metadata-central.xml").is_file());
        let stranger =
            response(choice, &mirror, &format!("http://127.0.0.1:{}/x/g/a/1/a-1.jar", mirror.door.port)).await;
        assert!(stranger.starts_with("HTTP/1.1 403"), "{stranger}");
        assert_eq!(
            response(choice, &mirror, &format!("{}/m2/g/a/1/a-1.jar", server.uri())).await,
            "no way\n",
            "{choice:?}"
        );
    }
}

#[tokio::test]
async fn what_was_kept_is_handed_out_without_a_network_and_the_rest_says_why_not() {
    let store = tempfile::tempdir().unwrap();
    let store = Utf8Path::from_path(store.path()).unwrap();
    std::fs::create_dir_all(store.join("g/a/1")).unwrap();
    std::fs::write(store.join("g/a/1/a-1.jar"), "kept").unwrap();
    // The port of a server that has gone.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = format!(
        "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>http://{gone}</url></mirror></mirrors></settings>"
    );
    let local = tempfile::tempdir().unwrap();
    let local = Utf8Path::from_path(local.path()).unwrap();
    for name in ["g/b/1/b-1.jar", "g/maven-metadata.xml"] {
        std::fs::create_dir_all(local.join(name).parent().unwrap()).unwrap();
        std::fs::write(local.join(name), "of the user").unwrap();
    }
    let mirror = Mirror::open(store, Some(local.to_owned()), of_user(Some(&settings), None)).await.unwrap();
    let users = response(Choice::Bubblewrap, &mirror, &format!("{}/g/b/1/b-1.jar", mirror.url)).await;
    assert!(users.ends_with("of the user"), "{users}");
    assert_eq!(std::fs::read(store.join("g/b/1/b-1.jar")).unwrap(), b"of the user");
    let versions = response(Choice::Bubblewrap, &mirror, &format!("{}/g/maven-metadata.xml", mirror.url)).await;
    assert!(versions.starts_with("HTTP/1.1 503"), "what is said of versions changes: {versions}");
    let known = response(Choice::Bubblewrap, &mirror, &format!("{}/g/a/1/a-1.jar", mirror.url)).await;
    assert!(known.ends_with("kept"), "{known}");
    let other = response(Choice::Bubblewrap, &mirror, &format!("{}/g/a/2/a-2.jar", mirror.url)).await;
    assert!(other.starts_with("HTTP/1.1 503") && other.contains("cannot be reached"), "{other}");
}

#[tokio::test]
async fn a_named_repository_must_be_public_and_cannot_stand_for_the_users() {
    let server = repository().await;
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap();
    let (store, named) = (base.join("m2"), base.join("repositories"));
    let at = |url: &str| format!("@{}", data_encoding::HEXLOWER.encode(url.as_bytes()));
    let private = at(&format!("{}/m2", server.uri()));
    let mirror = Mirror::open_to_named(&store, Vec::new(), &named).await.unwrap();
    let jar = response(Choice::Bubblewrap, &mirror, &format!("{}/{private}/g/a/1/a-1.jar", mirror.url)).await;
    assert!(jar.starts_with("HTTP/1.1 404"), "{jar}");
    assert!(server.received_requests().await.unwrap().is_empty(), "a machine of the user's network was asked");

    let public = "https://m2.example.org/x";
    let folder_of_public = named.join(crate::domain::Fingerprint::default().add(public).name());
    for (folder, name) in
        [(&store, "g/a/1/a-1.jar"), (&folder_of_public, "g/a/1/a-1.jar"), (&folder_of_public, "g/b/1/b-1.jar")]
    {
        std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        std::fs::write(folder.join(name), folder.file_name().unwrap()).unwrap();
    }
    let mirror = Mirror::open_kept(&store, &named).await.unwrap();
    let ask = |repository: String, path: &str| format!("{}/{repository}/{path}", mirror.url);
    let first = response(Choice::Bubblewrap, &mirror, &ask(at(public), "g/a/1/a-1.jar")).await;
    assert!(first.ends_with("m2"), "the user's come first: {first}");
    let second = response(Choice::Bubblewrap, &mirror, &ask(at(public), "g/b/1/b-1.jar")).await;
    assert!(second.ends_with(folder_of_public.file_name().unwrap()), "{second}");
    let other = response(Choice::Bubblewrap, &mirror, &ask(at("https://other.example.org"), "g/b/1/b-1.jar")).await;
    assert!(other.starts_with("HTTP/1.1 404"), "one repository's file is no other's: {other}");
}
