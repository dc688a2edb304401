//! Readers of foreign text, fed with damaged texts: ten thousand a reader in a usual run, a million in `make soak`, and
//! others for as long as wanted by `UNIDEBUG_TEST_FUZZ_SECONDS=3600 cargo test --test all parsers::`.
//!
//! Real texts are cut, doubled, swapped and mixed with what their readers look for. That reaches deeper than noise, and
//! costs a few microseconds, where a generator of structures would cost more than the readers.

use camino::Utf8Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use unidebug::agent::answer;
use unidebug::benchmark::defects4j::{kind_of, reports, text};
use unidebug::benchmark::facts::ProjectFile;
use unidebug::benchmark::junit_xml;
use unidebug::domain::{RepoPath, Usage};
use unidebug::journal::History;
use unidebug::language::Java;
use unidebug::llm::answer_from;
use unidebug::patch::{Originals, Policy, apply, proposal};

/// Nothing of the size of these texts may take longer, on a busy machine either.
const HANG: Duration = Duration::from_secs(10);
/// Changes to one text at most.
const MOST_CHANGES: usize = 6;

/// How long a reader is fed.
#[derive(Clone, Copy)]
enum Until {
    /// As many texts, the same in each run.
    Cases(usize),
    /// So long, other texts in each run: `UNIDEBUG_TEST_FUZZ_SECONDS`.
    Time(Duration),
}

impl Until {
    fn chosen() -> Self {
        let seconds = std::env::var("UNIDEBUG_TEST_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
        match seconds {
            Some(seconds) => Self::Time(Duration::from_secs(seconds)),
            None if std::env::var_os("UNIDEBUG_SOAK").is_some() => Self::Cases(1_000_000),
            None => Self::Cases(10_000),
        }
    }

    fn is_over(self, cases: usize, begin: Instant) -> bool {
        match self {
            Self::Cases(most) => cases >= most,
            Self::Time(most) => begin.elapsed() >= most,
        }
    }

    fn random(self) -> fastrand::Rng {
        match self {
            Self::Cases(_) => fastrand::Rng::with_seed(1),
            Self::Time(_) => fastrand::Rng::new(),
        }
    }
}

/// Damages texts.
struct Damage<'t> {
    random: fastrand::Rng,
    seeds: &'t [&'t str],
    words: &'t [&'t str],
}

impl Damage<'_> {
    fn text(&mut self) -> Vec<u8> {
        let mut text = self.random.choice(self.seeds.iter()).copied().unwrap_or("").as_bytes().to_vec();
        for _ in 0..self.random.usize(0..=MOST_CHANGES) {
            self.change(&mut text);
        }
        text
    }

    fn change(&mut self, text: &mut Vec<u8>) {
        let random = &mut self.random;
        let at = random.usize(0..=text.len());
        let end = (at + random.usize(0..24)).min(text.len());
        match random.u8(0..8) {
            0 => drop(text.drain(at..end)),
            1 => text.truncate(at),
            2 => {
                let piece = text[at..end].to_vec();
                let to = random.usize(0..=text.len());
                text.splice(to..to, piece);
            }
            3 if at < text.len() => text[at] ^= 1 << random.u8(0..8),
            4 => text.splice(at..at, [random.u8(..)]).for_each(drop),
            5 => {
                let other = random.choice(self.seeds.iter()).copied().unwrap_or("");
                let from = random.usize(0..=other.len());
                text.truncate(at);
                text.extend_from_slice(&other.as_bytes()[from..]);
            }
            _ => {
                let word = random.choice(self.words.iter()).copied().unwrap_or("");
                text.splice(at..at, word.bytes()).for_each(drop);
            }
        }
    }
}

