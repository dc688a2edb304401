use super::*;
use std::time::Duration;

fn shell(script: &str, cwd: &Utf8Path) -> Job {
    Job::new("sh", cwd).args(["-c", script])
}

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    (folder, path)
}

#[tokio::test]
async fn results_come_over_their_own_descriptor_and_output_apart() {
    let (_keep, cwd) = folder();
    for choice in [Choice::Auto, Choice::None] {
        let mut job = shell("echo out; echo err >&2; echo result > /proc/self/fd/3; exit 7", &cwd);
        job.results = true;
        let done = Sandbox::detect(choice).await.unwrap().run(job).await.unwrap();
        assert_eq!(done.exit, Exit::Code(7), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!((&*done.stdout, &*done.stderr, &*done.results), (&b"out\n"[..], &b"err\n"[..], &b"result\n"[..]));
    }
}

#[tokio::test]
async fn nothing_but_the_named_folder_can_be_written_and_no_secret_is_seen() {
    let (_keep, cwd) = folder();
    let (_other, sibling) = folder();
    std::fs::write(sibling.join("secret"), "s").unwrap();
    let script = format!(
        "touch {sibling}/x; cat {sibling}/secret; touch /usr/x; touch {cwd}/mine; ls $HOME /root /home; env; \
         cat /proc/1/environ; cat /etc/shadow"
    );
    let sandbox = Sandbox::detect(Choice::Bubblewrap).await.unwrap();
    let mut job = shell(&script, &cwd).write(&cwd);
    job.env.push(("GIVEN".into(), "yes".into()));
    let done = sandbox.run(job).await.unwrap();
    let output = String::from_utf8_lossy(&done.stdout);
    assert!(cwd.join("mine").exists() && !sibling.join("x").exists() && !Utf8Path::new("/usr/x").exists());
    assert!(output.contains("GIVEN=yes") && !output.contains("CARGO") && !output.contains("root:"), "{output}");
}

#[tokio::test]
async fn a_job_may_write_where_it_works_below_a_writable_folder() {
    let (_keep, top) = folder();
    let module = top.join("module");
    std::fs::create_dir_all(module.join("kept")).unwrap();
    for choice in [Choice::Bubblewrap, Choice::Landlock] {
        let Ok(sandbox) = Sandbox::detect(choice).await else { continue };
        let script = "mkdir -p made && touch made/own ../beside; touch kept/no";
        let job = shell(script, &module).write(&top);
        // Landlock gives rights and takes none.
        let job = if sandbox.name().contains("bubblewrap") { job.read([module.join("kept")]) } else { job };
        let done = sandbox.run(job).await.unwrap();
        let made = ["module/made/own", "beside"].map(|file| std::fs::remove_file(top.join(file)).is_ok());
        assert_eq!(made, [true, true], "{}: {}", sandbox.name(), String::from_utf8_lossy(&done.stderr));
        assert_eq!(module.join("kept/no").exists(), !sandbox.name().contains("bubblewrap"));
        let _ = std::fs::remove_file(module.join("kept/no"));
    }
}

#[tokio::test]
async fn no_job_reads_the_whole_disk_or_a_home_whoever_asks_for_it() {
    let (_keep, cwd) = folder();
    let (_other, sibling) = folder();
    std::fs::write(sibling.join("secret"), "planted").unwrap();
    for choice in [Choice::Bubblewrap, Choice::Landlock] {
        let Ok(sandbox) = Sandbox::detect(choice).await else { continue };
        let home = std::env::var("HOME").unwrap();
        let job = shell(&format!("cat {sibling}/secret; ls -A {home} | head -3"), &cwd);
        let job = job.read(["/", "/usr/..", "/home", "/root", "/tmp"]).read([Utf8PathBuf::from(home)]);
        let done = sandbox.run(job).await.unwrap();
        assert!(done.stdout.is_empty(), "{}: {}", sandbox.name(), String::from_utf8_lossy(&done.stdout));
    }
}

#[tokio::test]
async fn the_host_is_not_reached_and_the_own_loopback_is() {
    let (_keep, cwd) = folder();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let sandbox = Sandbox::detect(Choice::Bubblewrap).await.unwrap();
    let script = format!("exec 5<>/dev/tcp/127.0.0.1/{port}");
    let done = sandbox.run(Job::new("bash", &cwd).args(["-c", &script])).await.unwrap();
    assert_ne!(done.exit, Exit::Code(0));
    assert!(String::from_utf8_lossy(&done.stderr).contains("refused"), "the loopback is up, the host is not there");
}

#[tokio::test]
async fn the_whole_tree_ends_at_the_deadline() {
    let (_keep, cwd) = folder();
    for choice in [Choice::Auto, Choice::None] {
        let sandbox = Sandbox::detect(choice).await.unwrap();
        let script = format!("(while :; do date +%N > {cwd}/alive; sleep 0.05; done) & sleep 60");
        let job = shell(&script, &cwd).write(&cwd).wall(Duration::from_millis(700));
        let done = sandbox.run(job).await.unwrap();
        assert_eq!(done.exit, Exit::TimedOut);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let last = std::fs::read(cwd.join("alive")).unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(last, std::fs::read(cwd.join("alive")).unwrap(), "{}: it lives on", sandbox.name());
    }
}

#[tokio::test]
async fn a_job_that_takes_all_memory_is_ended() {
    let (_keep, cwd) = folder();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let mut job = Job::new("perl", &cwd).args(["-e", "my @a; while (1) { push @a, 'x' x 1000000 } "]);
    job.limits.memory_mib = 100;
    let done = sandbox.run(job).await.unwrap();
    assert!(done.exit == Exit::OutOfMemory || !done.exit.success(), "{:?}", done.exit);
    assert!(done.wall < Duration::from_secs(20));
}

#[tokio::test]
async fn a_server_answers_on_its_own_descriptors() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (_keep, cwd) = folder();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let job = shell("while read line <&4; do echo \"got $line\" >&3; done", &cwd);
    let mut server = sandbox.serve(job).await.unwrap();
    server.requests.write_all(b"hello\n").await.unwrap();
    let mut answer = [0; 10];
    server.answers.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"got hello\n");
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let sandbox = Sandbox::detect(Choice::None).await.unwrap();
    let error = sandbox.run(Job::new("no-such-program", "/")).await.unwrap_err();
    assert!(error.to_string().contains("no-such-program"));
}

