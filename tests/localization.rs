//! `unidebug bench localization`: rankings against what developers changed, on real projects.

use crate::support::{Finished, unidebug};
use std::fs;
use std::path::Path;

const FORMULAS: [&str; 6] = ["ochiai", "dstar", "tarantula", "op2", "barinel", "no formula"];

fn bench(args: &[&str]) -> Finished {
    let mut all = vec!["bench", "localization"];
    all.extend(args);
    unidebug(&all)
}

/// A list of one bug, repaired by a patch: totals forget the last price, and a test that passes runs the same class.
fn list_of_bugs(folder: &Path, repair: &str) {
    let till = "public class Till {\n    public static int total(int[] prices) {\n        int sum = 0;\n        \
        for (int i = 0; i < prices.length - 1; i++) {\n            sum += prices[i];\n        }\n        \
        return sum;\n    }\n    public static int first(int[] prices) {\n        return prices[0];\n    }\n}\n";
    let test = "import org.junit.Test;\nimport static org.junit.Assert.assertEquals;\npublic class TillTest {\n    \
        @Test public void addsAll() { assertEquals(5, Till.total(new int[] {2, 3})); }\n    \
        @Test public void first() { assertEquals(2, Till.first(new int[] {2, 3})); }\n}\n";
    let fix = "--- a/src/Till.java\n+++ b/src/Till.java\n@@ -3,3 +3,3 @@\n         int sum = 0;\n\
        -        for (int i = 0; i < prices.length - 1; i++) {\n\
        +        for (int i = 0; i < prices.length; i++) { // a-canary-of-the-repair\n             sum += prices[i];\n";
    for (path, text) in [("till/src/Till.java", till), ("till/test/TillTest.java", test), ("till.diff", fix)] {
        fs::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
        fs::write(folder.join(path), text).unwrap();
    }
    let line =
        format!("{{\"id\": \"Till-1\", \"directory\": \"till\", {repair} \"failing\": [\"TillTest::addsAll\"]}}\n");
    fs::write(folder.join("bugs.jsonl"), line).unwrap();
}

/// A ranking and findings that other tools made are what agents and tools see.
#[test]
fn what_other_tools_found_out_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let rows = "name;suspiciousness_value\nbuffers$RingBuffer#offer(java.lang.Object):58;0.9\nbuffers$RingBuffer#isFull():48;0.4\nbuffers$Gone#x():1;1.0\n";
    fs::write(at("ranking.csv"), rows).unwrap();
    let tool = |name: &str, args: &str, more: [&str; 2]| {
        let done = unidebug(&["tool", name, "--bug", "fixtures:ring-buffer", "--args", args, more[0], more[1]]);
        done.expect_code(0);
        done
    };
    let ranked = tool("run_fault_localization", "{}", ["--localization", &at("ranking.csv")]);
    let lines: Vec<&str> = ranked.stdout.lines().collect();
    assert!(lines[0].contains("given by ranking.csv"), "{ranked}");
    assert!(lines[1].starts_with("0.900 src/buffers/RingBuffer.java:58") && lines[1].contains("0.9 by ranking.csv"));
    assert!(lines[2].contains("RingBuffer.java:48") && lines[2].contains("RingBuffer.isFull()"), "{ranked}");
    let sarif = r#"{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "PMD"}}, "results": [{"ruleId": "Odd",
        "message": {"text": "suspicious bound"}, "locations": [{"physicalLocation": {"artifactLocation":
        {"uri": "file:///elsewhere/src/buffers/RingBuffer.java"}, "region": {"startLine": 48}}}]}]}]}"#;
    fs::write(at("pmd.sarif"), sarif).unwrap();
    let found = tool("static_analysis", r#"{"file_path": "RingBuffer.java"}"#, ["--analysis", &at("pmd.sarif")]);
    assert!(found.stdout.contains("line 48: suspicious bound (PMD Odd, warning) | return size"), "{found}");
    for (flag, text, notice) in [
        ("--localization", "Nothing.java,1,0.5\n", "none of its 1 lines names a line of this code"),
        ("--analysis", "{}", "it has no `runs`"),
    ] {
        fs::write(at("wrong.csv"), text).unwrap();
        let done = unidebug(&["run", "fixtures:ring-buffer", "--model", "builtin", flag, &at("wrong.csv")]);
        done.expect_code(3);
        assert!(done.stderr.contains(notice), "{done}");
    }
    let done = unidebug(&["run", "fixtures:ring-buffer", "--localization", "spectral"]);
    done.expect_code(2);
    assert!(done.stderr.contains("spectrum, perfect, file, none"), "{done}");
}