/// Reads damaged texts for as long as wanted, on all processors; a panic or a text that takes too long fails the test.
fn feed(name: &str, seeds: &[&str], words: &[&str], read: impl Fn(&[u8]) + Sync) {
    let until = Until::chosen();
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    let part = match until {
        Until::Cases(all) => Until::Cases(all / threads),
        Until::Time(_) => until,
    };
    let begin = Instant::now();
    let mut random = until.random();
    let fed: usize = std::thread::scope(|scope| {
        let feeders = (0..threads).map(|_| {
            let (read, random) = (&read, random.fork());
            scope.spawn(move || {
                let mut damage = Damage { random, seeds, words };
                let mut case = 0;
                while !part.is_over(case, begin) {
                    let text = damage.text();
                    let begin = Instant::now();
                    let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&text)));
                    let took = begin.elapsed();
                    let held = read.is_ok() && took < HANG;
                    assert!(held, "case {case}, {took:?}: {:?}", String::from_utf8_lossy(&text));
                    case += 1;
                }
                case
            })
        });
        let feeders: Vec<_> = feeders.collect();
        feeders.into_iter().map(|feeder| feeder.join().unwrap()).sum()
    });
    eprintln!("{name}: {fed} cases in {:.1?}", begin.elapsed());
}

const ANSWERS: [&str; 5] = [
    r#"{"thoughts": "the \"limit\" is left out", "command": {"name": "write_fix", "args": {"diff": "--- a/A.java\n+++ b/A.java\n@@\n-a\n+b\n"}}}"#,
    "I think so.\n```json\n{\"command\": {\"name\": \"read_range\", \"args\": {\"file_path\": \"src/A.java\", \"start_line\": 1, \"end_line\": 9}}}\n```\nDone.",
    "```diff\n--- a/src/A.java\n+++ b/src/A.java\n@@ -1,2 +1,2 @@\n class A {\n-    int n;\n+    long n;\n }\n```",
    "{thoughts: 'x', command: {name: goal_accomplished, args: {marked_code: [{file_path: 'src/A.java', code: 'int n; // buggy line'}]}},}",
    "<think>perhaps {not} this</think>\n{\"name\": \"run_tests\", \"arguments\": \"{\\\"tests\\\": [\\\"T#m\\\"]}\"}",
];
const ANSWER_WORDS: [&str; 12] =
    ["{", "}", "[", "]", "\"", "\\", "\"command\":", "```", "```json\n", "\\u12", "<think>", "\u{feff}é"];

#[test]
fn damaged_answers_are_read_or_refused() {
    feed("answers", &ANSWERS, &ANSWER_WORDS, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let raw = serde_json::json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
        let _ = answer::read(&answer_from(raw, Usage::default()));
        if let Ok(raw) = serde_json::from_slice(bytes) {
            let _ = answer::read(&answer_from(raw, Usage::default()));
        }
    });
}

const JAVA: &str = "package a;\n\nclass A {\n    private int n;\n\n    int get(int by) {\n        // é\n        return n + by;\n    }\n\n    void set(int to) {\n        n = to;\n    }\n}\n";

/// One file below `src`, one test, and nothing else.
struct Project;

impl Originals for Project {
    fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        ["src/A.java", "test/ATest.java"].contains(&path.as_str()).then(|| JAVA.as_bytes().into())
    }
}

const PATCHES: [&str; 5] = [
    r#"{"diff": "--- a/src/A.java\n+++ b/src/A.java\n@@ -6,3 +6,3 @@\n     int get(int by) {\n         // é\n-        return n + by;\n+        return n - by;\n     }\n"}"#,
    r#"{"methods": [{"file_path": "src/A.java", "method": "get(int)", "code": "int get(int by) { return n - by; }"}, {"file_path": "src/A.java", "code": "import java.util.List;"}]}"#,
    r#"{"edits": [{"file_path": "src/A.java", "insertions": [{"line_number": 4, "new_lines": ["int m;"]}], "deletions": [5, "6-7"], "modifications": [{"line_number": 8, "modified_line": "return by;"}]}]}"#,
    r#"{"diff": "--- /dev/null\n+++ b/src/b/B.java\n@@ -0,0 +1,2 @@\n+package b;\n+class B {}\n"}"#,
    r#"{"diff": "diff --git a/test/ATest.java b/../x\nrename from test/ATest.java\n--- a/test/ATest.java\n+++ b/test/ATest.java\n@@\n-class A {\n+class A2 {\n"}"#,
];
const PATCH_WORDS: [&str; 16] = [
    "\\n",
    "@@",
    "--- a/",
    "+++ b/",
    "/dev/null",
    "../",
    "/etc/passwd",
    "src/A.java",
    "\\n+",
    "\\n-",
    "99999999999",
    "-1",
    "\"",
    "GIT binary patch",
    "new file mode 120000",
    "\\u0000",
];

