//! A line of `data/bugs/PROJECT.json`: one bug, as the benchmark collected it.
//!
//! The lines hold the repair beside the tests' logs; what of a line stays in memory is here, and no agent sees any of it
//! but the names of failing tests.

use crate::benchmark::choose::Day;
use crate::benchmark::error::Malformed;
use crate::domain::TestId;
use serde::Deserialize;

/// Letters of a commit's hash in a bug's name.
const SHORT: usize = 12;
/// Hex digits of the longest hash of a commit.
const LONGEST: usize = 64;
/// How a history may be fetched: never by a protocol that runs a command.
const SCHEMES: [&str; 4] = ["https", "http", "git", "file"];
/// How the bug was found where its own tests failed before the repair, and nothing of the tests had to be changed.
const FAIL_PASS: &str = "FAIL_PASS";

/// What is known of a bug.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// `owner/name`.
    pub repository: String,
    /// Where its history can be had.
    pub clone_url: String,
    /// The repaired commit.
    pub commit: String,
    /// The commit before it.
    pub previous: String,
    /// What the developer changed in the product: forward, from buggy to repaired.
    pub bug_patch: String,
    /// What the developer changed in tests.
    pub test_patch: String,
    /// What the developer changed besides: build files, data.
    pub other_patch: String,
    /// Who built it in the collection: `maven`, `gradle`.
    pub build_tool: String,
    /// The issue's title, when there is one that is no pull request.
    pub issue: Option<String>,
    /// The day of the repaired commit.
    pub repaired: Option<String>,
    /// Tests that failed with the bug and passed with the repair.
    pub failing: Vec<Failing>,
}

/// A failing test as JUnit's XML named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failing {
    class: String,
    name: String,
}

impl Failing {
    /// The test, by its method: names with parameters differ from one runner to the next. A name of the test's own
    /// choice tells no method: then its class is meant.
    pub(super) fn test(&self) -> TestId {
        let bare = self.name.split(['(', '[', '{']).next().unwrap_or_default();
        let identifier = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let is_method = bare.starts_with(|c: char| !c.is_ascii_digit()) && bare.chars().all(identifier);
        TestId::new(self.class.clone(), if is_method { bare } else { "" })
    }
}

#[derive(Deserialize)]
struct Line {
    repository: String,
    clone_url: String,
    commit_hash: String,
    previous_commit_hash: String,
    #[serde(default)]
    bug_patch: String,
    #[serde(default)]
    test_patch: String,
    #[serde(default)]
    non_code_patch: String,
    #[serde(default)]
    strategy: String,
    /// Runs of the commit before, of the same with the new tests, and of the repaired one.
    #[serde(default)]
    actions_runs: Vec<Option<Vec<Run>>>,
    #[serde(default)]
    commit_timestamp: Option<String>,
    #[serde(default)]
    issues: Vec<Issue>,
}

#[derive(Deserialize)]
struct Run {
    #[serde(default)]
    tests: Vec<Test>,
    #[serde(default)]
    build_tool: Option<String>,
}

#[derive(Deserialize)]
struct Test {
    classname: Option<String>,
    name: Option<String>,
    #[serde(default)]
    results: Vec<ActionResult>,
}

#[derive(Deserialize)]
struct ActionResult {
    result: String,
}

#[derive(Deserialize)]
struct Issue {
    title: Option<String>,
    #[serde(default)]
    is_pull_request: bool,
}

/// The day of a time such as `2024-05-31T09:45:52Z`.
fn day(time: &str) -> Option<String> {
    time.get(..10).filter(|day| day.parse::<Day>().is_ok()).map(str::to_owned)
}

impl Record {
    /// Reads a line.
    ///
    /// # Errors
    /// One line on what is wrong with it.
    pub(super) fn read(line: &str) -> Result<Self, Malformed> {
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        for commit in [&line.commit_hash, &line.previous_commit_hash] {
            if !(SHORT..=LONGEST).contains(&commit.len()) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(format!("`{commit}` is no commit").into());
            }
        }
        if !is_repository(&line.repository) {
            return Err(format!("`{}` is no repository: it is written `owner/name`", line.repository).into());
        }
        if !is_address(&line.clone_url) {
            let schemes = SCHEMES.join(", ");
            return Err(format!("`{}` is no address of one of {schemes}", line.clone_url.escape_debug()).into());
        }
        let run = |at: usize| line.actions_runs.get(at).and_then(Option::as_ref).map_or(&[][..], Vec::as_slice);
        let failing =
            |at: usize| run(at).iter().flat_map(|run| &run.tests).filter_map(Test::failed).collect::<Vec<_>>();
        let before = failing(usize::from(line.strategy != FAIL_PASS));
        let after = failing(2);
        let build_tool = run(2).first().and_then(|run| run.build_tool.clone()).unwrap_or_default();
        let issue = line.issues.iter().find(|issue| !issue.is_pull_request).and_then(|issue| issue.title.clone());
        Ok(Self {
            failing: before.into_iter().filter(|test| !after.contains(test)).collect(),
            repository: line.repository,
            clone_url: line.clone_url,
            commit: line.commit_hash,
            previous: line.previous_commit_hash,
            bug_patch: line.bug_patch,
            test_patch: line.test_patch,
            other_patch: line.non_code_patch,
            build_tool,
            issue,
            repaired: line.commit_timestamp.as_deref().and_then(day),
        })
    }

    /// The project's name: `owner-name`.
    pub(super) fn project(&self) -> String {
        self.repository.replace('/', "-")
    }

    /// The bug's name: `owner-name-0a1b2c3d4e5f`.
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.project(), &self.commit[..SHORT])
    }

    /// The triggering tests, each once; `None` when the benchmark names none.
    pub(super) fn triggering(&self) -> Option<Vec<TestId>> {
        let mut tests: Vec<TestId> = self.failing.iter().map(Failing::test).collect();
        tests.sort();
        tests.dedup();
        // A class stands for its methods.
        let classes: Vec<TestId> = tests.iter().filter(|test| test.method.is_empty()).cloned().collect();
        tests.retain(|test| test.method.is_empty() || classes.iter().all(|class| class.class != test.class));
        (!tests.is_empty()).then_some(tests)
    }
}

