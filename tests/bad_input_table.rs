//! Wrong input by its kind: what is typed, what is said, with which hint and exit code, and that nothing was paid
//! before. Kinds that need a whole run of their own stand in `bad_input`, `configuration`, `providers` and `terminal`.

use crate::support::{Endpoint, Finished, Reply, Unidebug};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

/// One kind: arguments after `run`, variables, exit code, what the message and what the hint hold.
struct Kind {
    name: &'static str,
    args: Vec<String>,
    variables: Vec<(&'static str, String)>,
    code: i32,
    message: Vec<String>,
    hint: &'static str,
}

fn kind(name: &'static str, args: &[&str], code: i32, message: &[&str], hint: &'static str) -> Kind {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Kind { name, args: texts(args), variables: Vec::new(), code, message: texts(message), hint }
}

impl Kind {
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    fn run(&self) -> Finished {
        let args: Vec<&str> = ["run", "--json"].into_iter().chain(self.args.iter().map(String::as_str)).collect();
        let mut program = Unidebug::new(&args);
        for (name, value) in &self.variables {
            program = program.env(name, value);
        }
        program.run()
    }
}

impl Kind {
    /// What is not as it should be, when anything is not.
    fn complaint(&self) -> Option<String> {
        let done = self.run();
        let object = done.json();
        let of = |field: &str| object["error"][field].as_str().unwrap_or("").to_owned();
        let (message, hint) = (of("message"), of("hint"));
        let is_complete = self.message.iter().all(|part| message.contains(part));
        let hinted = !hint.is_empty() && hint.contains(self.hint);
        let polite = !message.ends_with('.') && !done.stderr.contains("panicked");
        let as_wanted = done.code == Some(self.code) && is_complete && hinted && polite;
        (!as_wanted).then(|| format!("{}: code {:?}: {message} | {hint}", self.name, done.code))
    }
}

const BUG: &str = "fixtures:ring-buffer";

#[test]
fn every_kind_is_told_with_its_hint_and_its_code_before_anything_is_paid() {
    let refusing = Endpoint::start(|_, _, _| Reply::status(401, r#"{"error": {"message": "bad key"}}"#));
    let listing = Endpoint::listing(&["good-model", "other"], |_, _, _| Reply::text("?"));
    let (url, root, known) = (refusing.base_url(), listing.root_url(), listing.base_url());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::create_dir(folder.path().join("docs")).unwrap();
    fs::write(folder.path().join("docs/README.md"), "text").unwrap();
    fs::write(folder.path().join("file"), "x").unwrap();
    fs::write(folder.path().join("prices.json"), "[]").unwrap();
    fs::create_dir(folder.path().join("used")).unwrap();
    fs::write(folder.path().join("used/run.journal"), "something\n").unwrap();
    let (empty, docs, file, used) = (path("empty"), path("docs"), path("file"), path("used"));
    let (below_file, prices, nowhere) = (path("file/run"), path("prices.json"), path("nowhere"));
    let http = "http://198.51.100.7:9/v1";
    let kinds = [
        kind("1 unknown bug", &["fixtures:ring-bufer"], 2, &["no bug", "fixtures:ring-buffer"], "lists them all"),
        kind(
            "2 unknown benchmark",
            &["fixture:ring-buffer"],
            2,
            &["no benchmark `fixture`", "fixtures"],
            "unidebug bugs",
        ),
        kind("2 neither id nor folder", &["ring-buffer"], 2, &["neither a bug id"], "unidebug bugs"),
        kind("4 no JDK", &[BUG, "--java-home", &empty], 3, &["is not a JDK", &empty], "--java-home"),
        kind("10 no such form of test", &[BUG, "--failing", "#x"], 2, &["--failing"], "Class#method"),
        kind("11 empty folder", &[&empty], 3, &["the folder is empty"], "failing test"),
        kind(
            "11 no source",
            &[&docs],
            3,
            &["no pom.xml, no build.gradle, no known layout and no test module of pytest"],
            "--build",
        ),
        kind("11 a file", &[&file], 3, &["a file is no project"], "folder"),
        kind("19 an option as a folder", &["--", "--help"], 2, &["`--help`"], "unidebug bugs"),
        kind("20 no key", &[BUG, "--model", "gpt-4o"], 4, &["no key for the model `gpt-4o`"], "OPENAI_API_KEY"),
        kind(
            "20 no key of a provider",
            &[BUG, "--model", "x", "--provider", "mistral"],
            4,
            &["api.mistral.ai"],
            "MISTRAL_API_KEY",
        ),
        kind("20 key file", &[BUG, "--model", "x", "--key-file", &nowhere], 4, &[&nowhere], "key_file"),
        kind(
            "22 not reached",
            &[BUG, "--model", "m", "--base-url", "http://127.0.0.1:9/v1"],
            4,
            &["cannot reach 127.0.0.1:9"],
            "base URL",
        ),
        kind(
            "22 no address",
            &[BUG, "--model", "m", "--base-url", "localhost:80"],
            4,
            &["is no base URL"],
            "as `http://",
        )
        .with("OPENAI_API_KEY", "sk-0123456789abcdef0123"),
        kind(
            "22 without /v1",
            &[BUG, "--model", "m", "--base-url", &root],
            4,
            &["no OpenAI-compatible interface"],
            "/v1",
        ),
        kind("23 unknown model", &[BUG, "--model", "god-model", "--base-url", &known], 4, &["god-model"], "good-model"),
        kind("25 a cap of nothing", &[BUG, "--max-cost", "0"], 2, &["`0` is no sum of US dollars"], ""),
        kind(
            "25 a price nobody knows",
            &[BUG, "--model", "m", "--base-url", &url, "--max-cost", "1"],
            2,
            &["price of `m` is unknown"],
            "--allow-unpriced",
        ),
        kind(
            "25 a list of prices",
            &[BUG, "--model", "m", "--base-url", &url, "--prices", &prices],
            3,
            &["no list of prices"],
            "the form is",
        ),
        kind("27 no place for the run", &[BUG, "--model", "builtin", "--out", &below_file], 74, &["file/run"], ""),
        kind("28 another run's folder", &[BUG, "--model", "builtin", "--out", &used], 3, &[&used], "unidebug resume"),
        kind("29 unknown option", &[BUG, "--max-tokns", "5"], 2, &["--max-tokns"], ""),
        kind(
            "29 a cap that is none",
            &[BUG, "--cap", "agent.tokns=5"],
            2,
            &["did you mean `caps.agent.tokens`"],
            "config show",
        ),
        kind("29 a variable", &[BUG], 2, &["UNIDEBUG_MAX_COTS"], "config show").with("UNIDEBUG_MAX_COTS", "1"),
        kind("29 no glob", &[BUG, "--deny", "src/[a"], 2, &["`deny`"], "config show"),
        kind("36 a proxy that is not there", &[BUG, "--model", "m", "--base-url", http], 4, &["cannot reach"], "")
            .with("OPENAI_API_KEY", "sk-0123456789abcdef0123")
            .with("HTTP_PROXY", "http://127.0.0.1:9"),
    ];
    let wrong: Vec<String> = kinds.iter().filter_map(|kind| kind.complaint()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refusing.served().is_empty() && listing.served().is_empty(), "something was paid before a refusal");
}

#[test]
fn a_refused_key_is_told_by_its_end_and_nothing_is_tried_again() {
    let endpoint = Endpoint::start(|_, _, _| Reply::status(401, r#"{"error": {"message": "invalid api key"}}"#));
    let url = endpoint.base_url();
    let args = ["run", BUG, "--model", "m", "--base-url", &url, "--no-first", "--json"];
    let done = Unidebug::new(&args).env("OPENAI_API_KEY", "sk-0123456789abcdef-wxyz").run();
    done.expect_code(4);
    let object = done.json();
    let hint = object["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("…wxyz") && !done.stderr.contains("abcdef"), "{hint}");
    assert_eq!(endpoint.served().len(), 1);
}

const PRODUCT: &str = "public class Sum {\r\n  static int of(int a, int b) {\r\n    return a - b;\r\n  }\r\n}\r\n";
const TEST: &str = "import static org.junit.Assert.*;\nimport org.junit.Test;\npublic class SumTest {\n  @Test public void adds() { assertEquals(5, Sum.of(2, 3)); }\n}\n";

fn odd_project(root: &Path) {
    fs::create_dir_all(root.join("src")).unwrap();
    fs::create_dir_all(root.join("test")).unwrap();
    fs::write(root.join("src/Sum.java"), PRODUCT).unwrap();
    fs::write(root.join("test/SumTest.java"), TEST).unwrap();
    // Latin-1, as old projects have it.
    fs::write(root.join(".unidebug.toml"), "encoding = \"ISO-8859-1\"\n").unwrap();
    fs::write(root.join("src/Old.java"), b"/** gr\xfc\xdfe */\npublic class Old {}\n").unwrap();
    fs::File::create(root.join("dump.bin")).unwrap().set_len(101 << 20).unwrap();
    symlink("..", root.join("src/loop")).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    nix::unistd::mkfifo(&root.join("src/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::write(root.join("two\nlines.txt"), "x").unwrap();
    fs::write(root.join(OsStr::from_bytes(b"\xff\xfe.txt")), "x").unwrap();
}

#[test]
fn an_odd_project_in_a_folder_with_spaces_is_repaired_and_its_oddities_are_named() {
    let keep = tempfile::tempdir().unwrap();
    let folder = keep.path().join("my project");
    odd_project(&folder);
    // The run directory may lie in the project itself.
    let out = folder.join("runs/1");
    let args = ["run", folder.to_str().unwrap(), "--model", "builtin", "--json", "--apply"];
    let done = Unidebug::new(&[&args[..], &["--out", out.to_str().unwrap()]].concat()).run();
    done.expect_code(0);
    assert!(out.join("patch.diff").is_file() && !out.join("checkout").exists(), "{done}");
    for oddity in
        ["dump.bin: it has more than 100 MB", "etc: it is a link", "pipe: it is no plain file", "its name is not UTF-8"]
    {
        assert!(done.stderr.contains(oddity), "`{oddity}` is not named: {done}");
    }
    let repaired = fs::read_to_string(folder.join("src/Sum.java")).unwrap();
    assert_eq!(repaired.matches("\r\n").count(), 5, "line ends are kept: {repaired:?}");
    assert!(fs::read(folder.join("src/Old.java")).unwrap().starts_with(b"/** gr\xfc\xdfe */"), "bytes are kept");
}

/// A run on a machine that lacks a program.
fn without(program: &str, args: &[&str]) -> (String, String) {
    let program = fs::canonicalize(program).unwrap();
    let masked = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", "/dev/null", program.to_str().unwrap()];
    let done = Unidebug::new(&[&["run"], args, &["--json"]].concat()).under(&masked).run();
    done.expect_code(3);
    let error = &done.json()["error"];
    (error["message"].as_str().unwrap().to_owned(), error["hint"].as_str().unwrap().to_owned())
}

#[test]
fn what_the_machine_lacks_is_named_with_how_to_get_it() {
    let maven = tempfile::tempdir().unwrap();
    let pom = "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>\
               <version>1</version></project>";
    fs::write(maven.path().join("pom.xml"), pom).unwrap();
    for (path, text) in [("src/main/java/Sum.java", PRODUCT), ("src/test/java/SumTest.java", TEST)] {
        fs::create_dir_all(maven.path().join(path).parent().unwrap()).unwrap();
        fs::write(maven.path().join(path), text).unwrap();
    }
    let (message, hint) = without("/usr/bin/mvn", &[maven.path().to_str().unwrap(), "--sandbox", "none"]);
    assert!(
        message.contains("Maven is not installed") && hint.contains("install Maven"),
        "6 no Maven: {message} | {hint}"
    );
    let (message, hint) = without("/usr/bin/bwrap", &[BUG, "--sandbox", "bubblewrap"]);
    assert!(message.contains("no sandbox works") && hint.contains("bubblewrap"), "30 no sandbox: {message} | {hint}");
}

#[test]
fn failures_that_say_nothing_about_the_code_are_set_aside_by_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    fs::create_dir_all(folder.path().join("test")).unwrap();
    fs::write(
        folder.path().join("src/Sum.java"),
        "public class Sum { static int of(int a, int b) { return a + b; } }\n",
    )
    .unwrap();
    let asks =
        "  @Test public void asks() throws Exception { new java.net.URL(\"http://example.org\").openStream(); }\n}\n";
    let test = TEST.trim_end().trim_end_matches('}').to_owned() + asks;
    fs::write(folder.path().join("test/SumTest.java"), test).unwrap();
    let path = folder.path().to_str().unwrap();
    let done = Unidebug::new(&["run", path, "--model", "builtin", "--json"]).run();
    let error = done.expect_code(3).json()["error"].clone();
    let (message, hint) = (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
    assert!(message.contains("SumTest#asks: it needs the network") && message.contains("1 pass"), "37: {message}");
    assert!(hint.contains("--failing"), "{hint}");
}

#[test]
fn a_test_that_hangs_in_the_baseline_is_cut_and_is_the_bug() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    fs::create_dir_all(folder.path().join("test")).unwrap();
    let endless = "public class Sum {\n  static int of(int a, int b) {\n    int sum = a;\n    for (int i = 0; i < b; ) {\n      \
                   sum++;\n    }\n    return sum;\n  }\n}\n";
    fs::write(folder.path().join("src/Sum.java"), endless).unwrap();
    fs::write(folder.path().join("test/SumTest.java"), TEST).unwrap();
    let args = [
        "run",
        folder.path().to_str().unwrap(),
        "--model",
        "builtin",
        "--max-candidates",
        "1",
        "--max-time",
        "5m",
        "--json",
    ];
    let done = Unidebug::new(&args).run();
    assert!(matches!(done.code, Some(0 | 1 | 5)) && done.stderr.contains("1 test fails"), "31: {done}");
}

#[test]
fn a_test_that_takes_long_and_passes_is_no_bug() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    fs::create_dir_all(folder.path().join("test")).unwrap();
    let slow = "public class Sum {\n  static int of(int a, int b) {\n    long end = System.nanoTime() + 7_000_000_000L;\n    \
                while (System.nanoTime() < end) {\n    }\n    return a + b;\n  }\n}\n";
    fs::write(folder.path().join("src/Sum.java"), slow).unwrap();
    fs::write(folder.path().join("test/SumTest.java"), TEST).unwrap();
    let done = Unidebug::new(&["run", folder.path().to_str().unwrap(), "--model", "builtin", "--json"]).run();
    assert!(done.code == Some(3) && done.stderr.contains("nothing to repair"), "31: {done}");
}

#[test]
fn what_is_no_text_is_told_and_never_a_panic() {
    let odd = OsStr::from_bytes(b"\xff\xfe");
    let program = env!("CARGO_BIN_EXE_unidebug");
    let run = |command: &mut std::process::Command| {
        let done = command.output().unwrap();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!errors.contains("broke") && !errors.contains("panicked"), "18: {errors}");
        (done.status.code(), errors)
    };
    let (code, errors) = run(std::process::Command::new(program).arg("run").arg(odd).arg("--json"));
    assert!(code == Some(2) && !errors.is_empty(), "18 an argument: {code:?} {errors}");
    let (code, errors) = run(std::process::Command::new(program).args(["config", "show"]).env("SOMEBODYS", odd));
    assert_eq!(code, Some(0), "18 another's variable: {errors}");
    let (code, errors) = run(std::process::Command::new(program).args(["config", "show"]).env("UNIDEBUG_LEVELS", odd));
    assert!(code == Some(2) && errors.contains("UNIDEBUG_LEVELS"), "18 an own variable: {errors}");
}