#[test]
fn damaged_patches_apply_inside_the_sources_or_not_at_all() {
    let policy = || Policy::new(vec![RepoPath::new("src").unwrap()], vec![RepoPath::new("test").unwrap()], &Java);
    let policy = policy();
    feed("patches", &PATCHES, &PATCH_WORDS, |bytes| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let args = serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
        let Ok(proposed) = proposal::parse(&args) else { return };
        let Ok(patch) = apply(&proposed.edits, &Project, &policy) else { return };
        for file in &patch.files {
            let path = file.path.as_str();
            let inside = path.starts_with("src/") && path.split('/').all(|part| part != "..");
            assert!(inside && path.ends_with(".java"), "{path}: {args}");
            assert!(file.before.is_some() || path != "src/A.java", "{args}");
        }
    });
}

const REPORTS: [&str; 3] = [
    r#"<?xml version="1.0"?><testsuite name="a.T" tests="2"><testcase classname="a.T" name="m" time="0.1"><failure type="java.lang.AssertionError" message="1 &lt; 2"><![CDATA[at a.T.m(T.java:3)]]></failure></testcase><testcase classname="a.T" name="n"><skipped/></testcase></testsuite>"#,
    r#"<testsuites><testsuite name="s"><properties><property name="x" value="&#65;"/></properties><testcase classname="t" name="p[1-2]"><error message="é"/><system-out>out</system-out></testcase></testsuite></testsuites>"#,
    "<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite><testcase name='q' classname=\"c\"/></testsuite>",
];
const REPORT_WORDS: [&str; 12] =
    ["<", ">", "</", "&", "&#x110000;", "<testcase", "<![CDATA[", "]]>", "<!--", "name=\"", "<failure>", "\u{0}"];

#[test]
fn damaged_test_reports_are_read_or_passed_over() {
    feed("test reports", &REPORTS, &REPORT_WORDS, |bytes| drop(junit_xml::parse(bytes)));
}

const DEFECTS4J: [&str; 7] = [
    "--- a.b.CTest::sums\njava.lang.AssertionError: expected:<1>\n but was 2\n\tat a.b.CTest.sums(CTest.java:12)\n\tat x.Y.z(Native Method)\n--- a.b.DTest\njava.lang.Error\n--- broken test input xjava.lang.Error: y\n",
    "sums(a.b.CTest)\nsums[2: (x)](a.b.CTest)\n",
    "bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url,deprecated.version,deprecated.reason\n1,39,d1,LANG-747,https://x/y,2.0.0,Why\n10,1,2,UNKNOWN,UNKNOWN\n",
    "/w/tree/target/classes:/w/tree/lib/a.jar:/home/d4j/framework/projects/lib/junit.jar\n",
    "src/main/java\n",
    "1,LANG-747,\"a.T::x;a.T::y[1]\"\n2,NA,\"b.T\"\n",
    "Summary of configuration for Project: Lang\n    Project ID: Lang\n       Program: commons-lang\nNumber of bugs: 61\n",
];
const DEFECTS4J_WORDS: [&str; 19] = [
    "--- ",
    "::",
    "\tat ",
    "(",
    ")",
    "\"",
    ",",
    ";",
    ":",
    "\r\n",
    "../",
    "/etc/passwd:",
    "/w/tree/../",
    "/w/tree/.git:",
    "//",
    "99999999999",
    "bug.id",
    "\u{0}",
    "version 3.",
];

