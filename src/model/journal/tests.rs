//! Journals as killed processes, full disks and newer programs leave them.

use super::*;
use crate::domain::{
    AgentName, Change, Cost, Event, EventSink, Level, LineSpan, Outcome, RepoPath, Scope, ToolName, Unanswered, Usage,
};
use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

fn started() -> Event {
    Event::RunStarted {
        schema: SCHEMA,
        version: "0.1.0".into(),
        bug: "fixtures:a".parse().unwrap(),
        sandbox: "none".into(),
    }
}

fn scope(cycle: u32) -> Scope {
    Scope { attempt: 1, level: Level::L1, agent: AgentName::from("fixer"), cycle, focus: None, visit: 1 }
}

fn sent(key: &str) -> Event {
    Event::Sent { scope: scope(1), key: key.into(), request: json!({"model": "m"}) }
}

fn received(key: &str, cost: f64) -> Event {
    let usage = Usage {
        requests: 1,
        prompt_tokens: 7,
        cached_tokens: 1,
        completion_tokens: 2,
        cost_usd: Cost(Some(cost)),
        ..Usage::default()
    };
    Event::Received { scope: scope(1), key: key.into(), response: json!({"choices": []}), usage, seconds: 0.5 }
}

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap().join("run");
    (folder, path)
}

fn written(path: &Utf8Path, events: &[Event]) -> Utf8PathBuf {
    let journal = Journal::begin(RunDir::create(path).unwrap()).unwrap();
    events.iter().for_each(|event| journal.emit(event).unwrap());
    RunDir::journal_in(path)
}

#[test]
fn what_was_written_is_read() {
    let (_keep, path) = folder();
    let events = [started(), sent("k"), received("k", 0.25), Event::Notice { text: "line\nbreak ü \u{0}".into() }];
    let file = written(&path, &events);
    assert_eq!(Journal::read(&file).unwrap(), events);
    assert_eq!(Journal::read(&path).unwrap(), events, "the run directory stands for its journal");
}

#[test]
fn the_agent_that_was_heard_of_last_is_read_from_the_end_alone() {
    let (_keep, path) = folder();
    assert_eq!(last_heard(&path), None, "there is no journal");
    let long = Event::Notice { text: "x".repeat(400_000) };
    let file = written(&path, &[started(), sent("k"), long, received("k", 0.25), Event::Notice { text: "end".into() }]);
    assert_eq!(last_heard(&path), Some(scope(1)));
    let mut open = std::fs::File::options().append(true).open(file).unwrap();
    std::io::Write::write_all(&mut open, b"0badc0de {\"kind\":\"se").unwrap();
    assert_eq!(last_heard(&path), Some(scope(1)), "a record that is being written is passed over");
}

#[test]
fn the_first_record_must_tell_the_schema() {
    let (_keep, path) = folder();
    let journal = Journal::begin(RunDir::create(&path).unwrap()).unwrap();
    assert!(journal.emit(&sent("k")).is_err());
    journal.emit(&started()).unwrap();
}

#[test]
fn a_second_owner_is_refused_by_name_and_the_lock_ends_with_its_holder() {
    let (_keep, path) = folder();
    let run = RunDir::create(&path).unwrap();
    let refused = RunDir::create(&path).unwrap_err().to_string();
    assert!(refused.contains(&format!("process {} on ", std::process::id())), "{refused}");
    drop(run);
    let journal = Journal::begin(RunDir::create(&path).unwrap()).unwrap();
    journal.emit(&started()).unwrap();
    assert!(matches!(RunDir::open(&path), Err(JournalError::Owned { .. })));
    drop(journal);
    let used = RunDir::create(&path).unwrap_err();
    assert!(matches!(&used, JournalError::Used { .. }) && used.hint().contains("unidebug resume"), "{used}");
    assert!(matches!(RunDir::open(&path.join("none")), Err(JournalError::NoRun { .. })));
}

