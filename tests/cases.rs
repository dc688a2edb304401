//! Programs that are tested by inputs and the outputs that are expected: lines of `bugs.jsonl`, and no adapter.

use crate::support::{Endpoint, Finished, Reply, folder_of, unidebug};
use serde_json::{Value, json};
use std::process::Command;

const SMALLER: &str = "import java.util.Scanner;

public class Main {
    static int larger(int a, int b) {
        return a < b ? a : b;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        System.out.println(larger(in.nextInt(), in.nextInt()));
    }
}
";
/// Divides by what may be zero, and never ends for negative numbers.
const STEPS: &str = "def steps(total, size):
    count = 0
    while total != 0:
        total -= size
        count += 1
    return count


total, size = map(int, input().split())
print(steps(total, size), total // size)
";

/// The interpreter itself: what stands on PATH may be a script that finds nothing in a sandbox.
fn python() -> String {
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A set of two bugs: one in Java that is compiled, one in Python that is not.
fn set() -> tempfile::TempDir {
    let java = json!({
        "id": "larger", "directory": "larger/buggy", "fixed": "larger/fixed",
        "compile": "javac -d out src/Main.java", "run": ["java", "-Xshare:auto", "-cp", "out", "Main"], "sources": ["src"],
        "cases": [
            {"name": "equal", "input": "3 3\n", "output": "3\n"},
            {"name": "first", "input": "2 1", "output": "2"},
            {"input_file": "larger/in", "output_file": "larger/out"},
        ],
    });
    let python = json!({
        "id": "steps", "directory": "steps", "run": [python(), "steps.py"], "failing": ["cases#2"],
        "cases": [
            {"input": "4 2", "output": "2 2"}, {"input": "5 2", "output": "3 2"}, {"input": "0 0", "output": "0 0"},
        ],
    });
    folder_of(&[
        ("bugs.jsonl", &format!("{java}\n{python}\n")),
        ("larger/buggy/src/Main.java", SMALLER),
        ("larger/fixed/src/Main.java", &SMALLER.replace("a < b", "a > b")),
        ("larger/in", "5 8\n"),
        ("larger/out", "8\n"),
        ("steps/steps.py", STEPS),
    ])
}

fn run(set: &tempfile::TempDir, bug: &str, endpoint: &Endpoint) -> Finished {
    let (root, url) = (set.path().join("bugs.jsonl"), endpoint.base_url());
    let args = ["run", bug, "--root", root.to_str().unwrap(), "--model", "scripted", "--base-url", &url];
    unidebug(&[&args[..], &["--no-first", "--no-review", "--levels", "L1", "--json"]].concat())
}

/// Locator marks the line; Fixer tries these, one after the other.
fn script(file: &'static str, line: &'static str, fixes: Vec<&'static str>) -> Endpoint {
    Endpoint::start(move |agent, nth, _| match agent {
        "Locator" => Reply::command("goal_accomplished", json!({"marked_code": line, "explanation": "it decides"})),
        _ => {
            let diff = format!("--- a/{file}\n+++ b/{file}\n@@\n-{line}\n+{}\n", fixes[nth - 1]);
            Reply::command("write_fix", json!({"diff": diff, "explanation": "the mark is right"}))
        }
    })
}

/// What became of the candidates, in order, by the journal.
fn outcomes(done: &Finished) -> Vec<String> {
    let run = done.json()["run_dir"].as_str().unwrap().to_owned();
    let walk = unidebug(&["inspect", &run, "--format", "json"]);
    walk.expect_code(0);
    let walk: Value = serde_json::from_str(&walk.stdout).unwrap();
    let cycles = walk["runs"].as_array().unwrap().iter().flat_map(|run| run["cycles"].as_array().unwrap().clone());
    let candidates = cycles.flat_map(|cycle| cycle["candidates"].as_array().unwrap().clone());
    candidates.map(|candidate| candidate["outcome"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_compiled_program_is_repaired_by_what_it_prints() {
    let set = set();
    let fixes = vec!["        return a < b ? a ;", "        return b;", "        return a > b ? a : b;"];
    let endpoint = script("src/Main.java", "        return a < b ? a : b;", fixes);
    let done = run(&set, "jsonl:larger", &endpoint);
    done.expect_code(0);
    let report = done.json();
    assert_eq!((&report["verdict"], &report["correct"]), (&json!("plausible"), &json!(true)), "{done}");
    // Both failing cases trigger; the second candidate passes one of them and breaks none that passed.
    assert_eq!(outcomes(&done), ["compile_error", "failed", "plausible"]);
    let prompt = endpoint.served_to("Locator")[0].prompt();
    for part in ["cases#3", "wrong output", "5 8", "expected output", "Main.java"] {
        assert!(prompt.contains(part), "{part} is not in the prompt:\n{prompt}");
    }
    let later = endpoint.served_to("Fixer")[2].prompt();
    assert!(later.contains("cases#first"), "what the second candidate failed is told:\n{later}");
}

#[test]
fn a_program_that_does_not_end_and_one_that_breaks_are_told_apart() {
    let set = set();
    let fixes = vec!["    while total != size:", "    while total > 0:"];
    let endpoint = script("steps.py", "    while total != 0:", fixes);
    let done = run(&set, "jsonl:steps", &endpoint);
    done.expect_code(0);
    assert_eq!(done.json()["verdict"], "plausible", "{done}");
    assert_eq!(outcomes(&done), ["timeout", "plausible"]);
    let prompt = endpoint.served_to("Locator")[0].prompt();
    assert!(prompt.contains("cases#2") && prompt.contains("5 2") && prompt.contains("steps.py"), "{prompt}");
}

/// The expected output lies beside the program: who prints it must not find it.
#[test]
fn a_program_does_not_find_the_outputs_that_are_expected() {
    let program = "a, b = map(int, input().split())\nprint(a - b)\n";
    let line = json!({
        "id": "sum", "directory": "sum", "run": [python(), "sum.py"],
        "cases": [{"input": "4 2", "output_file": "sum/cases/1.out"}, {"input": "0 0", "output": "0"}],
    });
    let set = folder_of(&[("bugs.jsonl", &format!("{line}\n")), ("sum/sum.py", program), ("sum/cases/1.out", "6\n")]);
    let fixes = vec![
        "import os\nif a: print(open('cases/1.out').read()) if os.path.exists('cases/1.out') else print(a - b)\nelse: print(0)",
        "print(a + b)",
    ];
    let done = run(&set, "jsonl:sum", &script("sum.py", "print(a - b)", fixes));
    done.expect_code(0);
    assert_eq!(outcomes(&done), ["failed", "plausible"], "{done}");
    assert!(set.path().join("sum/cases/1.out").is_file(), "the user's own file stays");
}

#[test]
fn what_a_case_lacks_is_named_with_its_line() {
    let set = folder_of(&[(
        "bugs.jsonl",
        "{\"id\":\"a\",\"directory\":\".\",\"run\":\"x\",\"cases\":[{\"input\":\"1\"}]}\n",
    )]);
    let root = set.path().join("bugs.jsonl");
    let done = unidebug(&["bugs", "jsonl", "--root", root.to_str().unwrap()]);
    done.expect_code(3);
    assert!(
        done.stderr.contains("case `1` needs one of `output` and `output_file`")
            && done.stderr.contains("bugs.jsonl:1"),
        "{done}"
    );
}

#[test]
fn the_engine_repairs_a_program_of_one_file_that_nobody_measures() {
    let set = set();
    let root = set.path().join("bugs.jsonl");
    let done = unidebug(&["run", "jsonl:larger", "--root", root.to_str().unwrap(), "--model", "builtin", "--json"]);
    done.expect_code(0);
    assert_eq!(done.json()["correct"], true, "{done}");
}
