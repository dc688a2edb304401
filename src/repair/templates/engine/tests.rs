//! The engine over small files.

use super::*;
use crate::domain::{FailingTest, Outcome, TestId};
use crate::templates::testing::{index_in, index_of, ranking_of, text_after};

const TILL: &str = "class Till {
int total(int[] prices, int rebate) {
    int sum = 0;
    for (int i = 0; i < prices.length - 1; i++) {
        sum += rebate;
    }
    return sum;
}
}
";

fn failing() -> Vec<FailingTest> {
    let test = |name: &str| FailingTest {
        id: TestId::new("TillTest", name),
        file: None,
        span: None,
        failing_line: None,
        failure: crate::domain::Failure::default(),
        timed_out: false,
    };
    vec![test("one"), test("two")]
}

fn options(seed: u64) -> Options {
    Options { seed, failing: failing(), ..Options::default() }
}

fn notes(engine: &mut Engine<'_>, n: usize) -> Vec<String> {
    engine.next_batch(n).into_iter().map(|candidate| candidate.note).collect()
}

#[test]
fn candidates_are_distinct_parse_and_differ() {
    let index = index_of(TILL);
    let mut engine = Engine::new(&index, &ranking_of(&[3, 4, 5, 7]), options(1));
    let mut seen = HashSet::new();
    let batch = engine.next_batch(500);
    assert!(batch.len() > 100, "{} candidates", batch.len());
    for candidate in &batch {
        let text = text_after(candidate);
        assert_ne!(text, TILL);
        assert!(crate::code::syntax_errors(&text, &language::Java).is_empty(), "{}\n{text}", candidate.note);
        assert!(seen.insert(text), "{} was there before", candidate.note);
    }
    let scores: Vec<f64> = batch.iter().map(|candidate| engine.score(&engine.plans[candidate.plan.unwrap()])).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b));
}

#[test]
fn same_seed_same_order_however_it_is_asked() {
    let index = index_of(TILL);
    let ranking = ranking_of(&[3, 4, 5, 7]);
    let mut whole = Engine::new(&index, &ranking, options(7));
    let mut pieces = Engine::new(&index, &ranking, options(7));
    let mut by_pieces = notes(&mut pieces, 5);
    by_pieces.extend(notes(&mut pieces, 45));
    assert_eq!(notes(&mut whole, 50), by_pieces);
    let mut other = Engine::new(&index, &ranking, options(8));
    assert_ne!(notes(&mut other, 50), by_pieces, "equal scores are drawn by the seed");
}

#[test]
fn the_head_of_a_statement_on_one_line_is_changed_as_well_as_its_body() {
    let code = "class A {\n  boolean f(int a, int b) {\n    if (a == b) return false;\n    return true;\n  }\n}\n";
    let index = index_of(code);
    let first = Engine::new(&index, &ranking_of(&[3]), options(1)).next_batch(30);
    for wanted in ["if (a != b) return false;", "if (a == b) return true;"] {
        assert!(first.iter().any(|candidate| text_after(candidate).contains(wanted)), "{wanted}");
    }
}

#[test]
fn the_limit_holds() {
    let index = index_of(TILL);
    let few = Options { max_candidates: 3, ..options(1) };
    let mut engine = Engine::new(&index, &ranking_of(&[4]), few);
    assert_eq!(engine.next_batch(10).len(), 3);
    assert_eq!(engine.next_batch(10).len(), 0);
    assert_eq!(engine.emitted, 3);
}

#[test]
fn a_partial_repair_is_combined_with_a_second_edit() {
    let index = index_of(TILL);
    let mut engine = Engine::new(&index, &ranking_of(&[4, 5]), options(1));
    let first = engine.next_batch(20);
    let half = first.iter().find(|c| text_after(c).contains("i < prices.length;")).unwrap();
    let mut answer = Validation::without_tests(Outcome::Failed, "one test still fails");
    answer.fixed = 1;
    engine.learn(half, &answer);
    let pairs: Vec<Candidate> = engine.next_batch(300).into_iter().filter(|c| c.edits == 2).collect();
    assert!(pairs.iter().all(|c| !text_after(c).contains("i < prices.length - 1; i++")));
    assert!(pairs.iter().any(|c| text_after(c).contains("sum = rebate;")), "{} pairs", pairs.len());
}

#[test]
fn other_encodings_are_written_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = camino::Utf8Path::from_path(folder.path()).unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    let source = b"class A {\r\n  // caf\xe9\r\n  int f(int a) { return a; }\r\n}".to_vec();
    std::fs::write(root.join("src/A.java"), &source).unwrap();
    let src = crate::domain::RepoPath::new("src").unwrap();
    let index = CodeIndex::build(root, &[src], &[], &language::Java);
    let mut engine = Engine::new(&index, &ranking_of(&[3]), options(1));
    let candidate = engine.next_batch(1).remove(0);
    let file = &candidate.patch.files[0];
    assert_eq!(file.before.as_deref(), Some(&*source));
    assert!(file.after.windows(6).any(|bytes| bytes == b"caf\xe9\r\n"));
}

