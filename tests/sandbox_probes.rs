//! What untrusted code tries from inside the sandbox. Each probe is a command that succeeds without a sandbox; inside,
//! none may, but for what a back-end says that it cannot stop. As this user, and, where that is root, as a normal one.

mod compilers;

use camino::{Utf8Path, Utf8PathBuf};
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::time::Duration;
use unidebug::sandbox::{Choice, Exit, Job, Sandbox};

/// Back-ends with isolation.
const ISOLATED: [Choice; 2] = [Choice::Bubblewrap, Choice::Landlock];
/// What a probe may write to disk.
const DISK_MIB: u64 = 256;
/// A user nobody is.
const NORMAL_USER: &str = "54321";

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

async fn ends_with(choice: Choice, script: &str, around: &Surroundings) -> (Exit, String) {
    let sandbox = Sandbox::detect(choice).await.unwrap();
    let mut job =
        Job::new("bash", &around.workspace).args(["-c", script]).write(&around.workspace).wall(Duration::from_secs(20));
    job.limits.memory_mib = 200;
    job.limits.disk_mib = DISK_MIB;
    let done = sandbox.run(job).await.unwrap();
    (done.exit, format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
}

/// A probe: its name, and what it runs.
type Probe = (&'static str, String);

fn files(base: &Utf8Path) -> Vec<Probe> {
    vec![
        // What it may do to a private, empty folder of that name is looked for on the host below.
        ("write above the workspace", format!("touch {base}/outside; false")),
        ("write to a sibling", format!("touch {base}/sibling/x")),
        ("empty a file outside", format!("truncate -s 0 {base}/secret; false")),
        ("read a sibling", format!("cat {base}/sibling/secret")),
        ("read a secret beside the workspace", format!("cat {base}/secret")),
        ("write to /tmp of the machine", "touch /tmp/unidebug-probe; false".into()),
        ("write to the system", "touch /usr/bin/x".into()),
        ("write to /etc", "touch /etc/x".into()),
        ("read another home", "cat /root/.bashrc || cat /home/*/.bashrc".into()),
        ("read the password hashes", "test -s /etc/shadow && cat /etc/shadow".into()),
        ("write to a disk", "for d in /dev/sda /dev/vda /dev/nvme0n1; do head -c 1 $d && exit 0; done; exit 1".into()),
        ("fill the disk", "head -c 600M /dev/zero > $TMPDIR/full".into()),
        ("see whether a path outside exists", format!("test -e {base}/secret")),
        ("change mode, owner and times of files it owns outside", format!("chmod 600 {base}/secret")),
    ]
}

fn processes(pid: u32) -> Vec<Probe> {
    vec![
        ("read a key out of another process", format!("cat /proc/{pid}/environ")),
        ("find any process with a key", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q OPENAI_API_KEY".into()),
        ("signal a process outside", format!("kill -0 {pid}")),
        ("trace a process outside", format!("ls /proc/{pid}/root/")),
        ("see names, arguments and owners of other processes", format!("grep -q sleep /proc/{pid}/cmdline")),
    ]
}

fn network(port: u16, socket: &Utf8Path) -> Vec<Probe> {
    let connect = |path: &str| {
        format!("perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); connect(S,pack_sockaddr_un(\"{path}\")) or exit 1'")
    };
    vec![
        ("connect to a port of the host", format!("exec 5<>/dev/tcp/127.0.0.1/{port}")),
        ("connect to the internet", "exec 5<>/dev/tcp/1.1.1.1/53".into()),
        ("ask the name service", "getent hosts example.org".into()),
        ("connect to a unix socket by path", connect(socket.as_str())),
        ("connect to an abstract unix socket", connect(&format!("\\0{socket}"))),
        ("reach the docker socket", connect("/run/docker.sock")),
    ]
}

fn kernel() -> Vec<Probe> {
    vec![
        ("mount something", "mount -t tmpfs none /usr".into()),
        ("make the root writable again", "mount -o remount,rw /usr && touch /usr/x".into()),
        ("nest a user namespace", "unshare -Ur true".into()),
        ("leave the control group", "echo $$ > /sys/fs/cgroup/cgroup.procs".into()),
        ("leave the control group of its tasks", "echo $$ > /sys/fs/cgroup/pids/cgroup.procs".into()),
        ("enter the namespace of the host", "nsenter -t 1 -m -- touch /usr/x".into()),
        ("load a kernel module", "modprobe loop || insmod x".into()),
        ("change the host's name", "hostname other && false".into()),
        // Only opened: what would be written takes effect for the whole machine.
        ("say what runs when a program crashes", ": >> /proc/sys/kernel/core_pattern".into()),
        ("change a number of the kernel", ": >> /proc/sys/vm/drop_caches".into()),
        ("restart the machine", ": >> /proc/sysrq-trigger".into()),
    ]
}

/// Shared memory and a message queue of the machine, removed when dropped.
struct SharedObjects {
    memory: String,
    queue: String,
}

impl SharedObjects {
    fn make() -> Self {
        let output = Command::new("ipcmk").args(["-M", "64"]).output().unwrap().stdout;
        let memory = String::from_utf8_lossy(&output).split_whitespace().last().unwrap().to_owned();
        let queue = format!("unidebug-probe-{memory}");
        let script = format!("exit(syscall(240, my $n = '{queue}', 0x42, 0600, 0) < 0)");
        assert!(Command::new("perl").args(["-e", &script]).status().unwrap().success(), "a message queue");
        Self { memory, queue }
    }

    fn is_there(&self) -> bool {
        Command::new("perl")
            .args(["-e", &format!("shmread({}, $b, 0, 8) or exit 1", self.memory)])
            .status()
            .unwrap()
            .success()
    }
}

impl Drop for SharedObjects {
    fn drop(&mut self) {
        let _ = Command::new("ipcrm").args(["-m", &self.memory]).status();
        let _ = Command::new("perl").args(["-e", &format!("syscall(241, my $n = '{}')", self.queue)]).status();
    }
}

/// Calls by which code reaches other processes or little-used corners of the kernel. The numbers are those of x86-64.
#[cfg(target_arch = "x86_64")]
fn calls(victim: u32, shared: &SharedObjects) -> Vec<Probe> {
    let SharedObjects { memory, queue } = shared;
    let call = |arguments: &str| format!("perl -e 'exit(syscall({arguments}) < 0)'");
    let child = "my $p = fork; if (!$p) { sleep 5; exit }";
    vec![
        ("name the keys of the session", call("250, 0, -3, 0")),
        ("add a key to the session", call("248, my $t = \"user\", my $n = \"unidebug-probe\", my $v = \"x\", 1, -3")),
        ("open a socket to the hypervisor", "perl -MSocket -e 'socket(S, 40, SOCK_STREAM, 0) or exit 1'".into()),
        (
            "open a socket of the kernel's ciphers",
            "perl -MSocket -e 'socket(S, 38, SOCK_SEQPACKET, 0) or exit 1'".into(),
        ),
        ("listen to the kernel's events", "perl -MSocket -e 'socket(S, 16, SOCK_RAW, 15) or exit 1'".into()),
        ("trace a process", format!("perl -e '{child} exit(syscall(101, 16, $p, 0, 0) < 0)'")),
        ("limit a process outside", format!("prlimit --pid {victim} --core=0:0")),
        ("slow a process outside down", format!("renice -n 19 -p {victim}")),
        ("read shared memory of others", format!("perl -e 'shmread({memory}, $b, 0, 8) or exit 1'")),
        ("write shared memory of others", format!("perl -e 'shmwrite({memory}, \"x\", 0, 1) or exit 1'")),
        ("remove shared memory of others", format!("ipcrm -m {memory}")),
        ("open a message queue of others", call(&format!("240, my $n = \"{queue}\", 0, 0, 0"))),
        ("set an io_uring up", call("425, 8, my $p = \"\\0\" x 120")),
        ("handle page faults itself", call("323, 1")),
        ("count what the processor does", call("298, my $p = pack(\"LLQ\", 1, 112, 0) . (\"\\0\" x 96), 0, -1, -1, 0")),
        ("make a user name space by a newer call", call("435, my $p = pack(\"Q8\", 0x10000000, (0) x 7), 64")),
        // A descriptor that is no terminal: whoever says so has looked at the request.
        ("type into a terminal", "perl -e 'ioctl(STDIN, 0x5412, $x = \"x\"); exit($!{ENOTTY} ? 0 : 1)'".into()),
    ]
}

/// Runs all probes; what comes through must be exactly what the back-end says that it cannot stop.
async fn probe(choice: Choice) {
    let around = surroundings();
    let base = &around.base;
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let socket = base.join("socket");
    let _path = UnixListener::bind(&socket).unwrap();
    let _abstract = {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(socket.as_str()).unwrap();
        UnixListener::bind_addr(&address).unwrap()
    };
    let mut victim = Command::new("sleep").arg("60").env("OPENAI_API_KEY", "sk-planted").spawn().unwrap();
    let mut probes = files(base);
    if compilers::gcc_is_here() {
        probes.extend(compilers::probes(base, victim.id()));
    }
    probes.extend(processes(victim.id()));
    probes.extend(network(tcp.local_addr().unwrap().port(), &socket));
    probes.extend(kernel());
    let shared = SharedObjects::make();
    #[cfg(target_arch = "x86_64")]
    probes.extend(calls(victim.id(), &shared));
    let mut through = Vec::new();
    for (name, script) in &probes {
        let (exit, _) = ends_with(choice, script, &around).await;
        if exit.success() {
            through.push(*name);
        }
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    let mut admitted = Sandbox::detect(choice).await.unwrap().cannot_stop();
    admitted.sort_unstable();
    through.sort_unstable();
    assert_eq!(through, admitted, "{choice:?}: what came through, and what it says that it cannot stop");
    assert!(shared.is_there(), "{choice:?}: shared memory of others is gone");
    assert!(!base.join("outside").exists() && !base.join("sibling/x").exists());
    assert!(!Utf8Path::new("/tmp/unidebug-probe").exists());
    assert_eq!(std::fs::read_to_string(base.join("secret")).unwrap(), "secret");
}

/// Memory and processes have an end, and nothing outlives its job.
async fn limits(choice: Choice) {
    let around = surroundings();
    let hog = "perl -e 'my @a; push @a, \"x\" x 10_000_000 while 1'";
    assert!(!ends_with(choice, hog, &around).await.0.success(), "{choice:?}: memory");
    // Without end: whatever holds the number of processes must hold it before the machine has none left.
    let bomb = "perl -e 'while (1) { my $p = fork; exit 7 unless defined $p; if (!$p) { sleep 20; exit } }'";
    let (exit, _) = ends_with(choice, bomb, &around).await;
    assert!(!exit.success(), "{choice:?}: processes: {exit:?}");
    let doubling = "b() { b | b & }; b; sleep 15";
    ends_with(choice, doubling, &around).await;
    let heart = around.workspace.join("heart");
    let (exit, _) = ends_with(choice, &format!("{} sleep 0.5; exit 0", beating(&heart)), &around).await;
    assert!(exit.success() && heart.exists());
    assert!(!lives(&heart), "{choice:?}: after a normal end");
    std::fs::remove_file(&heart).unwrap();
    let sandbox = Sandbox::detect(choice).await.unwrap();
    let job = Job::new("bash", &around.workspace).args(["-c", &format!("{} sleep 60", beating(&heart))]);
    let done = sandbox.run(job.write(&around.workspace).wall(Duration::from_secs(1))).await.unwrap();
    assert_eq!(done.exit, Exit::TimedOut);
    assert!(heart.exists() && !lives(&heart), "{choice:?}: after its deadline");
}

/// Ways to take the disk: files, files without names, files in folders that are closed, and one huge file.
async fn disk(choice: Choice) {
    let many = "for i in $(seq 60); do head -c 20M /dev/zero > f$i; done; sleep 15";
    let nameless = "perl -e 'for (1..60) { open $h[$_], \">\", \"x\"; unlink \"x\"; syswrite $h[$_], \"x\" x 10_000_000 } \
                    sleep 15'";
    let hidden =
        "mkdir -p a/b && head -c 250M /dev/zero > a/b/x && head -c 250M /dev/zero > a/y && chmod 0 a/b a && sleep 15";
    for script in [many, nameless, hidden] {
        let mut end = ends_with(choice, script, &surroundings()).await;
        // Who looks for files in closed folders counts what is missing on the file system, and what other tests remove
        // in these seconds hides that.
        for _ in 0..2 {
            if script == hidden && end.0.success() {
                end = ends_with(choice, script, &surroundings()).await;
            }
        }
        let (exit, output) = end;
        assert_eq!(exit, Exit::OutOfDisk, "{choice:?}: {script}: {output}");
        assert!(output.contains("ended: it wrote more than 256 MiB to disk"), "{output}");
    }
    let around = surroundings();
    let (exit, _) = ends_with(choice, "fallocate -l 20M burst", &around).await;
    assert!(!exit.success(), "{choice:?}: room that is taken without being written");
    let around = surroundings();
    let (exit, _) = ends_with(choice, "head -c 300M /dev/zero > one", &around).await;
    assert!(!exit.success(), "{choice:?}: one huge file: {exit:?}");
    let around = surroundings();
    let (exit, output) = ends_with(choice, "head -c 200M /dev/zero > one && sleep 1", &around).await;
    assert!(exit.success(), "{choice:?}: what is allowed: {exit:?} {output}");
    // A server is held as well.
    let sandbox = Sandbox::detect(choice).await.unwrap();
    let mut job = Job::new("bash", &around.workspace).args(["-c", many]).write(&around.workspace);
    job.limits.disk_mib = DISK_MIB;
    let mut server = sandbox.serve(job).await.unwrap();
    for _ in 0..100 {
        if server.exit().is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{choice:?}: a server took the disk");
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
async fn no_probe_reaches_anything_outside() {
    for choice in ISOLATED {
        probe(choice).await;
    }
}

#[tokio::test]
async fn the_disk_is_not_filled() {
    for choice in ISOLATED {
        disk(choice).await;
    }
}

#[tokio::test]
async fn memory_processes_and_daemons_have_an_end() {
    for choice in ISOLATED {
        limits(choice).await;
    }
}

/// Not a test by itself: all of the above as whoever runs it.
#[tokio::test]
#[ignore = "started by another test"]
async fn everything_as_this_user() {
    for choice in ISOLATED {
        probe(choice).await;
        limits(choice).await;
        disk(choice).await;
        compilers::endless(choice).await;
    }
}

/// Not a test by itself: the same where no further user name space can be made.
#[tokio::test]
#[ignore = "started by another test"]
async fn everything_without_name_spaces() {
    let refused = Sandbox::detect(Choice::Bubblewrap).await.unwrap_err();
    assert!(refused.hint().contains("user namespaces"), "{refused}");
    assert_eq!(Sandbox::detect(Choice::Auto).await.unwrap().name(), "landlock");
    probe(Choice::Landlock).await;
    disk(Choice::Landlock).await;
}

#[test]
fn a_machine_without_user_name_spaces_is_held_as_well() {
    // The number holds for the name space around the test alone, which has no rights left when the test begins.
    let off = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all \"$@\"";
    let user = format!("--map-user={NORMAL_USER}");
    let group = format!("--map-group={NORMAL_USER}");
    let inside = ["unshare", "--user", &user, &group, "--keep-caps", "sh", "-c", off, "sh"];
    // Where there are none at all, the other tests ran without them.
    if Command::new(inside[0]).args(&inside[1..]).arg("true").status().is_ok_and(|status| status.success()) {
        as_normal_user(&inside, "sandbox_probes::everything_without_name_spaces");
    }
}

#[test]
fn a_normal_user_is_held_as_well() {
    as_normal_user(&[], "sandbox_probes::everything_as_this_user");
}

/// Runs a test as a normal user, below a program.
fn as_normal_user(below: &[&str], test: &str) {
    if !nix::unistd::geteuid().is_root() {
        // The other tests ran as one.
        return;
    }
    let folder = tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir();
    let folder = folder.unwrap();
    // A folder of root's is closed to others, so both programs are put where they can be started.
    for (program, name) in [(std::env::current_exe().unwrap(), "tests"), (program(), "unidebug")] {
        let near = folder.path().join(name);
        std::fs::hard_link(&program, &near).or_else(|_| std::fs::copy(&program, &near).map(|_| ())).unwrap();
    }
    let done = Command::new("setpriv")
        .args(["--reuid", NORMAL_USER, "--regid", NORMAL_USER, "--clear-groups", "--inh-caps=-all"])
        .args(below)
        .arg(folder.path().join("tests"))
        .args([test, "--exact", "--ignored"])
        .current_dir("/")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && output.contains("1 passed"), "{output}{}", String::from_utf8_lossy(&done.stderr));
}

fn program() -> std::path::PathBuf {
    env!("CARGO_BIN_EXE_unidebug").into()
}

/// Not a test by itself: the process that is killed in the next one.
#[tokio::test]
#[ignore = "started by another test"]
async fn a_job_that_beats() {
    let Ok(folder) = std::env::var("UNIDEBUG_TEST_FOLDER") else { return };
    let choice = if std::env::var_os("UNIDEBUG_TEST_LANDLOCK").is_some() { ISOLATED[1] } else { ISOLATED[0] };
    let sandbox = Sandbox::detect(choice).await.unwrap();
    let heart = Utf8Path::new(&folder).join("heart");
    let job = Job::new("bash", &folder).args(["-c", &format!("{} sleep 60", beating(&heart))]).write(&folder);
    sandbox.run(job).await.unwrap();
}

#[test]
fn nothing_outlives_a_program_that_is_killed() {
    for choice in ISOLATED {
        let around = surroundings();
        let heart = around.workspace.join("heart");
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["sandbox_probes::a_job_that_beats", "--exact", "--ignored"]);
        program.env("UNIDEBUG_TEST_FOLDER", &around.workspace).stdout(Stdio::null());
        if choice == Choice::Landlock {
            program.env("UNIDEBUG_TEST_LANDLOCK", "1");
        }
        let mut program = program.spawn().unwrap();
        for _ in 0..200 {
            if heart.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(lives(&heart), "{choice:?}: it beats while the program runs");
        program.kill().unwrap();
        program.wait().unwrap();
        std::thread::sleep(Duration::from_millis(300));
        assert!(!lives(&heart), "{choice:?}: after kill -9 of the program");
    }
}

#[tokio::test]
#[ignore = "a measurement, for a quiet machine"]
async fn a_job_starts_in_milliseconds() {
    for choice in [Choice::None, ISOLATED[0], ISOLATED[1]] {
        let sandbox = Sandbox::detect(choice).await.unwrap();
        let mut quickest = Duration::MAX;
        for _ in 0..20 {
            quickest = quickest.min(sandbox.run(Job::new("true", "/usr")).await.unwrap().wall);
        }
        println!("{choice:?}: {quickest:?}");
        assert!(quickest < Duration::from_millis(30), "{choice:?}: {quickest:?}");
    }
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
    let (exit, output) = ends_with(Choice::Bubblewrap, "perl server.pl", &around).await;
    assert!(exit.success() && output.contains("hello"), "{exit:?} {output}");
}

#[test]
fn a_run_behind_the_weaker_wall_works_and_says_what_it_cannot_stop() {
    let done =
        crate::support::unidebug(&["run", "fixtures:roman-numerals", "--model", "builtin", "--sandbox", "landlock"]);
    done.expect_code(0);
    assert!(done.stderr.contains("sandbox landlock: untrusted code can see names"), "{done}");
    if nix::unistd::geteuid().is_root() {
        assert!(done.stderr.contains("running as root: prefer a normal user"), "{done}");
    }
}