#[tokio::test]
async fn what_was_written_just_before_a_job_began_is_not_its_own() {
    for choice in [Choice::Bubblewrap, Choice::Landlock] {
        let Ok(sandbox) = Sandbox::detect(choice).await else { continue };
        let (_keep, cwd) = folder();
        std::fs::write(cwd.join("older"), vec![1; 12 << 20]).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let mut job = shell("head -c 12M /dev/zero > mine; sleep 1", &cwd).write(&cwd);
        job.limits.disk_mib = 16;
        let done = sandbox.run(job).await.unwrap();
        assert_eq!(done.exit, Exit::Code(0), "{}: {}", sandbox.name(), String::from_utf8_lossy(&done.stderr));
    }
}

#[tokio::test]
async fn what_others_remove_hides_nothing_that_a_job_writes() {
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let ((_keep, cwd), (_other, elsewhere)) = (folder(), folder());
    let large = elsewhere.join("large");
    std::fs::write(&large, vec![1; 128 << 20]).unwrap();
    let removal = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        std::fs::remove_file(large).unwrap();
    });
    let mut job = shell("sleep 1; head -c 15M /dev/zero > a; head -c 15M /dev/zero > b; sleep 30", &cwd).write(&cwd);
    job.limits.disk_mib = 16;
    assert_eq!(sandbox.run(job).await.unwrap().exit, Exit::OutOfDisk);
    removal.await.unwrap();
}

#[tokio::test]
async fn a_job_that_writes_more_than_it_may_and_ends_at_once_is_over_its_limit() {
    // More than what other tests give back at the same time.
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let (_keep, cwd) = folder();
    let mut job = shell("for i in $(seq 20); do head -c 15M /dev/zero > $i; done", &cwd).write(&cwd);
    job.limits.disk_mib = 16;
    let done = sandbox.run(job).await.unwrap();
    assert_eq!(done.exit, Exit::OutOfDisk, "{}", String::from_utf8_lossy(&done.stderr));
}