#[test]
fn fixtures_are_measured_by_every_formula() {
    let done = bench(&["fixtures:r*", "--format", "json"]);
    done.expect_code(0);
    let table = done.json();
    let bugs = table["bugs"].as_array().unwrap();
    assert_eq!(bugs.len(), 2, "{done}");
    for formula in FORMULAS {
        let scores = &table["formulas"][formula];
        assert_eq!(scores["bugs"], 2, "{formula}");
        let tops: Vec<u64> = ["top1", "top3", "top5", "top10"].map(|n| scores["line"][n].as_u64().unwrap()).to_vec();
        assert!(tops.windows(2).all(|pair| pair[0] <= pair[1]), "{formula}: {tops:?}");
        assert_eq!(scores["file"]["top1"], 2, "{formula}: one product file each");
    }
    assert!(bugs[0]["tests"]["passing"].as_u64().unwrap() > 0, "the spectrum holds passing tests: {done}");
    let again = bench(&["fixtures:r*", "--format", "json"]);
    assert_eq!(again.json(), table, "the same ranking every time");
}

#[test]
fn a_list_of_bugs_is_measured_and_repaired_and_keeps_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    list_of_bugs(folder.path(), "\"patch\": \"till.diff\",");
    let root = folder.path().join("bugs.jsonl");
    let root = root.to_str().unwrap();
    let done = bench(&["jsonl", "--root", root, "--formula", "dstar", "--format", "md"]);
    done.expect_code(0);
    assert!(done.stdout.contains("| dstar | 0/1/1/1 | 1/1/1/1 | 1/1/1/1 |"), "{done}");
    assert!(done.stdout.contains("| jsonl:Till-1 | 2 | 1 | 1 |"), "{done}");
    assert!(!done.stdout.contains("| ochiai"), "only what was asked for: {done}");
    let repaired = unidebug(&["run", "jsonl:Till-1", "--root", root, "--formula", "op2", "--json"]);
    repaired.expect_code(0);
    let report = repaired.json();
    assert_eq!(report["verdict"], "plausible");
    assert_eq!(report["localization"], "spectrum");
    let run = Path::new(report["run_dir"].as_str().unwrap());
    for name in ["run.journal", "patch.diff", "config.json"] {
        let text = fs::read_to_string(run.join(name)).unwrap();
        assert!(!text.contains("a-canary-of-the-repair"), "{name} holds the developer's patch");
    }
    let journal = fs::read_to_string(run.join("run.journal")).unwrap();
    assert!(journal.contains("op2+trace+calls"), "the ranking was made by the formula that was asked for");
}

#[test]
fn what_cannot_be_measured_is_said() {
    let folder = tempfile::tempdir().unwrap();
    list_of_bugs(folder.path(), "");
    let root = folder.path().to_str().unwrap();
    let done = bench(&["jsonl", "--root", root]);
    done.expect_code(3);
    assert!(done.stderr.contains("without a developer's repair"), "{done}");
    bench(&["jsonl"]).expect_code(3);
    bench(&["fixtures:zzz*"]).expect_code(2);
    let done = bench(&["fixtures:ring-buffer", "--formula", "zoltar"]);
    done.expect_code(2);
    assert!(done.stderr.contains("there is ochiai, dstar"), "{done}");
}