#[test]
fn a_candidate_that_passes_brings_its_method_forward() {
    let code = "class A {\n  int f(int a, int b) {\n    if (a > b) return a;\n    return b;\n  }\n\n  \
                int g(int a, int b) {\n    if (a < b) return a;\n    return b;\n  }\n}\n";
    let index = index_of(code);
    let mut engine = Engine::new(&index, &ranking_of(&[4, 8, 9, 3]), options(1));
    let first = engine.next_batch(8);
    let passing = first.iter().find(|candidate| candidate.location.line == 4).unwrap();
    engine.learn(passing, &Validation::without_tests(Outcome::PassedWarm, ""));
    let lines: Vec<u32> = engine.next_batch(20).iter().map(|candidate| candidate.location.line).collect();
    assert!(lines.iter().all(|line| [3, 4].contains(line)) && lines.contains(&3), "{lines:?}");
}

#[test]
fn small_parts_of_the_change_that_broke_the_tests_are_taken_back_first() {
    let sum = |text: &str| text.replace("int sum = 0;", "int sum = 1;");
    let rebate = |text: &str| text.replace("+= rebate;", "-= rebate;");
    let then = rebate(&sum(TILL)).replace("class Till", "class  Till");
    let path = crate::domain::RepoPath::new("src/A.java").unwrap();
    let file = FileChange { path, before: Some(TILL.as_bytes().into()), after: then.as_bytes().into() };
    let (others, texts) = Default::default();
    let revert = Patch { files: vec![file] };
    let change = ProductChange { name: "commit 1a2b3c4".into(), is_committed: true, revert, others, texts };
    let index = index_of(TILL);
    let mut engine = Engine::new(&index, &ranking_of(&[5, 3]), Options { broken_by: Some(change), ..options(1) });
    let first: Vec<String> = engine.next_batch(3).iter().map(text_after).collect();
    assert_eq!(first[..2], [rebate(TILL), sum(TILL)], "the most suspicious first; white space alone is no candidate");
    assert_eq!(first[2], then);
    let rest = engine.next_batch(300);
    assert!(rest.iter().all(|candidate| !first.contains(&text_after(candidate))), "nothing comes twice");
}

#[test]
fn a_text_is_spelled_first_as_the_failing_test_wants_it() {
    let code =
        "class Head {\n  static final String VERSION = \"HTTP/2.1\";\n  // sent as HTTP/2.1\n  String of(String path) {
    return path + \" is \" + VERSION;\n  }\n}\n";
    let index = index_of(code);
    let mut options = options(1);
    options.failing[0].failure.message = "expected:<[/a is HTTP/[1].1]> but was:<[/a is HTTP/[2].1]>".into();
    let first = Engine::new(&index, &ranking_of(&[5]), options).next_batch(1).remove(0);
    assert_eq!(first.note, "wrote `1` for `2` in `\"HTTP/2.1\"`");
    assert_eq!(text_after(&first), code.replacen('2', "1", 1), "and no comment");
    assert_eq!(first.location.line, 2);
}

#[test]
fn bytes_are_spelled_as_the_failing_test_wants_them_too() {
    let code = "def head(path, write):\n    if not path:\n        raise ValueError(\"I only send HTTP/1.1\")
    write(b\"GET %s HTTP/2.1\\r\\n\" % path)\n";
    let index = index_in(code, &language::Python);
    let mut options = options(1);
    options.failing[0].failure.message = r"assert b'GET /a HTTP...close\r\n\r\n' == b'GET /a HTTP...close\r\n\r\n'
  they part in b'GET /a HTTP/2.1\r\nHost: fo' and b'GET /a HTTP/1.1\r\nHost: fo'"
        .into();
    let mut ranking = ranking_of(&[4]);
    ranking.lines[0].location.file = index.files()[0].path.clone();
    let first = Engine::new(&index, &ranking, options).next_batch(1).remove(0);
    assert_eq!(text_after(&first), code.replacen('2', "1", 1));
}

#[test]
fn a_word_that_stands_nowhere_else_is_corrected_first() {
    let code =
        "RULES = (\"thematic_break\", \"list\")\n\n\ndef parse_thematic_break(text):\n    return thematic(text)\n\n
def find(table):\n    return table[\"tematic_break\"]\n";
    let index = index_in(code, &language::Python);
    let mut ranking = ranking_of(&[9]);
    ranking.lines[0].location.file = index.files()[0].path.clone();
    let first = |ranking: &Ranking, options| Engine::new(&index, ranking, options).next_batch(1).remove(0);
    let right = code.replace("tematic_break\"]", "thematic_break\"]");
    assert_eq!(text_after(&first(&ranking, options(1))), right);
    let mut options = options(1);
    options.failing[0].failure.message = "'tematic_break'".into();
    ranking.lines[0].location.line = 6;
    assert_eq!(text_after(&first(&ranking, options)), right, "a failure tells where");
}