#[test]
fn a_torn_tail_is_cut_and_the_run_goes_on_behind_it() {
    let (_keep, path) = folder();
    let file = written(&path, &[started(), received("k", 1.0)]);
    let whole = std::fs::read(&file).unwrap();
    let mut torn = whole.clone();
    torn.extend_from_slice(&super::write::record("{\"kind\":\"notice\"}").as_bytes()[..15]);
    std::fs::write(&file, &torn).unwrap();
    assert_eq!(Journal::read(&file).unwrap().len(), 2);
    let (journal, history) = Journal::reopen(RunDir::open(&path).unwrap()).unwrap();
    assert_eq!(history.events().len(), 2);
    assert_eq!(std::fs::read(&file).unwrap(), whole);
    journal.emit(&started()).unwrap();
    journal.emit(&received("k", 1.0)).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), whole, "what is there is not written again");
    journal.emit(&sent("later")).unwrap();
    assert_eq!(Journal::read(&file).unwrap()[2..], [sent("later")]);
}

#[test]
fn damage_before_the_end_is_refused_with_its_line() {
    let (_keep, path) = folder();
    let file = written(&path, &[started(), sent("a"), sent("b")]);
    let mut bytes = std::fs::read(&file).unwrap();
    let second = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 20;
    bytes[second] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let error = Journal::read(&file).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { line: 2, good: 1, .. }), "{error}");
}

#[test]
fn a_repair_takes_out_what_is_damaged_and_nothing_else() {
    let damage = |at_line: usize| {
        let (keep, path) = folder();
        let file = written(&path, &[started(), sent("a"), received("a", 1.0), sent("b")]);
        let mut bytes = std::fs::read(&file).unwrap();
        let begin = bytes.split_inclusive(|&byte| byte == b'\n').take(at_line).map(<[u8]>::len).sum::<usize>();
        bytes[begin + 20] ^= 4;
        bytes.extend_from_slice(b"0123 half a rec");
        std::fs::write(&file, &bytes).unwrap();
        assert!(Journal::reopen(RunDir::open(&path).unwrap()).is_err());
        let run = RunDir::open(&path).unwrap();
        let done = repair(&run, &started()).unwrap().unwrap();
        assert_eq!((done.kept, done.lost), (3, 2));
        assert_eq!(std::fs::read(&done.copy).unwrap(), bytes, "it is kept as it was");
        assert!(repair(&run, &started()).unwrap().is_none(), "once is enough");
        drop(run);
        let (journal, history) = Journal::reopen(RunDir::open(&path).unwrap()).unwrap();
        journal.emit(&sent("later")).unwrap();
        drop(keep);
        history.events().to_vec()
    };
    assert_eq!(damage(1), [started(), received("a", 1.0), sent("b")]);
    assert_eq!(damage(0), [started(), sent("a"), received("a", 1.0), sent("b")], "the first record is made anew");
}

#[test]
fn a_newer_schema_is_refused_with_the_version_that_wrote_it() {
    let (_keep, path) = folder();
    let file = written(&path, &[started()]);
    let record = super::write::record(r#"{"kind":"run_began","schema":99,"version":"3.1.0","new_field":{}}"#);
    std::fs::write(&file, record).unwrap();
    let error = Journal::read(&file).unwrap_err().to_string();
    assert!(error.contains("unidebug 3.1.0 with schema 99"), "{error}");
}

#[test]
fn secrets_are_replaced_before_the_append() {
    let (_keep, path) = folder();
    fn scrub(text: &str) -> Cow<'_, str> {
        if text.contains("canary") { Cow::Owned(text.replace("canary", "[REDACTED]")) } else { Cow::Borrowed(text) }
    }
    let journal = Journal::begin(RunDir::create(&path).unwrap()).unwrap().scrubbed(Arc::new(scrub));
    journal.emit(&started()).unwrap();
    let request = json!({"messages": [{"content": "the canary sings"}]});
    journal.emit(&Event::Sent { scope: scope(1), key: "k".into(), request }).unwrap();
    let text = std::fs::read_to_string(RunDir::journal_in(&path)).unwrap();
    assert!(!text.contains("canary") && text.contains("the [REDACTED] sings"));
    assert_eq!(Journal::read(&path).unwrap().len(), 2);
}

