//! Real programs of QuixBugs in Python on every level, where a clone is: `UNIDEBUG_QUIXBUGS_ROOT`.

use crate::python::usual;
use crate::support::{Endpoint, Finished, Reply, in_parallel, unidebug};
use serde_json::{Value, json};

/// A program with its wrong line, what is tried in its place and does not help, and the repair.
#[derive(Clone, Copy)]
struct Program {
    name: &'static str,
    wrong: &'static str,
    tried: &'static str,
    right: &'static str,
}

const GCD: Program = Program {
    name: "gcd",
    wrong: "        return gcd(a % b, b)",
    tried: "        return gcd(a, b)",
    right: "        return gcd(b, a % b)",
};
const FLATTEN: Program = Program {
    name: "flatten",
    wrong: "            yield flatten(x)",
    tried: "            yield [x]",
    right: "            yield x",
};
const FIND_IN_SORTED: Program = Program {
    name: "find_in_sorted",
    wrong: "            return binsearch(mid, end)",
    tried: "            return binsearch(mid + 2, end)",
    right: "            return binsearch(mid + 1, end)",
};

fn fix(program: Program, line: &str) -> Value {
    let file = format!("python_programs/{}.py", program.name);
    json!({"diff": format!("--- a/{file}\n+++ b/{file}\n@@\n-{}\n+{line}\n", program.wrong), "explanation": "the mark is right"})
}

/// Runs a program against a script in which Fixer finds the repair on that level, and tries something else before.
fn repaired_on(root: &str, program: Program, level: usize) -> (Finished, Endpoint) {
    let file = format!("python_programs/{}.py", program.name);
    let endpoint = Endpoint::start(move |agent, nth, body| {
        let messages = body["messages"].to_string();
        assert!(!messages.contains(program.right.trim()), "{}: the repair was shown", program.name);
        assert!(!messages.contains("correct_python_programs"), "{}: where the repair lies was shown", program.name);
        // On each level below the wanted one: a patch that fails, then the end.
        match (agent, nth) {
            ("Fixer", nth) if nth == 2 * level - 1 => Reply::command("write_fix", fix(program, program.right)),
            ("Fixer", 1) => Reply::command("write_fix", fix(program, program.tried)),
            ("Fixer", nth) if nth % 2 == 1 => {
                Reply::command("write_fix", fix(program, &format!("{}  # again", program.wrong)))
            }
            _ => usual(agent, &file, program.wrong, "", program.name),
        }
    });
    let (bug, url) = (format!("quixbugs-python:{}", program.name), endpoint.base_url());
    let args = ["run", &bug, "--root", root, "--model", "scripted", "--base-url", &url, "--no-review", "--json"];
    (unidebug(&[&args[..], &["--no-first", "--levels", "L1..L3", "--without", "skipping"]].concat()), endpoint)
}

fn check(root: &str, program: Program, level: usize) {
    let (done, endpoint) = repaired_on(root, program, level);
    done.expect_code(0);
    let report = done.json();
    assert_eq!((&report["verdict"], &report["level"]), (&json!("plausible"), &json!(level)), "{done}");
    assert_eq!(report["correct"], true, "{done}");
    let requests = |agent: &str| endpoint.served_to(agent).len();
    assert_eq!(requests("Locator"), level, "{}: every level begins with its own search", program.name);
    assert_eq!(requests("Slicer") > 0, level > 1, "{}", program.name);
    assert_eq!(requests("RepoFocus") > 0, level > 2, "{}", program.name);
    eprintln!(
        "{} on L{level}: {} requests, {} candidates, {:.1} s, of these {:.1} s tests",
        program.name,
        endpoint.served().len(),
        report["candidates"]["proposed"],
        report["seconds"]["wall"].as_f64().unwrap(),
        report["seconds"]["tests"].as_f64().unwrap()
    );
}

#[test]
fn a_scripted_endpoint_repairs_real_python_programs_from_level_1_to_level_3() {
    let Ok(root) = std::env::var("UNIDEBUG_QUIXBUGS_ROOT") else {
        eprintln!("quixbugs-python is left out: it needs UNIDEBUG_QUIXBUGS_ROOT, a clone of jkoppel/QuixBugs");
        return;
    };
    let wanted = vec![(GCD, 1), (FLATTEN, 2), (GCD, 3), (FLATTEN, 3), (FIND_IN_SORTED, 3)];
    in_parallel(2, wanted, |(program, level)| check(&root, program, level));
}
