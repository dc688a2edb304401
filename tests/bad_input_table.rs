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
        let said = self.message.iter().all(|part| message.contains(part));
        let hinted = !hint.is_empty() && hint.contains(self.hint);
        let polite = !message.ends_with('.') && !done.stderr.contains("panicked");
        let as_wanted = done.code == Some(self.code) && said && hinted && polite;
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
        kind("11 no source", &[&docs], 3, &["no pom.xml and no known layout"], "--build"),
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
    let args = ["run", folder.to_str().unwrap(), "--model", "builtin", "--json", "--apply"];
    let done = Unidebug::new(&args).run();
    done.expect_code(0);
    for oddity in
        ["dump.bin: it has more than 100 MB", "etc: it is a link", "pipe: it is no plain file", "its name is not UTF-8"]
    {
        assert!(done.stderr.contains(oddity), "`{oddity}` is not named: {done}");
    }
    let repaired = fs::read_to_string(folder.join("src/Sum.java")).unwrap();
    assert_eq!(repaired.matches("\r\n").count(), 5, "line ends are kept: {repaired:?}");
    assert!(fs::read(folder.join("src/Old.java")).unwrap().starts_with(b"/** gr\xfc\xdfe */"), "bytes are kept");
}