#[test]
fn after_a_failed_write_nothing_more_is_written() {
    let (_keep, path) = folder();
    let run = RunDir::create(&path).unwrap();
    // A device that is always full stands in for the disk.
    std::os::unix::fs::symlink("/dev/full", run.journal()).unwrap();
    let Ok(file) = std::fs::OpenOptions::new().append(true).open(run.journal()) else { return };
    drop(file);
    let journal = Journal::begin(run).unwrap();
    assert_eq!(journal.emit(&started()).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    assert!(journal.emit(&started()).unwrap_err().to_string().contains("the run stops here"));
}

#[test]
fn files_of_a_run_are_saved_whole_and_in_folders() {
    let (_keep, path) = folder();
    let run = RunDir::create(&path).unwrap();
    let saved = run.save("patches/1.diff", b"--- a\n").unwrap();
    run.save("patches/1.diff", b"--- b\n").unwrap();
    assert_eq!(std::fs::read(&saved).unwrap(), b"--- b\n");
    assert_eq!(std::fs::read_dir(path.join("patches")).unwrap().count(), 1, "nothing temporary is left");
}

#[test]
fn history_finds_what_was_paid_seen_and_judged() {
    let observed = |cycle| Event::Observed {
        scope: scope(cycle),
        state: "collect".into(),
        tool: ToolName::from("read_range"),
        args: json!({}),
        ok: true,
        observation: format!("seen in {cycle}"),
        change: Some(Change::Told),
        shown: vec![(RepoPath::new("A.java").unwrap(), LineSpan { first: 1, last: cycle })],
        seconds: 0.0,
    };
    let validated = Event::Validated {
        scope: scope(2),
        outcome: Outcome::Failed,
        diff: String::new(),
        detail: String::new(),
        origin: String::new(),
        diagnostics: Vec::new(),
        failing: Vec::new(),
        fixed: 0,
        still_failing: Vec::new(),
        seconds: 1.0,
    };
    let report = json!({"verdict": "plausible"});
    let finished = Event::Finished { report: report.clone() };
    let history = History::of(vec![
        started(),
        sent("a"),
        received("a", 0.25),
        observed(1),
        observed(2),
        validated,
        sent("b"),
        received("a", 0.5),
        finished,
    ]);
    assert_eq!(history.possibly_billed(), 1);
    assert!(
        matches!(history.observed(&scope(2)).collect::<Vec<_>>()[..], [Event::Observed { observation, .. }] if observation == "seen in 2")
    );
    assert_eq!((history.validated(&scope(2)).count(), history.validated(&scope(1)).count()), (1, 0));
    assert_eq!((history.spent().requests, history.spent().cost_usd), (2, Cost(Some(0.75))));
    assert_eq!(history.finished(), Some(&report));
}

#[test]
fn requests_without_a_response_are_possibly_billed_unless_it_is_known_why() {
    let failed =
        |key: &str, how| Event::Failed { scope: scope(1), key: key.into(), how, why: "it did".into(), cap: None };
    let history = History::of(vec![
        started(),
        sent("killed"),
        sent("killed"),
        received("killed", 0.5),
        sent("cap"),
        failed("cap", Unanswered::Cap),
        sent("refused"),
        failed("refused", Unanswered::Refused),
        sent("lost"),
        failed("lost", Unanswered::Lost),
    ]);
    assert_eq!(history.possibly_billed(), 2, "the first `killed`, and `lost`");
    assert_eq!(history.in_flight().count(), 2);
    assert_eq!(history.lasting(), [&started(), &sent("killed"), &received("killed", 0.5)]);
}

#[test]
fn the_past_gives_each_response_once_and_keeps_failures_for_repetitions() {
    let other = Scope { cycle: 2, ..scope(1) };
    let events = || {
        let failed = Event::Failed {
            scope: other.clone(),
            key: "f".into(),
            how: Unanswered::Lost,
            why: "cut".into(),
            cap: None,
        };
        vec![started(), sent("a"), received("a", 0.25), sent("a"), received("a", 0.5), failed]
    };
    let past = Past::of(History::of(events()));
    let cost = || past.response(&scope(1), "a").map(|paid| paid.usage.cost_usd);
    assert_eq!([cost(), cost(), cost()], [Some(Cost(Some(0.25))), Some(Cost(Some(0.5))), None]);
    assert!(past.response(&other, "a").is_none(), "another place is another request");
    assert!(past.failure(&other, "f").is_none(), "a run that goes on asks again");
    assert!(!past.ended_before(&scope(9)));
    let repeated = Past::to_repeat(History::of(events()), false);
    assert!(matches!(repeated.failure(&other, "f"), Some(Event::Failed { how: Unanswered::Lost, .. })));
    assert!(repeated.failure(&other, "never sent").is_none());
    assert!(repeated.ended_before(&scope(9)) && !repeated.ended_before(&scope(1)));
}

#[test]
fn a_tee_hands_on_in_order_and_stops_at_a_refusal() {
    struct Sink(Arc<Mutex<Vec<&'static str>>>, &'static str, bool);
    impl EventSink for Sink {
        fn emit(&self, _: &Event) -> std::io::Result<()> {
            self.0.lock().unwrap().push(self.1);
            if self.2 { Err(std::io::Error::other("full")) } else { Ok(()) }
        }
    }
    let log = Arc::new(Mutex::new(Vec::new()));
    let sink = |name, fails| Arc::new(Sink(Arc::clone(&log), name, fails)) as Arc<dyn EventSink>;
    assert!(Tee::new(vec![sink("a", false), sink("b", true), sink("c", false)]).emit(&started()).is_err());
    assert_eq!(*log.lock().unwrap(), ["a", "b"]);
}

fn any_event() -> impl Strategy<Value = Event> {
    let value = prop_oneof![
        any::<String>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::collection::vec((any::<String>(), any::<String>()), 0..3)
            .prop_map(|m| Value::Object(m.into_iter().map(|(k, v)| (k, v.into())).collect())),
    ];
    let level = prop::sample::select(vec![Level::First, Level::L1, Level::L3, Level::Refine]);
    (any::<String>(), value, level, any::<u32>(), 0u32..1000).prop_map(|(text, value, level, cycle, quarters)| {
        let scope = Scope { attempt: 1, level, agent: AgentName(text.clone()), cycle, focus: None, visit: 1 };
        let seconds = f64::from(quarters) / 4.0;
        match cycle % 4 {
            0 => Event::Sent { scope, key: text, request: value },
            1 => Event::Notice { text },
            2 => Event::Received { scope, key: text, response: value, usage: Usage::default(), seconds },
            _ => Event::Validated {
                scope,
                outcome: Outcome::Crash,
                diff: text.clone(),
                detail: text.clone(),
                origin: text,
                diagnostics: Vec::new(),
                failing: Vec::new(),
                fixed: cycle as usize,
                still_failing: Vec::new(),
                seconds,
            },
        }
    })
}

fn file_of(events: &[Event]) -> Vec<u8> {
    events.iter().flat_map(|event| super::write::record(&serde_json::to_string(event).unwrap()).into_bytes()).collect()
}

proptest! {
    #[test]
    fn a_journal_cut_anywhere_gives_its_whole_records(events in prop::collection::vec(any_event(), 0..8), cut in 0.0..1.0f64) {
        let events: Vec<Event> = std::iter::once(started()).chain(events).collect();
        let bytes = file_of(&events);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let kept = &bytes[..(bytes.len() as f64 * cut) as usize];
        let scanned = super::read::scan_bytes(Utf8Path::new("j"), kept).unwrap();
        let whole = kept.iter().filter(|&&byte| byte == b'\n').count();
        prop_assert_eq!(&scanned.events, &events[..whole]);
        prop_assert_eq!(scanned.torn, !kept.is_empty() && kept.last() != Some(&b'\n'));
        prop_assert_eq!(&kept[..scanned.length as usize], &file_of(&scanned.events)[..]);
    }

    #[test]
    fn a_flipped_bit_is_found_wherever_it_is(events in prop::collection::vec(any_event(), 1..6), at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let events: Vec<Event> = std::iter::once(started()).chain(events).collect();
        let mut bytes = file_of(&events);
        // All but the last line break: without it the last record counts as cut short.
        let at = at.index(bytes.len() - 1);
        bytes[at] ^= 1 << bit;
        let scanned = super::read::scan_bytes(Utf8Path::new("j"), &bytes);
        prop_assert!(scanned.is_err());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = super::read::scan_bytes(Utf8Path::new("j"), &bytes);
    }
}
