//! Projects that somebody hands over to get at the machine: in code that tests load, in settings, in files that are none.
//! Nothing outside is read, written or reached, nothing lives on, and each run ends with a verdict or a message that
//! says what to do.

use crate::support::{Finished, Unidebug, sample, write_files};
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;
use std::net::TcpListener;
use std::process::Command;

const SUM: &str = "public class Sum { public static int of(int a, int b) { return a - b; } }\n";
const TEST: &str = "import org.junit.*;\npublic class SumTest {\n  @Test public void adds() { Assert.assertEquals(7, \
                    Sum.of(3, 4)); }\n  @Test public void keepsZero() { Assert.assertEquals(5, Sum.of(5, 0)); }\n}\n";
const ADDING: &str =
    "def total(items):\n    result = 0\n    for item in items:\n        result -= item\n    return result\n";
const TEST_ADDING: &str = "from adding import total\n\n\ndef test_none():\n    assert total([]) == 0\n\n\ndef test_some():\n    \
                           assert total([5]) == 5\n";
const SECRET: &str = "planted-secret";
/// What the program keeps for all projects, while it is tested.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/cache");

/// What a project could get at, and the project.
struct Trap {
    folder: tempfile::TempDir,
    base: Utf8PathBuf,
    listener: TcpListener,
    /// Stands in the command line of what a project leaves running.
    mark: String,
}

