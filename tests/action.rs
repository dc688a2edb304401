//! The action for pull requests: its steps run as scripts on a repository with a red test, with a stand-in for `gh`.

use crate::support::folder_of;
use serde_json::Value;
use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// The folder of the action.
const ACTION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/action");
/// Keeps what it was asked and the comment; knows one comment after the first.
const GH: &str = "#!/bin/sh\necho \"$@\" >> \"$HOME/asked.txt\"\n\
    for word in \"$@\"; do case \"$word\" in body=@*) cat \"${word#body=@}\" > \"$HOME/comment.txt\";; esac; done\n\
    case \"$*\" in *--jq*) [ ! -f \"$HOME/comment.txt\" ] || echo 77;; esac\n";

/// What a step of the action runs, and what its variables are made of.
fn step(name: &str) -> (String, Vec<(String, String)>) {
    let action = std::fs::read_to_string(Path::new(ACTION).join("action.yml")).unwrap();
    let text = action.split(&format!("- name: {name}\n")).nth(1).unwrap();
    let text = text.split("- name:").next().unwrap();
    let value = |line: &str| line.split_once(": ").map(|(key, value)| (key.trim().to_owned(), value.to_owned()));
    let run = text.lines().find_map(|line| value(line).filter(|(key, _)| key == "run")).unwrap().1;
    let variables = text.split("env:\n").nth(1).unwrap_or("").lines().filter_map(value).collect();
    (run, variables)
}

/// A repository whose project lies in a folder of its own, and a runner for it.
struct Runner {
    folder: tempfile::TempDir,
}

impl Runner {
    fn new(line: &str) -> Self {
        let cart = format!(
            "def total(prices):\n    result = 0\n    for price in prices:\n        {line}\n    return result\n"
        );
        let test = "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n";
        let folder = folder_of(&[
            ("repository/shop/cart.py", &cart),
            ("repository/shop/test_cart.py", test),
            ("bin/gh", GH),
            ("home/.keep", ""),
            ("temp/.keep", ""),
        ]);
        std::fs::set_permissions(folder.path().join("bin/gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs a step as GitHub's runner does: inputs and results of earlier steps take the place of expressions.
    fn run(&self, name: &str, expressions: &[(&str, &str)]) -> Output {
        let (run, variables) = step(name);
        let known: HashMap<&str, &str> = expressions.iter().copied().collect();
        let program = Path::new(env!("CARGO_BIN_EXE_unidebug")).parent().unwrap().display().to_string();
        let mut command = Command::new("bash");
        command
            .args(["-e", "-c", &run])
            .current_dir(self.path("repository"))
            .env("PATH", format!("{}:{program}:{}", self.path("bin"), std::env::var("PATH").unwrap()))
            .env("HOME", self.path("home"))
            .env("UNIDEBUG_CACHE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .env("GITHUB_ACTION_PATH", ACTION)
            .env("GITHUB_WORKSPACE", self.path("repository"))
            .env("GITHUB_REPOSITORY", "me/shop")
            .env("GITHUB_OUTPUT", self.path("output.txt"))
            .env("GITHUB_STEP_SUMMARY", self.path("summary.md"))
            .env("RUNNER_TEMP", self.path("temp"));
        for (variable, expression) in variables {
            let named = expression.trim_start_matches("${{ ").trim_end_matches(" }}");
            command.env(variable, known.get(named).copied().unwrap_or(""));
        }
        command.output().unwrap()
    }

    /// What the steps so far gave.
    fn output(&self, name: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.path("output.txt")).unwrap_or_default();
        let values = text.lines().filter_map(|line| line.split_once('='));
        values.filter(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).next_back()
    }
}

fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_red_test_gets_annotations_a_comment_and_findings_and_nothing_is_changed() {
    let runner = Runner::new("result -= price");
    assert!(runner.run("Install", &[]).status.success());
    let inputs = [("inputs.directory", "shop"), ("inputs.max-time", "60s"), ("inputs.apply", "false")];
    let repaired = runner.run("Repair", &inputs);
    assert!(repaired.status.success(), "{}", printed(&repaired));
    assert!(printed(&repaired).contains("::warning file=shop/cart.py,line="), "{}", printed(&repaired));
    assert_eq!(runner.output("verdict").as_deref(), Some("plausible"));
    let findings: Value =
        serde_json::from_str(&std::fs::read_to_string(runner.output("sarif").unwrap()).unwrap()).unwrap();
    let change = &findings["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "shop/cart.py");
    assert!(change["replacements"][0]["insertedContent"]["text"].as_str().unwrap().contains("+= price"), "{change}");
    let file = std::fs::read_to_string(Path::new(&runner.path("repository")).join("shop/cart.py")).unwrap();
    assert!(file.contains("-= price"), "the work tree was changed");
    let patch = std::fs::read_to_string(runner.output("patch").unwrap()).unwrap();
    let comment = runner.output("comment").unwrap();
    let results = [("steps.repair.outputs.comment", comment.as_str()), ("github.event.pull_request.number", "12")];
    for method in ["--method POST repos/me/shop/issues/12/comments", "--method PATCH repos/me/shop/issues/comments/77"]
    {
        let commented = runner.run("Comment", &results);
        assert!(commented.status.success(), "{}", printed(&commented));
        let calls = std::fs::read_to_string(runner.path("home/asked.txt")).unwrap();
        assert!(calls.lines().next_back().unwrap().contains(method), "{calls}");
    }
    let text = std::fs::read_to_string(runner.path("home/comment.txt")).unwrap();
    assert!(text.starts_with("<!-- unidebug -->\n### unidebug: a patch that passes every test\n"), "{text}");
    for part in ["test_cart#test_total", "**Cause:**", patch.trim_end(), "needs a review", "no model asked"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn a_model_needs_a_cap_and_a_project_without_a_failing_test_is_a_warning() {
    let runner = Runner::new("result += price");
    let green = runner.run("Repair", &[("inputs.directory", "shop"), ("inputs.max-time", "60s")]);
    assert!(green.status.success() && printed(&green).contains("::warning::"), "{}", printed(&green));
    assert_eq!((runner.output("verdict"), runner.output("comment")), (None, None));
    let uncapped = runner.run("Repair", &[("inputs.directory", "shop"), ("inputs.model", "gpt-4o-mini")]);
    assert_eq!(uncapped.status.code(), Some(2), "{}", printed(&uncapped));
    // What a pull request can name is a value, never a command.
    let evil = [("inputs.directory", "shop"), ("inputs.failing", "$(touch broken); `touch broken`\n")];
    runner.run("Repair", &evil);
    assert!(!Path::new(&runner.path("repository/broken")).exists());
}
