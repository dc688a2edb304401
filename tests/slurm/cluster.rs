//! A Slurm of one node: real daemons, with their key, configuration and state in a folder of its own.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What must be installed, under Debian's names of the packages.
const PROGRAMS: [(&str, &str); 5] = [
    ("munged", "munge"),
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("sbatch", "slurm-client"),
    ("scontrol", "slurm-client"),
];
const FOLDERS: [&str; 3] = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];
/// States of jobs that are not over.
pub const LIVE: &str = "PENDING,RUNNING,COMPLETING";
/// After how many seconds without a word a node counts as dead.
const DEAD_AFTER: u32 = 10;

/// The running cluster.
pub struct Cluster {
    folder: tempfile::TempDir,
    host: String,
    munged: Child,
    controller: Child,
    node: Option<Child>,
}

impl Cluster {
    /// Starts the daemons; an error says why there can be no cluster here.
    pub fn start() -> Result<Self, String> {
        for (program, package) in PROGRAMS {
            let found = FOLDERS.iter().any(|folder| Path::new(folder).join(program).is_file());
            if !found {
                return Err(format!("{program} is not installed (Debian's package {package})"));
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let host = nix::unistd::gethostname().unwrap().into_string().unwrap();
        let host = host.split('.').next().unwrap().to_owned();
        prepare(folder.path(), &host);
        let at = |name: &str| folder.path().join(name).display().to_string();
        let option = |name: &str, file: &str| format!("--{name}={}", at(file));
        let munged = start(
            folder.path(),
            "munged",
            &[
                "-F",
                "--force",
                &option("key-file", "munge/key"),
                &option("socket", "munge/socket"),
                &option("pid-file", "munge/pid"),
                &option("log-file", "munge/log"),
                &option("seed-file", "munge/seed"),
            ],
        );
        wait(Duration::from_secs(20), || folder.path().join("munge/socket").exists());
        let controller = start(folder.path(), "slurmctld", &["-D", "-i"]);
        let mut cluster = Self { folder, host, munged, controller, node: None };
        cluster.start_node();
        if wait(Duration::from_secs(60), || cluster.ask("sinfo", &["-h", "-o", "%T"]).trim() == "idle") {
            return Ok(cluster);
        }
        let log = |name: &str| std::fs::read_to_string(cluster.folder.path().join(name)).unwrap_or_default();
        let last = |name: &str| log(name).lines().last().unwrap_or("").to_owned();
        Err(format!("its daemons do not come up: {}; {}", last("slurmctld.txt"), last("slurmd.txt")))
    }

    /// For the variable `SLURM_CONF`.
    pub fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    /// What a program of Slurm's prints.
    pub fn ask(&self, program: &str, words: &[&str]) -> String {
        let done = Command::new(program).args(words).env("SLURM_CONF", self.configuration()).output().unwrap();
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// Jobs in this state, each array task for itself: its id and its number in the array.
    pub fn jobs(&self, state: &str) -> Vec<(String, String)> {
        let listing = self.ask("squeue", &["-h", "-r", "-t", state, "-o", "%A %K"]);
        listing.lines().filter_map(|line| line.split_once(' ')).map(|(id, at)| (id.to_owned(), at.to_owned())).collect()
    }

    /// Lets everything that waits only because it was put back begin now, and not in two minutes.
    pub fn hurry(&self) {
        for (id, _) in self.jobs("PENDING") {
            self.ask("scontrol", &["update", &format!("JobId={id}"), "StartTime=now"]);
        }
    }

    /// Waits until no job is left.
    pub fn finish(&self) {
        let done = wait(Duration::from_secs(600), || {
            self.hurry();
            self.jobs(LIVE).is_empty()
        });
        assert!(done, "jobs are left: {}", self.ask("squeue", &[]));
    }

    /// Kills every process of an array task with signal 9.
    pub fn kill_task(&self, number: &str) -> usize {
        let task = format!("SLURM_ARRAY_TASK_ID={number}");
        self.kill(|_, environment| environment.contains(&task.as_str()))
    }

    /// The node goes down with all that runs on it.
    pub fn kill_node(&mut self) {
        let mut node = self.node.take().unwrap();
        let _ = node.kill();
        node.wait().unwrap();
        // First who could still tell the controller how the tasks ended.
        self.kill(|name, _| name.starts_with("slurmstepd"));
        self.kill(|_, _| true);
    }

    /// The node comes up.
    pub fn start_node(&mut self) {
        self.node = Some(start(self.folder.path(), "slurmd", &["-D", "-N", &self.host]));
    }

    /// Kills processes of this cluster, but for the controller's, by name and environment.
    fn kill(&self, wanted: impl Fn(&str, &[&str]) -> bool) -> usize {
        let own = format!("SLURM_CONF={}", self.configuration().display());
        let mut killed = 0;
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            let Ok(bytes) = std::fs::read(entry.path().join("environ")) else { continue };
            let text = String::from_utf8_lossy(&bytes);
            let environment: Vec<&str> = text.split('\0').collect();
            let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            let stays = ["slurmctld", "slurmscriptd", "munged"].contains(&name.trim());
            if environment.contains(&own.as_str()) && !stays && wanted(&name, &environment) {
                let killing = nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::SIGKILL);
                killed += usize::from(killing.is_ok());
            }
        }
        killed
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.kill(|_, _| true);
        for daemon in [self.node.as_mut(), Some(&mut self.controller), Some(&mut self.munged)].into_iter().flatten() {
            let id = nix::unistd::Pid::from_raw(i32::try_from(daemon.id()).unwrap());
            let _ = nix::sys::signal::kill(id, nix::sys::signal::SIGTERM);
            let _ = daemon.wait();
        }
    }
}

/// Waits until something holds; whether it came to that.
pub fn wait(limit: Duration, holds: impl Fn() -> bool) -> bool {
    let until = Instant::now() + limit;
    while Instant::now() < until {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    false
}

/// Starts a daemon that stays in the foreground and writes what it says into a file.
fn start(folder: &Path, program: &str, words: &[&str]) -> Child {
    let program = FOLDERS.iter().map(|at| Path::new(at).join(program)).find(|path| path.is_file()).unwrap();
    let log = std::fs::File::create(folder.join(program.file_name().unwrap()).with_extension("txt")).unwrap();
    Command::new(program)
        .args(words)
        .env("SLURM_CONF", folder.join("slurm.conf"))
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Writes key and configuration.
fn prepare(folder: &Path, host: &str) {
    for name in ["munge", "state", "spool"] {
        std::fs::create_dir(folder.join(name)).unwrap();
    }
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(folder, 0o755);
    mode(&folder.join("munge"), 0o755);
    let key: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(128).collect();
    std::fs::write(folder.join("munge/key"), key).unwrap();
    mode(&folder.join("munge/key"), 0o400);
    let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).unwrap().unwrap().name;
    let ports: Vec<TcpListener> = (0..2).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let [controller, node] = [0, 1].map(|at: usize| ports[at].local_addr().unwrap().port());
    let at = folder.display();
    let text = format!(
        "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={controller}\nSlurmdPort={node}\n\
         SlurmUser={user}\nSlurmdUser={user}\nAuthType=auth/munge\nAuthInfo=socket={at}/munge/socket\n\
         CredType=cred/munge\nStateSaveLocation={at}/state\nSlurmdSpoolDir={at}/spool\n\
         SlurmctldPidFile={at}/slurmctld.pid\nSlurmdPidFile={at}/slurmd.pid\nProctrackType=proctrack/linuxproc\n\
         TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\nSlurmdTimeout={DEAD_AFTER}\n\
         JobRequeue=1\nSwitchType=switch/none\nMpiDefault=none\nSlurmdParameters=config_overrides\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=2000\n\
         PartitionName=main Nodes={host} Default=YES MaxTime=60 State=UP\n"
    );
    std::fs::write(folder.join("slurm.conf"), text).unwrap();
}