impl Trap {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        write_files(&base, &[("secret/file", SECRET), ("project/README", "")]);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let mark = format!("left-by-{}", base.file_name().unwrap());
        Self { folder, base, listener, mark }
    }

    fn project(&self) -> Utf8PathBuf {
        self.base.join("project")
    }

    fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    /// A shell loop that shows its mark.
    fn daemon(&self) -> String {
        format!("while sleep 0.2; do : {}; done", self.mark)
    }

    fn python(&self) -> String {
        let (base, port, daemon) = (&self.base, self.port(), self.daemon());
        format!(
            "import os, socket, subprocess\n\
             def attempt(what):\n    try:\n        return what()\n    except BaseException as error:\n        return error\n\
             attempt(lambda: open('{base}/taken', 'w').close())\n\
             print(attempt(lambda: open('{base}/secret/file').read()))\n\
             attempt(lambda: open('{base}/secret/file', 'w').close())\n\
             attempt(lambda: socket.create_connection(('127.0.0.1', {port}), 1))\n\
             attempt(lambda: subprocess.Popen(['setsid', 'sh', '-c', '{daemon}']))\n"
        )
    }

    fn java(&self) -> String {
        let (base, port, daemon) = (&self.base, self.port(), self.daemon());
        format!(
            "static {{ try {{ new java.io.FileOutputStream(\"{base}/taken\").close(); }} catch (Throwable e) {{ }}\n\
             try {{ System.out.println(new String(java.nio.file.Files.readAllBytes(java.nio.file.Paths.get(\
             \"{base}/secret/file\")))); }} catch (Throwable e) {{ }}\n\
             try {{ new java.net.Socket(\"127.0.0.1\", {port}).close(); }} catch (Throwable e) {{ }}\n\
             try {{ Runtime.getRuntime().exec(new String[] {{\"setsid\", \"sh\", \"-c\", \"{daemon}\"}}); }} catch \
             (Throwable e) {{ }} }}\n"
        )
    }

    fn groovy(&self) -> String {
        let (base, port, daemon, cache) = (&self.base, self.port(), self.daemon(), CACHE);
        format!(
            "def attempt = {{ what -> try {{ println what() }} catch (Throwable ignored) {{ }} }}\n\
             attempt {{ new File('{base}/taken').text = '' }}\n\
             attempt {{ new File('{base}/secret/file').text }}\n\
             attempt {{ new File('{base}/secret/file').text = '' }}\n\
             attempt {{ new Socket('127.0.0.1', {port}).close() }}\n\
             ['m2', 'repositories', 'gradle-distributions', 'gradle'].each {{ part -> \
             attempt {{ new File('{cache}/' + part).mkdirs(); new File('{cache}/' + part + '/{mark}').text = '' }} }}\n\
             attempt {{ ['setsid', 'sh', '-c', '{daemon}'].execute() }}\n",
            mark = self.mark
        )
    }

    fn shell(&self) -> String {
        let (base, port, daemon) = (&self.base, self.port(), self.daemon());
        format!(
            "touch {base}/taken; cat {base}/secret/file; : > {base}/secret/file; exec 5<>/dev/tcp/127.0.0.1/{port}; \
             setsid sh -c '{daemon}' & exit 1\n"
        )
    }

    /// Runs the program on the project.
    fn start(&self, sandbox: &str) -> Finished {
        // What was seen of the very same content is not asked again.
        fs::write(self.project().join("README"), sandbox).unwrap();
        let (project, out) = (self.project(), self.base.join("out"));
        let args = ["run", project.as_str(), "--model", "builtin", "--sandbox", sandbox, "--out", out.as_str()];
        let args = [&args[..], &["--max-candidates", "3"]].concat();
        Unidebug::new(&args).run()
    }

    /// Runs the program on the project and looks at all that must not have happened.
    fn run(&self, name: &str, sandbox: &str) -> Finished {
        let done = self.start(sandbox);
        let is_over = matches!(done.code, Some(0 | 1)) || done.code == Some(3) && done.stderr.contains("hint:");
        assert!(is_over, "{name}, {sandbox}: {done}");
        assert!(!done.stderr.contains("panicked"), "{name}, {sandbox}: {done}");
        assert!(!format!("{done}").contains(SECRET), "{name}, {sandbox}: it told the secret: {done}");
        let out = self.base.join("out");
        for entry in ignore_errors(&out) {
            let bytes = fs::read(&entry).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{name}, {sandbox}: {entry} holds the secret");
        }
        assert!(!self.is_taken(), "{name}, {sandbox}: it wrote outside");
        for written in self.caches() {
            assert!(!written.exists(), "{name}, {sandbox}: it wrote into what is kept for all projects: {written}");
        }
        assert_eq!(fs::read_to_string(self.base.join("secret/file")).unwrap(), SECRET, "{name}, {sandbox}");
        assert!(self.listener.accept().is_err(), "{name}, {sandbox}: it reached the machine");
        assert!(self.is_quiet(), "{name}, {sandbox}: it left something running");
        let _ = fs::remove_dir_all(&out);
        done
    }

    /// Whether code of the project wrote outside.
    fn is_taken(&self) -> bool {
        self.base.join("taken").exists()
    }

    /// What code of the project would write into what is kept for all projects.
    fn caches(&self) -> [Utf8PathBuf; 4] {
        ["m2", "repositories", "gradle-distributions", "gradle"]
            .map(|caches| Utf8Path::new(CACHE).join(caches).join(&self.mark))
    }

    /// Whether nothing of it runs. What was killed is gone a moment later.
    fn is_quiet(&self) -> bool {
        (0..50).any(|_| {
            let left = Command::new("pgrep").args(["-f", &self.mark]).output().unwrap().stdout;
            if !left.is_empty() {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
            left.is_empty()
        })
    }

    fn run_both(&self, name: &str) {
        self.run(name, "bubblewrap");
        self.run(name, "landlock");
    }

    /// Runs it in both sandboxes, and once without any, which shows that there was something to hold.
    fn run_held(&self, name: &str) {
        self.run_both(name);
        let done = self.start_free();
        assert!(self.is_taken(), "{name}: it does nothing without a sandbox: {done}");
    }

    /// Runs it in both sandboxes, and without any, where its code does not run either.
    fn run_left_alone(&self, name: &str) {
        self.run_both(name);
        let done = self.start_free();
        assert!(!self.is_taken(), "{name}: it was run: {done}");
    }

    /// Runs it without a sandbox, and ends and removes what it leaves.
    fn start_free(&self) -> Finished {
        let done = self.start("none");
        let _ = Command::new("pkill").args(["-KILL", "-f", &self.mark]).status();
        self.caches().iter().for_each(|written| drop(fs::remove_file(written)));
        done
    }
}

/// All files below a folder.
fn ignore_errors(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut open = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path().to_owned()),
                false => files.push(entry.path().to_owned()),
            }
        }
    }
    files
}

