//! A bug whose project builds nothing and tests itself by a shell script: runs of it take half a second, and all that is
//! started, judged and journaled is real.
#![allow(dead_code)]

use super::{Endpoint, Reply, Unidebug, write_files};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// Price of one token, sent or received.
pub const USD_PER_TOKEN: f64 = 1e-6;

const SOURCE: &str = "package gate;

/** Lets people in. */
public class Gate {
    /** Whether somebody of this age may pass. */
    public boolean open(int age, int limit) {
        return age > limit;
    }

    /** What it costs. */
    public int price(int age) {
        return age < 18 ? 5 : 10;
    }
}
";

const TEST: &str = "package gate;

import static org.junit.Assert.*;
import org.junit.Test;

public class GateTest {
    @Test public void atTheLimit() {
        assertTrue(new Gate().open(18, 18));
    }

    @Test public void below() {
        assertFalse(new Gate().open(17, 18));
    }
}
";

/// Passes when the source compares as it should.
const SCRIPT: &str = r#"mkdir -p target/surefire-reports
bad='<failure type="java.lang.AssertionError" message="the gate is shut">at gate.GateTest.atTheLimit(GateTest.java:8)</failure>'
grep -q 'age >= limit;' src/Gate.java && bad=
cat > target/surefire-reports/TEST-gate.GateTest.xml <<END
<testsuite name="gate.GateTest" tests="2"><testcase classname="gate.GateTest" name="atTheLimit" time="0">$bad</testcase><testcase classname="gate.GateTest" name="below" time="0"/></testsuite>
END
"#;

/// The project, prices and run directories in a folder of their own.
pub struct Gate {
    folder: tempfile::TempDir,
}

impl Gate {
    pub fn new() -> Self {
        Self::tested_by(SCRIPT)
    }

    /// The same with more in front of its test script.
    pub fn with_script(before: &str) -> Self {
        Self::tested_by(&format!("{before}\n{SCRIPT}"))
    }

    fn tested_by(script: &str) -> Self {
        let gate = Self { folder: tempfile::tempdir().unwrap() };
        let price =
            json!({"scripted": {"input_cost_per_token": USD_PER_TOKEN, "output_cost_per_token": USD_PER_TOKEN}});
        let files = [
            ("bug/src/Gate.java", SOURCE),
            ("bug/test/GateTest.java", TEST),
            ("bug/check.sh", script),
            ("prices.json", &price.to_string()),
        ];
        write_files(gate.path(""), &files);
        gate
    }

    /// A file of the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The run directory.
    pub fn run_dir(&self) -> PathBuf {
        self.path("run")
    }

    /// The journal of the run directory.
    pub fn journal(&self) -> PathBuf {
        self.run_dir().join("run.journal")
    }

    /// Whether a run was begun there.
    pub fn has_begun(&self) -> bool {
        self.run_dir().join("config.json").exists()
    }

    /// `unidebug run` on the bug, into the run directory.
    pub fn run(&self, endpoint: &Endpoint, more: &[&str]) -> Unidebug {
        let (bug, out, prices, url) =
            (self.text("bug"), self.text("run"), self.text("prices.json"), endpoint.base_url());
        let args = ["run", &bug, "--test", "sh check.sh", "--out", &out, "--prices", &prices, "--base-url", &url];
        let args =
            [&args[..], &["--model", "scripted", "--no-first", "--json", "--without", "skipping"], more].concat();
        Unidebug::new(&args).env("OPENAI_API_KEY", "sk-gate-0123456789abcdef")
    }

    /// Another command on the run directory.
    pub fn on_run(&self, command: &str, more: &[&str]) -> Unidebug {
        let run = self.text("run");
        let args = [&[command, &run, "--json"], more].concat();
        Unidebug::new(&args).env("OPENAI_API_KEY", "sk-gate-0123456789abcdef")
    }

    /// `unidebug resume`.
    pub fn resume(&self, more: &[&str]) -> Unidebug {
        self.on_run("resume", more)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

/// A patch that makes `open` compare so.
pub fn fix(comparison: &str) -> Reply {
    let diff = format!(
        "--- a/src/Gate.java\n+++ b/src/Gate.java\n@@\n     public boolean open(int age, int limit) {{\n-        return \
         age > limit;\n+        return {comparison};\n     }}\n"
    );
    Reply::command("write_fix", json!({"diff": diff, "analysis": "the limit itself is allowed"}))
}

/// What an agent answers to its n-th question: the bug is repaired by Fixer on level 3, after two failed levels.
pub fn up_to_level_3(agent: &str, nth: usize) -> Reply {
    let done = |args: Value| Reply::command("goal_accomplished", args);
    match (agent, nth) {
        ("Locator", _) => {
            done(json!({"marked_code": "return age > limit; // buggy line", "explanation": "the limit is left out"}))
        }
        ("Fixer", 1) => {
            Reply::command("read_range", json!({"file_path": "src/Gate.java", "start_line": 1, "end_line": 13}))
        }
        ("Fixer", 2) => fix("age >= limit + 1"),
        ("Fixer", 5) => fix("age >= limit"),
        ("Fixer", _) => done(json!({"explanation": format!("I cannot see it ({nth})")})),
        ("FixerPro", 1) => Reply::command("search_code_base", json!({"key_words": ["limit"]})),
        ("FixerPro", _) => done(json!({"analysis": format!("the bound is unclear ({nth})")})),
        ("Slicer", _) => done(json!({
            "first_line": "    public boolean open(int age, int limit) {", "last_line": "        return age > limit;",
            "explanation": "open decides"
        })),
        ("Summarizer", _) => done(json!({
            "summary": [{"class": "Gate", "method": "open", "returns": "whether one may pass", "description": "compares"}],
            "explanation": "a gate"
        })),
        // Refused, and refused again: it names a source that it was not shown.
        ("Helper", _) => done(
            json!({"reference": "compare with >=", "sources": [format!("hearsay {nth}")], "explanation": "bounds"}),
        ),
        ("RepoFocus", _) => done(json!({"files": ["src/Gate.java"], "explanation": "the only file"})),
        other => panic!("nobody asks as {other:?}"),
    }
}

/// An endpoint that answers by what is asked, not by how often: the same question gets the same answer. Every answer
/// takes a moment, so that a kill can hit requests on their way.
pub fn steady(pause: Duration, script: impl Fn(&str, usize) -> Reply + Send + Sync + 'static) -> Endpoint {
    let bodies_of: Mutex<HashMap<String, Vec<Value>>> = Mutex::default();
    Endpoint::start(move |agent, _, body| {
        let nth = {
            let mut bodies_of = bodies_of.lock().unwrap();
            let bodies = bodies_of.entry(agent.to_owned()).or_default();
            let at = bodies.iter().position(|known| known == body).unwrap_or_else(|| {
                bodies.push(body.clone());
                bodies.len() - 1
            });
            at + 1
        };
        Reply::After(pause, Box::new(script(agent, nth)))
    })
}

/// The dollars that an endpoint's ledger comes to.
#[allow(clippy::cast_precision_loss)]
pub fn dollars(served: &[super::Served]) -> f64 {
    served.iter().map(|served| (served.tokens.0 + served.tokens.1) as f64).sum::<f64>() * USD_PER_TOKEN
}

/// A file's bytes, changed.
pub fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(path).unwrap();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}
