//! What untrusted code tries from inside the sandbox. Each probe is a command that succeeds without a sandbox; inside,
//! none may.

use camino::{Utf8Path, Utf8PathBuf};
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::Duration;
use unidebug::sandbox::{Choice, Exit, Job, Sandbox};

struct Surroundings {
    _folder: tempfile::TempDir,
    base: Utf8PathBuf,
    workspace: Utf8PathBuf,
}

fn surroundings() -> Surroundings {
    let folder = tempfile::tempdir().unwrap();
    let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
    for name in ["workspace/deep", "sibling"] {
        std::fs::create_dir_all(base.join(name)).unwrap();
    }
    std::fs::write(base.join("secret"), "secret").unwrap();
    std::fs::write(base.join("sibling/secret"), "secret").unwrap();
    Surroundings { _folder: folder, workspace: base.join("workspace"), base }
}

async fn ends_with(script: &str, around: &Surroundings) -> (Exit, String) {
    let sandbox = Sandbox::detect(Choice::Bubblewrap).await.unwrap();
    let mut job =
        Job::new("bash", &around.workspace).args(["-c", script]).write(&around.workspace).wall(Duration::from_secs(20));
    job.limits.memory_mib = 200;
    let done = sandbox.run(job).await.unwrap();
    (done.exit, format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
}

#[tokio::test]
async fn no_probe_reaches_anything_outside() {
    let around = surroundings();
    let base = &around.base;
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let path_socket = base.join("socket");
    let _path = UnixListener::bind(&path_socket).unwrap();
    let mut victim = Command::new("sleep").arg("60").env("OPENAI_API_KEY", "sk-planted").spawn().unwrap();
    let pid = victim.id();
    let probes = [
        // What it may do to a private, empty folder of that name is looked for on the host below.
        ("write above the workspace", format!("touch {base}/outside; false")),
        ("write to a sibling", format!("touch {base}/sibling/x")),
        ("read a sibling", format!("cat {base}/sibling/secret")),
        ("read a secret beside the workspace", format!("cat {base}/secret")),
        ("write to the system", "touch /usr/bin/x".into()),
        ("write to /etc", "touch /etc/x".into()),
        ("read another home", "ls /root/.ssh /root/.bashrc /home/*/.bashrc".into()),
        ("read the password hashes", "test -s /etc/shadow && cat /etc/shadow".into()),
        ("read a key out of another process", format!("cat /proc/{pid}/environ")),
        ("find any process with a key", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q OPENAI_API_KEY".into()),
        ("signal a process outside", format!("kill -0 {pid}")),
        ("trace a process outside", format!("ls /proc/{pid}/root/")),
        ("connect to a port of the host", format!("exec 5<>/dev/tcp/127.0.0.1/{port}")),
        ("connect to the internet", "exec 5<>/dev/tcp/1.1.1.1/53".into()),
        ("ask the name service", "getent hosts example.org".into()),
        (
            "connect to a unix socket by path",
            format!(
                "perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,pack_sockaddr_un(\"{path_socket}\")) or exit 1'"
            ),
        ),
        ("reach the docker socket", "test -e /var/run/docker.sock || test -e /run/docker.sock".into()),
        ("mount something", "mount -t tmpfs none /usr".into()),
        ("make the root writable again", "mount -o remount,rw /usr && touch /usr/x".into()),
        ("nest a user namespace", "unshare -Ur true".into()),
        ("leave the control group", "echo $$ > /sys/fs/cgroup/cgroup.procs".into()),
        ("enter the namespace of the host", "nsenter -t 1 -m -- touch /usr/x".into()),
        ("write to a disk", "ls /dev/sd* /dev/vd* /dev/nvme*".into()),
        ("load a kernel module", "modprobe loop || insmod x".into()),
        ("change the host's name", "hostname other && false".into()),
    ];
    let mut through = Vec::new();
    for (name, script) in &probes {
        let (exit, said) = ends_with(script, &around).await;
        if exit.success() {
            through.push(format!("{name}: {said}"));
        }
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert!(through.is_empty(), "{}", through.join("\n"));
    assert!(!base.join("outside").exists() && !base.join("sibling/x").exists());
}

#[tokio::test]
async fn memory_processes_and_disk_have_an_end() {
    let around = surroundings();
    let hog = "perl -e 'my @a; push @a, \"x\" x 10_000_000 while 1'";
    assert!(!ends_with(hog, &around).await.0.success());
    // Far past the limit, and far below what would take all process numbers of a busy machine from the other tests.
    let (exit, _) = ends_with("for i in $(seq 5000); do sleep 15 & done; sleep 15; exit 0", &around).await;
    assert!(!exit.success(), "{exit:?}");
    let (exit, said) = ends_with("head -c 2G /dev/zero > /tmp/full", &around).await;
    assert!(!exit.success() && said.contains("No space"), "{exit:?} {said}");
}

/// Whether something still writes into the file.
fn lives(heart: &Utf8Path) -> bool {
    let before = std::fs::read(heart).unwrap_or_default();
    std::thread::sleep(Duration::from_millis(400));
    before != std::fs::read(heart).unwrap_or_default()
}

fn beating(heart: &Utf8Path) -> String {
    format!("setsid bash -c 'trap \"\" TERM HUP INT; while :; do date +%s%N > {heart}; sleep 0.05; done' &")
}

#[tokio::test]
async fn a_daemon_does_not_outlive_its_job() {
    let around = surroundings();
    let heart = around.workspace.join("heart");
    let (exit, _) = ends_with(&format!("{} sleep 0.5; exit 0", beating(&heart)), &around).await;
    assert!(exit.success() && heart.exists());
    assert!(!lives(&heart), "after a normal end");
}

/// Not a test by itself: the process that is killed in the next one.
#[tokio::test]
#[ignore = "started by another test"]
async fn a_job_that_beats() {
    let Ok(folder) = std::env::var("UNIDEBUG_TEST_FOLDER") else { return };
    let sandbox = Sandbox::detect(Choice::Bubblewrap).await.unwrap();
    let heart = Utf8Path::new(&folder).join("heart");
    let job = Job::new("bash", &folder).args(["-c", &format!("{} sleep 60", beating(&heart))]).write(&folder);
    sandbox.run(job).await.unwrap();
}

#[test]
fn nothing_outlives_a_program_that_is_killed() {
    let around = surroundings();
    let heart = around.workspace.join("heart");
    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["sandbox_probes::a_job_that_beats", "--exact", "--ignored"])
        .env("UNIDEBUG_TEST_FOLDER", &around.workspace)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..200 {
        if heart.exists() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(lives(&heart), "it beats while the program runs");
    program.kill().unwrap();
    program.wait().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(!lives(&heart), "after kill -9 of the program");
}

#[tokio::test]
async fn a_server_on_the_own_loopback_works() {
    let around = surroundings();
    let mut script = std::fs::File::create(around.workspace.join("server.pl")).unwrap();
    script
        .write_all(
            b"use IO::Socket::INET; my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1') or die; \
              if (fork) { my $c = $s->accept; print <$c>; } else { my $c = IO::Socket::INET->new(PeerAddr => \
              '127.0.0.1', PeerPort => $s->sockport) or die; print $c \"hello\\n\"; }",
        )
        .unwrap();
    let (exit, said) = ends_with("perl server.pl", &around).await;
    assert!(exit.success() && said.contains("hello"), "{exit:?} {said}");
}
