//! `kill -9` while a journal is written: what was acknowledged is there, and the next process goes on.

use camino::Utf8Path;
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;
use unidebug::domain::{AgentName, Event, EventSink, Level, Scope, Usage};
use unidebug::journal::{Journal, JournalError, RunDir, SCHEMA};

/// Tells the child, which is this same test binary, where to write.
const FOLDER: &str = "UNIDEBUG_TEST_JOURNAL";

/// The child: writes responses without end and tells each key once the journal has it.
#[test]
#[ignore = "runs as the child of the test below"]
fn writes_until_it_is_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let folder = Utf8Path::new(&folder);
    let journal = if folder.join("run.journal").exists() {
        Journal::reopen(RunDir::open(folder).unwrap()).unwrap().0
    } else {
        Journal::begin(RunDir::create(folder).unwrap()).unwrap()
    };
    if Journal::read(folder).unwrap().is_empty() {
        let bug = "fixtures:any".parse().unwrap();
        let (version, sandbox) = ("0".to_owned(), "none".to_owned());
        journal.emit(&Event::RunStarted { schema: SCHEMA, version, bug, sandbox }).unwrap();
    }
    for n in 0u64.. {
        let scope =
            Scope { attempt: 1, level: Level::L1, agent: AgentName::from("fixer"), cycle: 1, focus: None, visit: 1 };
        let key = format!("{}-{n}", std::process::id());
        let response = json!({"text": "x".repeat(20_000)});
        journal
            .emit(&Event::Received { scope, key: key.clone(), response, usage: Usage::default(), seconds: 0.0 })
            .unwrap();
        // Past the capture of the test harness, which keeps what is printed until the end; in one write, so that a kill
        // leaves the whole line or nothing.
        std::io::stderr().write_all(format!("acknowledged {key}\n").as_bytes()).unwrap();
    }
}

#[test]
fn what_was_acknowledged_survives_kill_9() {
    let keep = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(keep.path()).unwrap().join("run");
    let mut acknowledged = Vec::new();
    for round in 0..10u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "journal_kill::writes_until_it_is_killed", "--ignored", "--nocapture"])
            .env(FOLDER, &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (first, is_writing) = std::sync::mpsc::channel();
        let reader = std::thread::spawn(move || {
            let keys =
                lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("acknowledged ").map(str::to_owned));
            let tell = |_: &String| {
                // Nobody listens after the first.
                let _ = first.send(());
            };
            keys.inspect(tell).collect::<Vec<_>>()
        });
        is_writing.recv().unwrap();
        std::thread::sleep(Duration::from_millis(20 + round * 37 % 150));
        if round == 0 {
            let owner = RunDir::open(&folder).unwrap_err();
            assert!(
                matches!(&owner, JournalError::Owned { owner, .. } if owner.contains(&child.id().to_string())),
                "{owner}"
            );
        }
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(reader.join().unwrap());
        let events = Journal::read(&folder).unwrap();
        let is_saved =
            |key: &String| events.iter().any(|event| matches!(event, Event::Received { key: have, .. } if have == key));
        let lost: Vec<&String> = acknowledged.iter().filter(|key| !is_saved(key)).collect();
        assert!(lost.is_empty(), "round {round} lost {lost:?}");
    }
    assert!(acknowledged.len() >= 10, "only {} records were written in all rounds", acknowledged.len());
    drop(RunDir::open(&folder).unwrap());
}