impl Test {
    fn failed(&self) -> Option<Failing> {
        let failed = self.results.iter().any(|word| matches!(word.result.as_str(), "Failure" | "Error"));
        let (class, name) = (self.classname.clone()?, self.name.clone()?);
        (failed && !class.is_empty()).then_some(Failing { class, name })
    }
}

/// `owner/name` of plain words: it becomes the name of a folder.
fn is_repository(text: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    text.split_once('/').is_some_and(|(owner, name)| word(owner) && word(name))
}

/// An address that git may be given: no option of its, and no way to start a program.
fn is_address(text: &str) -> bool {
    let plain = |c: char| !c.is_whitespace() && !c.is_control();
    text.chars().all(plain)
        && text
            .split_once("://")
            .is_some_and(|(scheme, rest)| SCHEMES.contains(&scheme) && !rest.is_empty() && !rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn line(strategy: &str) -> Value {
        let test = |name: &str, result: &str| json!({"classname": "g.GateTest", "name": name, "time": 0.1, "results": [{"result": result}]});
        let run = |tests: Vec<Value>| json!([{"failed": false, "build_tool": "maven", "tests": tests}]);
        json!({
            "repository": "acme/gate", "clone_url": "https://example.org/acme/gate.git", "strategy": strategy,
            "commit_hash": "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
            "previous_commit_hash": "1a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
            "actions_runs": [
                run(vec![test("old", "Failure"), test("broken", "Failure")]),
                run(vec![test("opens", "Failure"), test("shuts(int)[2]", "Error"), test("broken", "Failure"), test("other", "Passed")]),
                run(vec![test("opens", "Passed"), test("broken", "Failure")]),
            ],
            "issues": [{"title": "Repair it", "is_pull_request": true}, {"title": "The gate is shut"}],
        })
    }

    fn names(record: &Record) -> Vec<String> {
        record.triggering().unwrap().iter().map(TestId::to_string).collect()
    }

    #[test]
    fn failing_tests_are_those_that_the_repair_mends() {
        let record = Record::read(&line("PASS_PASS").to_string()).unwrap();
        assert_eq!((record.name().as_str(), record.project().as_str()), ("acme-gate-0a1b2c3d4e5f", "acme-gate"));
        assert_eq!(names(&record), ["g.GateTest#opens", "g.GateTest#shuts"]);
        assert_eq!((record.build_tool.as_str(), record.issue.as_deref()), ("maven", Some("The gate is shut")));
        assert_eq!(names(&Record::read(&line(FAIL_PASS).to_string()).unwrap()), ["g.GateTest#old"]);
    }

    #[test]
    fn a_name_that_tells_no_method_means_its_class() {
        let test = |name: &str| Failing { class: "a.BTest".into(), name: name.into() }.test().to_string();
        assert_eq!(test("sums(int, String)[3]"), "a.BTest#sums");
        assert_eq!(test("sums()"), "a.BTest#sums");
        for own in ["2017 Minneapolis Mayor", "[2] github, https://user", "should parse 1.0"] {
            assert_eq!(test(own), "a.BTest", "{own}");
        }
    }

    #[test]
    fn lines_that_name_no_bug_are_refused() {
        let wrong = |key: &str, value: &str| {
            let mut line = line("PASS_PASS");
            line[key] = value.into();
            Record::read(&line.to_string()).unwrap_err()
        };
        assert!(wrong("commit_hash", "ü1b2c3d4e5f60").contains("no commit"));
        assert!(wrong("previous_commit_hash", "--output=/x").contains("no commit"));
        for url in ["--upload-pack=touch x://y", "-c://x", "ext::sh -c x://y", "ssh://-oProxyCommand=x/y", "/srv/x", ""]
        {
            assert!(wrong("clone_url", url).contains("no address"), "{url}");
        }
        for repository in ["../gate", "a/b/c", "acme", "acme/..", "a b/c"] {
            assert!(wrong("repository", repository).contains("no repository"), "{repository}");
        }
    }

    proptest! {
        #[test]
        fn foreign_lines_are_read_or_refused(text in "\\PC*", name in any::<String>()) {
            let _ = Record::read(&text);
            let _ = Failing { class: name.clone(), name }.test();
        }
    }
}
