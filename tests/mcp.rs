//! The server for hosts' agents, used by the official SDK in Python as a host uses it, and by the
//! official inspector.

use crate::support::{Unidebug, write_files};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The version of the SDK that is tested with.
const SDK: &str = "mcp==2.3.0";

/// A Python that has the SDK, made once; `None` where it cannot be had.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-client");
        let python = folder.join("bin/python");
        let has_sdk = || Command::new(&python).args(["-c", "import mcp.client.client"]).output();
        let is_ready = || has_sdk().is_ok_and(|done| done.status.success());
        if !is_ready() {
            let _ = Command::new("python3").args(["-m", "venv"]).arg(&folder).output();
            let _ = Command::new(&python).args(["-m", "pip", "install", "--quiet", SDK]).output();
        }
        is_ready().then_some(python)
    });
    if python.is_none() {
        eprintln!("passed over: {SDK} cannot be had from PyPI");
    }
    python.as_deref()
}

/// The inspector that is tested with: the newest which Node 20 runs.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@0.17.2";

/// The inspector's program, installed once; `None` where it cannot be had.
fn inspector() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-inspector");
    let program = folder.join("node_modules/.bin/mcp-inspector");
    if !program.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        let flags = ["install", "--silent", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix"];
        let _ = Command::new("npm").args(flags).arg(&folder).arg(INSPECTOR).output();
    }
    let is_ready = Command::new(&program).args(["--cli", "--help"]).output().is_ok_and(|done| done.status.success());
    if !is_ready {
        eprintln!("passed over: {INSPECTOR} cannot be had from npm, or there is no Node");
    }
    is_ready.then_some(program)
}

/// A folder with a project whose total is wrong, one that nothing repairs, and one outside of what is granted.
struct Projects {
    folder: tempfile::TempDir,
}

impl Projects {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let wrong = "def total(prices):\n    result = 0\n    for price in prices:\n        result -= price\n    return result\n";
        let test = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\ndef test_none():\n    assert total([]) == 0\n";
        let many: String =
            (1..40).map(|n| format!("    if prices[0] > {n}:\n        result = result * {n} + 1\n")).collect();
        let long = format!("def total(prices):\n    result = 0\n{many}    return result\n");
        let never = "from cart import total\n\n\ndef test_total():\n    assert total([99]) == 'no sum'\n";
        for place in ["granted/shop", "outside/shop"] {
            write_files(folder.path().join(place), &[("cart.py", wrong), ("test_cart.py", test)]);
        }
        write_files(folder.path().join("granted/long"), &[("cart.py", &long), ("test_cart.py", never)]);
        std::os::unix::fs::symlink(folder.path().join("outside/shop"), folder.path().join("granted/link")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// What a host with these roots gets for its steps, from a server with these flags.
    fn host(&self, python: &Path, plan: &Value, flags: &[&str]) -> Vec<Value> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
        let before = [python.to_str().unwrap(), script, &plan.to_string()];
        let done = Unidebug::new(&[&["mcp"], flags].concat()).under(&before).run();
        done.expect_code(0);
        done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn diff(line: &str) -> String {
    format!(
        "--- a/cart.py\n+++ b/cart.py\n@@ -1,5 +1,5 @@\n def total(prices):\n     result = 0\n     for price in prices:\n-        result -= price\n+        {line}\n     return result\n"
    )
}

#[test]
fn a_host_lists_tools_has_patches_judged_and_stays_inside_its_roots() {
    let Some(python) = python() else { return };
    let projects = Projects::new();
    let shop = projects.path("granted/shop");
    let judge = |bug: &str, line: &str| json!({"call": "judge_patch", "args": {"bug": bug, "patch": diff(line)}});
    let look = |bug: &str| json!({"call": "search_code", "args": {"bug": bug, "key_words": ["total"]}});
    let steps = [
        json!({"list": true}),
        judge(&shop, "result += price"),
        judge(&shop, "result += 1"),
        look(&shop),
        json!({"call": "repair", "args": {"bug": shop}}),
        json!({"call": "localize", "args": {"bug": shop}}),
        json!({"call": "run_tests", "args": {"bug": shop, "tests": ["test_total"]}}),
    ];
    let outside = ["outside/shop", "granted/link", "granted/../outside/shop", "absent"];
    let refused: Vec<Value> = outside.iter().map(|name| look(&projects.path(name))).collect();
    // A host of today is asked when a call needs it, an older one by a request of the server.
    for (mode, own) in [("auto", 7), ("legacy", 5)] {
        let steps = [&steps[..own], &refused].concat();
        let plan = json!({"mode": mode, "roots": [projects.path("granted")], "steps": steps});
        let answers = projects.host(python, &plan, &[]);
        let tools = ["judge_patch", "localize", "triage", "run_tests", "search_code", "repair"];
        assert_eq!(answers[0]["tools"], json!(tools), "{mode}");
        assert_eq!(answers[1]["result"]["plausible"], true, "{mode}: {}", answers[1]);
        assert!(
            answers[1]["progress"].as_array().unwrap().iter().any(|text| text == "judging the patch"),
            "{}",
            answers[1]
        );
        let wrong = &answers[2]["result"];
        assert_eq!(
            (&wrong["plausible"], &wrong["patches"][0]["outcome"]),
            (&json!(false), &json!("failed")),
            "{wrong}"
        );
        assert!(answers[3]["result"]["result"].as_str().unwrap().contains("cart.py"), "{}", answers[3]);
        assert_eq!(answers[4]["result"]["error"]["code"], "no_cap", "{}", answers[4]);
        if own > 5 {
            assert_eq!(answers[5]["result"]["lines"][0]["file"], "cart.py", "{}", answers[5]);
            assert!(answers[6]["result"]["result"].as_str().unwrap().contains("1 failed"), "{}", answers[6]);
        }
        for (answer, name) in answers[own..].iter().zip(outside) {
            assert_eq!(answer["result"]["error"]["code"], "outside_roots", "{mode}: {name}: {answer}");
        }
        assert!(std::fs::read_to_string(Path::new(&shop).join("cart.py")).unwrap().contains("result -= price"));
    }
}

#[test]
fn the_inspectors_command_line_lists_and_calls_tools() {
    let Some(inspector) = inspector() else { return };
    let projects = Projects::new();
    let config = projects.path("hosts.json");
    let server =
        json!({"command": env!("CARGO_BIN_EXE_unidebug"), "args": ["mcp", "--root", projects.path("granted")]});
    std::fs::write(&config, json!({"mcpServers": {"unidebug": server}}).to_string()).unwrap();
    let home = tempfile::tempdir().unwrap();
    let inspect = |flags: &[&str]| -> Value {
        let mut command = Command::new(&inspector);
        command.args(["--cli", "--config", &config, "--server", "unidebug", "--method"]).args(flags);
        let done = command.env("HOME", home.path()).env("XDG_STATE_HOME", home.path()).output().unwrap();
        serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)))
    };
    assert_eq!(inspect(&["tools/list"])["tools"].as_array().map(Vec::len), Some(6));
    let judged = |project: &str, line: &str| {
        let (bug, patch) = (format!("bug={}", projects.path(project)), format!("patch={}", diff(line)));
        let flags = ["tools/call", "--tool-name", "judge_patch", "--tool-arg", &bug, "--tool-arg", &patch];
        inspect(&flags)["structuredContent"].clone()
    };
    assert_eq!(judged("granted/shop", "result += price")["plausible"], true);
    assert_eq!(judged("granted/shop", "result += 1")["plausible"], false);
    assert_eq!(judged("outside/shop", "result += price")["error"]["code"], "outside_roots");
}