#[test]
fn damaged_words_of_defects4j_are_read_or_passed_over_and_lead_nowhere_else() {
    let (work, home) = (Utf8Path::new("/w/tree"), Utf8Path::new("/home/d4j"));
    let climbs = |path: &Utf8Path| path.components().any(|part| part.as_str() == "..");
    feed("words of Defects4J", &DEFECTS4J, &DEFECTS4J_WORDS, |bytes| {
        for (id, _) in reports::failing(bytes) {
            assert!(id.class == "broken test input" || text::is_class(&id.class), "{id}");
        }
        assert!(reports::all(bytes).iter().all(|id| text::is_class(&id.class)));
        assert!(text::tests(bytes).iter().all(|id| text::is_class(&id.class)));
        assert!(text::classes(bytes).iter().all(|class| text::is_class(class)));
        let path = text::ClassPath::read(bytes, work, home);
        assert!(path.libraries.iter().all(|library| library.starts_with(home) && !climbs(library)), "{path:?}");
        assert!(path.inside.iter().all(|inside| inside.under(work).starts_with(work) && !climbs(&inside.under(work))));
        assert!(text::folder(bytes).is_none_or(|folder| !climbs(&folder.under(work))));
        if let Ok(lines) = text::bug_lines(bytes) {
            assert!(lines.is_sorted_by_key(|line| line.number));
        }
        let _ = (text::row(bytes, 1), text::info(bytes), text::version(bytes), text::demanded_jdk(bytes));
        let _ = (text::level_of(bytes), kind_of(bytes));
    });
}

const SETTINGS: [&str; 4] = [
    "# of the project\nsources = [\"src\", 'lib/b']\ntest = \"make check\"\nbuild = \"\"\"make\nall\"\"\"\njava_home = \"/usr/lib/jvm/x\"\n",
    "max_cost = 0.5\nmax_time = \"10m\"\ndeny = [\"*.pem\", \"secret/**\"]\nmodule = \"core\"\n",
    "[caps]\nlocator = 3\n[caps.fixer]\nx = 1\n",
    "jvm_args = [\"-Xmx1g\"]\nreports = [\"out/xml\"]\nclass_path = [\"lib/a.jar\"]\nrelease = \"11\"\npython = 'bin/python'\n",
];
const SETTING_WORDS: [&str; 17] = [
    "=",
    "[",
    "]",
    "\"",
    "''",
    "\\u0000",
    "\n",
    "#",
    "../..",
    "/etc",
    "1e999",
    "-1",
    "nan",
    "trust_build = true\n",
    "api_key = \"x\"\n",
    "sandbox = \"none\"\n",
    "[models]\n",
];

#[test]
fn damaged_project_settings_are_read_or_refused() {
    let forbidden = ["trust_build", "api_key", "sandbox", "model", "models", "base_url"];
    feed("project settings", &SETTINGS, &SETTING_WORDS, |bytes| {
        let Ok(file) = ProjectFile::parse(bytes) else { return };
        for entry in &file.entries {
            let name = entry.key.first().map_or("", String::as_str);
            assert!(!forbidden.contains(&name), "a project sets {name}");
        }
        let facts = &file.facts;
        let inside = facts.sources.iter().chain(&facts.tests).chain(&facts.reports).chain(&facts.resources);
        for path in inside {
            assert!(path.as_str().split('/').all(|part| part != "..") && !path.as_str().starts_with('/'), "{path}");
        }
    });
}

#[test]
fn damaged_journals_are_read_or_refused() {
    let journal = include_str!("../fixtures/recordings/L1/run.journal");
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let begin: String = lines.iter().take(4).copied().filter(|line| line.len() < 2000).collect();
    let short: Vec<&str> = lines.iter().copied().filter(|line| line.len() < 2000).collect();
    let seeds = [&[begin.as_str()], &short[..]].concat();
    let words = ["\n", "{\"kind\":\"notice\"}", "\"schema\":9", "00000000 {}\n", "\\", "\u{feff}"];
    // Checksums stop nearly all damage; behind them the records themselves are damaged.
    feed("journals", &seeds, &words, |bytes| {
        let whole = begin.lines().next().unwrap_or("").to_owned() + "\n";
        let _ = History::of_bytes("damaged".into(), bytes);
        let record = String::from_utf8_lossy(bytes);
        let json = record.lines().next().and_then(|line| line.get(9..)).unwrap_or("");
        let signed = format!("{whole}{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
        if let Ok(history) = History::of_bytes("damaged".into(), signed.as_bytes()) {
            assert_eq!(history.events().len(), 2);
        }
    });
}