#[test]
fn python_that_tests_load_gets_nowhere() {
    type Place = fn(&Trap) -> Vec<(String, String)>;
    let loaded: [(&str, Place); 6] = [
        ("the product itself", |trap| vec![("adding.py".into(), format!("{}\n{ADDING}", trap.python()))]),
        ("conftest", |trap| vec![("conftest.py".into(), trap.python())]),
        ("a plug-in", |trap| {
            vec![("pytest.ini".into(), "[pytest]\naddopts = -p evil\n".into()), ("evil.py".into(), trap.python())]
        }),
        ("the test itself", |trap| vec![("test_evil.py".into(), trap.python())]),
        ("an interpreter in the project", |trap| {
            vec![(".venv/bin/python".into(), format!("#!/bin/bash\n{}", trap.shell()))]
        }),
        ("settings of an interpreter", |trap| {
            link(Utf8Path::new("/usr/bin/python3"), &trap.project().join(".venv/bin/python"));
            let version = ["-c", "import sys; print(f'python{sys.version_info[0]}.{sys.version_info[1]}', end='')"];
            let version = String::from_utf8(Command::new("python3").args(version).output().unwrap().stdout).unwrap();
            let site = format!(".venv/lib/{version}/site-packages");
            vec![
                (".venv/pyvenv.cfg".into(), format!("home = {}/secret\n", trap.base)),
                (format!("{site}/evil.pth"), "import evil\n".into()),
                (format!("{site}/evil.py"), trap.python()),
            ]
        }),
    ];
    let left_alone: [(&str, Place); 4] = [
        ("sitecustomize", |trap| vec![("sitecustomize.py".into(), trap.python())]),
        ("usercustomize", |trap| vec![("usercustomize.py".into(), trap.python())]),
        ("a module named as one of Python's own", |trap| vec![("json.py".into(), trap.python())]),
        ("setup.py", |trap| vec![("setup.py".into(), trap.python())]),
    ];
    let prepare = |place: Place| {
        let trap = Trap::new();
        let project = trap.project();
        fs::create_dir_all(project.join(".venv/bin")).unwrap();
        write_files(&project, &[("adding.py", ADDING), ("test_adding.py", TEST_ADDING)]);
        place(&trap).iter().for_each(|(path, text)| write_files(&project, &[(path, text)]));
        let program = project.join(".venv/bin/python");
        if program.is_file() && !program.is_symlink() {
            fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        trap
    };
    sample(loaded, 3).for_each(|(name, place)| prepare(place).run_held(name));
    sample(left_alone, 3).for_each(|(name, place)| prepare(place).run_left_alone(name));
}

#[test]
fn java_and_commands_get_nowhere() {
    let trap = Trap::new();
    let evil = TEST.replace("public class SumTest {", &format!("public class SumTest {{\n{}", trap.java()));
    write_files(trap.project(), &[("src/Sum.java", SUM), ("test/SumTest.java", &evil)]);
    trap.run_held("a test's initialiser");
    let trap = Trap::new();
    let evil = SUM.replace("public class Sum {", &format!("public class Sum {{\n{}", trap.java()));
    write_files(trap.project(), &[("src/Sum.java", &evil), ("test/SumTest.java", TEST)]);
    trap.run_held("the product's initialiser");
    let lines = [
        "build = 'bash run.sh'\ntest = 'true'\n",
        "test = 'bash run.sh'\n",
        // The folders around a program are read with it; around these lie the whole disk, and a secret.
        "test = '/bin/sh run.sh'\n",
        "test = 'SECRET/bin/run.sh'\n",
    ];
    for line in sample(lines, 2) {
        let trap = Trap::new();
        let secret = trap.base.join("secret");
        write_files(&secret, &[("bin/run.sh", &format!("#!/bin/bash\n{}", trap.shell()))]);
        fs::set_permissions(secret.join("bin/run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let file = line.replace("SECRET", secret.as_str());
        write_files(trap.project(), &[(".unidebug.toml", &file), ("run.sh", &trap.shell()), ("src/Sum.java", SUM)]);
        match line.contains("SECRET") {
            true => trap.run_left_alone(line),
            false => trap.run_held(line),
        }
    }
}

#[test]
fn a_makefile_and_settings_of_git_get_nowhere() {
    let trap = Trap::new();
    let recipe = "check: sum\n\t./sum\n\tbash run.sh\nsum: sum.c\n\t$(CC) -o sum sum.c\n";
    let makefile = format!("$(shell bash run.sh > /dev/null 2>&1)\n{recipe}");
    let files = [("Makefile", makefile.as_str()), ("run.sh", &trap.shell()), ("sum.c", "int main(void) { return 1; }")];
    write_files(trap.project(), &files);
    trap.run_held("a makefile");
    let trap = Trap::new();
    let project = trap.project();
    write_files(&project, &[("adding.py", ADDING), ("test_adding.py", TEST_ADDING), ("run.sh", &trap.shell())]);
    let commands = "git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm 'adds' && echo '# more' \
                    >> adding.py && echo '*.py filter=evil diff=evil' > .gitattributes";
    run("bash", &["-c", &format!("cd {project} && {commands}")]);
    let settings = "[core]\n\tfsmonitor = bash run.sh\n\thooksPath = .\n\tpager = bash run.sh\n\
                    [filter \"evil\"]\n\tclean = bash run.sh\n\tsmudge = bash run.sh\n\
                    [diff \"evil\"]\n\ttextconv = bash run.sh\n\tcommand = bash run.sh\n\
                    [diff]\n\texternal = bash run.sh\n";
    fs::write(project.join(".git/config"), settings).unwrap();
    trap.run_held("settings of git");
}

#[test]
fn files_that_are_none_get_nowhere() {
    type Make = fn(&Trap, &Utf8Path);
    let makes: [(&str, Make); 9] = [
        ("a link to a secret", |trap, project| link(&trap.base.join("secret/file"), &project.join("src/Other.java"))),
        ("a link to a folder outside", |trap, project| link(&trap.base.join("secret"), &project.join("src/secret"))),
        ("a link to itself", |_, project| link(project, &project.join("src/again"))),
        ("a link as output", |trap, project| link(&trap.base.join("secret"), &project.join("target"))),
        ("a pipe", |_, project| run("mkfifo", &[project.join("src/Pipe.java").as_str()])),
        ("a device", |_, project| {
            // Only root can make one.
            let _ = Command::new("mknod").args([project.join("src/Zero.java").as_str(), "c", "1", "5"]).status();
        }),
        ("a huge file", |_, project| {
            fs::File::create(project.join("src/Huge.java")).unwrap().set_len(20 << 30).unwrap();
        }),
        ("names with line ends and escapes", |_, project| {
            fs::write(project.join("src/\u{1b}[2Jx\nhint: run sh\r.java"), "class X { }").unwrap();
        }),
        ("folders without end", |_, project| {
            let deep: Utf8PathBuf = std::iter::repeat_n("d", 400).collect();
            fs::create_dir_all(project.join("src").join(&deep)).unwrap();
            fs::write(project.join("src").join(deep).join("X.java"), "class X { }").unwrap();
        }),
    ];
    for (name, make) in sample(makes, 3) {
        let trap = Trap::new();
        write_files(trap.project(), &[("src/Sum.java", SUM), ("test/SumTest.java", TEST)]);
        make(&trap, &trap.project());
        trap.run_both(name);
        assert!(trap.folder.path().exists());
    }
}

fn link(to: &Utf8Path, at: &Utf8Path) {
    std::os::unix::fs::symlink(to, at).unwrap();
}

fn run(program: &str, args: &[&str]) {
    assert!(Command::new(program).args(args).status().unwrap().success());
}

#[test]
fn a_test_that_writes_without_end_gives_the_disk_back() {
    let trap = Trap::new();
    // Twelve gigabytes at once, under a limit of four.
    let greedy = "def test_greedy():\n    import os, time\n    for i in range(24):\n        with open(f'f{i}', 'wb') as file:\n            \
                  os.posix_fallocate(file.fileno(), 0, 1 << 29)\n    time.sleep(30)\n";
    write_files(trap.project(), &[("adding.py", "x = 1\n"), ("test_greedy.py", greedy)]);
    let free =
        || nix::sys::statvfs::statvfs(trap.base.as_str()).map(|s| s.blocks_available() * s.fragment_size()).unwrap();
    let before = free();
    // Below its limit a job finds the end of the disk itself.
    let is_small = before < 5 << 30;
    for sandbox in ["bubblewrap", "landlock"] {
        trap.run("a test that writes without end", sandbox);
        let project = trap.project();
        let done = Unidebug::new(&["tool", "extract_tests", "--bug", project.as_str(), "--sandbox", sandbox]).run();
        let is_cut = done.stdout.contains("its limit of disk") || done.stdout.contains("did not end in time");
        assert!(is_cut || is_small, "{sandbox}: it was not ended: {done}");
    }
    assert!(before.saturating_sub(free()) < 4 << 30, "the disk is not given back");
}

const POM: &str = "<project><modelVersion>4.0.0</modelVersion><groupId>trial</groupId><artifactId>one</artifactId>\
    <version>1</version><properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11\
    </maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies>\
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope>\
    </dependency></dependencies></project>";

/// Code that Maven loads before anything of its own, telling what it could do.
fn agent(trap: &Trap, home: &Utf8Path) -> String {
    let (port, cache) = (trap.port(), format!("{CACHE}/m2"));
    format!(
        "import java.io.*; import java.nio.file.*;\n\
         public class Agent {{\n\
         interface Attempt {{ boolean works() throws Exception; }}\n\
         static String works(Attempt attempt) {{ try {{ return attempt.works() ? \"yes\" : \"no\"; }} catch (Throwable e) \
         {{ return \"no\"; }} }}\n\
         static boolean append(String path) throws Exception {{ new FileOutputStream(path, true).close(); return true; }}\n\
         static boolean tells(String path) throws Exception {{ return new \
         String(Files.readAllBytes(Paths.get(path))).contains(\"{SECRET}\"); }}\n\
         static String settings() throws Exception {{ String[] words = new \
         String(Files.readAllBytes(Paths.get(\"/proc/self/cmdline\"))).split(\"\\0\"); for (int i = 0; ; i++) \
         if (words[i].equals(\"-s\")) return words[i + 1]; }}\n\
         public static void premain(String given) {{\n\
         String said = \"reached \" + works(() -> {{ new java.net.Socket(\"127.0.0.1\", {port}).close(); return true; }})\n\
         + \", wrote \" + works(() -> append(\"{home}/.m2/repository/junit/junit/4.13.2/junit-4.13.2.jar\"))\n\
         + \", added \" + works(() -> append(\"{cache}/evil\"))\n\
         + \", home \" + works(() -> tells(\"{home}/.m2/settings.xml\"))\n\
         + \", settings \" + works(() -> tells(settings()));\n\
         System.out.println(\"[ERROR] \" + said); System.exit(1); }} }}\n"
    )
}

#[test]
fn what_a_project_loads_into_maven_is_left_out_and_gets_nowhere_if_it_is_trusted() {
    let trap = Trap::new();
    let home = trap.base.join("home");
    let settings = format!(
        "<settings><servers><server><id>central</id><username>me</username><password>{SECRET}</password></server>\
         </servers></settings>"
    );
    write_files(&home, &[(".m2/settings.xml", &settings)]);
    let users = Utf8PathBuf::from(std::env::var("HOME").unwrap()).join(".m2/repository");
    link(&users, &home.join(".m2/repository"));
    let project = trap.project();
    write_files(&project, &[("pom.xml", POM), ("src/main/java/Sum.java", SUM), ("src/test/java/SumTest.java", TEST)]);
    write_files(&project, &[(".mvn/jvm.config", "-Xmx700m -javaagent:agent.jar\n"), (".mvn/maven.config", "-T1\n")]);
    let extensions = "<extensions><extension><groupId>no</groupId><artifactId>such</artifactId><version>1</version>\
                      </extension></extensions>";
    write_files(&project, &[(".mvn/extensions.xml", extensions)]);
    write_files(
        &trap.base,
        &[("agent/Agent.java", &agent(&trap, &home)), ("agent/manifest", "Premain-Class: Agent\n")],
    );
    let jdk = unidebug::benchmark::jdk::find(None).unwrap().home;
    let agent = trap.base.join("agent");
    run(jdk.join("bin/javac").as_str(), &["-d", agent.as_str(), agent.join("Agent.java").as_str()]);
    let (jar, manifest) = (project.join("agent.jar"), agent.join("manifest"));
    run(jdk.join("bin/jar").as_str(), &["cfm", jar.as_str(), manifest.as_str(), "-C", agent.as_str(), "."]);
    let with_home = |args: &[&str]| Unidebug::new(args).env("HOME", home.as_str()).run();
    let done = with_home(&["run", project.as_str(), "--model", "builtin"]);
    done.expect_code(0);
    for notice in [".mvn/extensions.xml (--trust-build keeps it)", ".mvn/jvm.config \"-javaagent:agent.jar\""] {
        assert!(done.stderr.contains(notice), "{notice}: {done}");
    }
    for sandbox in ["bubblewrap", "landlock"] {
        let args = ["run", project.as_str(), "--model", "builtin", "--trust-build", "--sandbox", sandbox];
        let done = with_home(&args);
        done.expect_code(3);
        let nowhere = "reached no, wrote no, added no, home no, settings no";
        assert!(done.stderr.contains(nowhere), "{sandbox}: {done}");
        assert!(trap.listener.accept().is_err());
    }
}

#[test]
fn code_of_a_gradle_build_and_its_wrapper_gets_nowhere() {
    if unidebug::sandbox::find_program("gradle").is_none() {
        eprintln!("passed over: no Gradle here");
        return;
    }
    let build = |evil: &str| {
        format!(
            "{evil}\napply plugin: 'java'\nrepositories {{ mavenCentral() }}\ndependencies {{ testCompile 'junit:junit:4.13.2' }}\n"
        )
    };
    type Place = fn(&Trap) -> Vec<(&'static str, String)>;
    let places: [(&str, Place); 4] = [
        ("build.gradle", |_| Vec::new()),
        ("settings.gradle", |trap| vec![("settings.gradle", trap.groovy())]),
        ("buildSrc", |trap| vec![("buildSrc/build.gradle", trap.groovy())]),
        ("a wrapper", |trap| {
            let address = format!("distributionUrl=http\\://127.0.0.1\\:{}/gradle-9.9-bin.zip\n", trap.port());
            let program = format!("#!/bin/sh\n{}", trap.shell());
            vec![("gradle/wrapper/gradle-wrapper.properties", address), ("gradlew", program)]
        }),
    ];
    for (name, place) in sample(places, 4) {
        let trap = Trap::new();
        let evil = if name == "build.gradle" { trap.groovy() } else { String::new() };
        let project = trap.project();
        write_files(&project, &[("src/main/java/Sum.java", SUM), ("src/test/java/SumTest.java", TEST)]);
        write_files(&project, &[("build.gradle", &build(&evil))]);
        place(&trap).iter().for_each(|(path, text)| write_files(&project, &[(path, text)]));
        if name == "a wrapper" {
            // The wrapper's jar: a program that would do the same.
            let classes = trap.base.join("wrapper");
            let evil = format!(
                "public class GradleWrapperMain {{ {}\npublic static void main(String[] a) {{ }} }}",
                trap.java()
            );
            write_files(&classes, &[("GradleWrapperMain.java", &format!("package org.gradle.wrapper; {evil}"))]);
            let jdk = unidebug::benchmark::jdk::find(None).unwrap().home;
            let source = classes.join("GradleWrapperMain.java");
            run(jdk.join("bin/javac").as_str(), &["-d", classes.as_str(), source.as_str()]);
            let jar = project.join("gradle/wrapper/gradle-wrapper.jar");
            run(jdk.join("bin/jar").as_str(), &["cf", jar.as_str(), "-C", classes.as_str(), "org"]);
        }
        match name {
            "a wrapper" => trap.run_left_alone(name),
            _ => trap.run_held(name),
        }
    }
}

#[test]
fn a_repository_cannot_trust_its_own_build() {
    let trap = Trap::new();
    write_files(trap.project(), &[(".unidebug.toml", "trust_build = true\n"), ("src/Sum.java", SUM)]);
    let done = Unidebug::new(&["run", trap.project().as_str(), "--model", "builtin"]).run();
    done.expect_code(3);
    assert!(done.stderr.contains("trust_build") && done.stderr.contains(".unidebug.toml:1"), "{done}");
}