#[test]
fn a_repair_that_a_host_cancels_leaves_nothing_running_and_one_that_ends_is_a_resource() {
    let Some(python) = python() else { return };
    let projects = Projects::new();
    let repair = |step: &str, name: &str| {
        let mut wanted = json!({"args": {"bug": projects.path(name), "max_seconds": 120}});
        wanted[step] = json!("repair");
        wanted
    };
    let steps = json!([repair("cancel", "granted/long"), repair("call", "granted/shop"), {"resources": true}]);
    let plan = json!({"mode": "legacy", "roots": null, "steps": steps});
    let answers = projects.host(python, &plan, &["--root", &projects.path("granted"), "--max-time", "5m"]);
    assert!(answers[0]["during"].as_u64() > Some(0), "{}", answers[0]);
    assert_eq!(answers[0]["after"], answers[0]["before"], "{}", answers[0]);
    let repaired = &answers[1]["result"];
    assert_eq!(repaired["verdict"], "plausible", "{repaired}");
    assert!(repaired["patch"].as_str().unwrap().contains("result += price"), "{repaired}");
    let run = repaired["run"].as_str().unwrap();
    let resources = answers[2]["resources"].as_array().unwrap();
    for file in ["report.json", "report.md", "patch.diff"] {
        assert!(resources.contains(&json!(format!("unidebug://runs/{run}/{file}"))), "{}", answers[2]);
    }
}

/// The status line of an answer to a request with these headers.
fn status_of(port: u16, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{headers}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut line = [0; 12];
    stream.read_exact(&mut line).unwrap();
    String::from_utf8_lossy(&line).into_owned()
}

#[test]
fn over_http_only_this_machine_is_served_and_no_page_of_a_browser() {
    let projects = Projects::new();
    let home = tempfile::tempdir().unwrap();
    let mut server = Unidebug::new(&["mcp", "--http", "0", "--root", &projects.path("granted")]).start(home.path());
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("serving ").unwrap_or_else(|| panic!("{line}")).to_owned();
    let port: u16 = address.trim_start_matches("http://127.0.0.1:").trim_end_matches("/mcp").parse().unwrap();
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    assert_eq!(status_of(port, &own), "HTTP/1.1 200");
    let rebound = format!("Host: evil.example:{port}\r\n");
    for strange in [rebound, format!("{own}Origin: http://evil.example\r\n"), format!("{own}Origin: null\r\n")] {
        assert_eq!(status_of(port, &strange), "HTTP/1.1 403", "{strange}");
    }
    if let Some(python) = python() {
        let look =
            |name: &str| json!({"call": "search_code", "args": {"bug": projects.path(name), "key_words": ["total"]}});
        // Who grants itself more than the server's host did, gets no more.
        let plan = json!({"mode": "auto", "roots": ["/"], "steps": [{"list": true}, look("granted/shop"), look("outside/shop")]});
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
        let done = Command::new(python).args([script, &plan.to_string(), &address]).output().unwrap();
        let answers: Vec<Value> =
            String::from_utf8_lossy(&done.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers[0]["tools"].as_array().map(Vec::len), Some(6), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(answers[1]["error"], false, "{}", answers[1]);
        assert_eq!(answers[2]["result"]["error"]["code"], "outside_roots", "{}", answers[2]);
    }
    server.kill().unwrap();
    server.wait().unwrap();
}
