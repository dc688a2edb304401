//! What a person at a terminal, a pipe or a shell meets.

use crate::support::{Endpoint, Reply, Unidebug, unidebug};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};

/// A model whose first answer takes its time.
fn slow(answer: Duration) -> Endpoint {
    Endpoint::start(move |_, _, _| Reply::After(answer, Box::new(Reply::command("extract_tests", json!({})))))
}

fn begun(endpoint: &Endpoint, home: &std::path::Path) -> Child {
    let (url, out) = (endpoint.base_url(), home.join("run"));
    let args = ["run", "fixtures:ring-buffer", "--model", "m", "--base-url", &url, "--no-first", "--json", "--out"];
    let child = Unidebug::new(&[&args[..], &[out.to_str().unwrap()]].concat()).start(home);
    let until = Instant::now() + Duration::from_secs(120);
    while endpoint.served().is_empty() {
        assert!(Instant::now() < until, "no request came");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

fn interrupt(child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
}

fn ended(mut child: Child) -> (Option<i32>, String) {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

#[test]
fn ctrl_c_once_takes_the_answer_that_is_paid_for_and_names_the_way_back() {
    let endpoint = slow(Duration::from_secs(2));
    let home = tempfile::tempdir().unwrap();
    let child = begun(&endpoint, home.path());
    interrupt(&child);
    let (code, said) = ended(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("waiting for 1 answer that is paid for") && said.contains("unidebug resume"), "{said}");
    let journal = std::fs::read_to_string(home.path().join("run/run.journal")).unwrap();
    assert!(journal.contains("\"received\""), "the answer is not in the journal:\n{journal}");
    assert_eq!(endpoint.served().len(), 1, "nothing new is asked");
}

#[test]
fn ctrl_c_twice_stops_at_once() {
    let endpoint = slow(Duration::from_secs(90));
    let home = tempfile::tempdir().unwrap();
    let child = begun(&endpoint, home.path());
    let started = Instant::now();
    interrupt(&child);
    // Signals that come together are one: a terminal signals all processes of a batch.
    interrupt(&child);
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&child);
    let (code, said) = ended(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn ctrl_c_in_a_batch_says_that_the_same_command_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("batch");
    let args = ["bench", "run", "fixtures:r*", "--quiet", "--out", out.to_str().unwrap(), "--", "--model", "builtin"];
    let child = Unidebug::new(&args).start(home.path());
    let until = Instant::now() + Duration::from_secs(60);
    // The frozen plan, and the folder of the first bug.
    while std::fs::read_dir(&out).map_or(0, Iterator::count) < 2 {
        assert!(Instant::now() < until, "the batch did not begin");
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt(&child);
    let (code, said) = ended(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("hint: everything is kept; the same command goes on"), "{said}");
}

#[test]
fn a_closed_pipe_ends_the_output_quietly() {
    for args in [&["run", "--help"][..], &["tool", "--json"], &["bugs"], &["completions", "bash"]] {
        let home = tempfile::tempdir().unwrap();
        let mut child = Unidebug::new(args).start(home.path());
        drop(child.stdout.take());
        let (code, said) = ended(child);
        assert!(code.is_some_and(|code| code == 0), "{args:?}: {code:?} {said}");
        assert!(said.is_empty(), "{args:?}: {said}");
    }
    // Progress has lost its reader: the run goes on.
    let home = tempfile::tempdir().unwrap();
    let mut child = Unidebug::new(&["run", "fixtures:roman-numerals", "--model", "builtin"]).start(home.path());
    let mut first = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut first).unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{out}");
    assert!(out.starts_with("plausible"), "{out}");
}

#[test]
fn without_a_terminal_nothing_is_coloured_and_no_colour_is_honoured() {
    let plain = unidebug(&["config", "show"]);
    assert!(!plain.stdout.contains('\u{1b}'), "{plain}");
    let run = |variable: &str| Unidebug::new(&["doctor"]).env(variable, "1").run();
    assert!(run("CLICOLOR_FORCE").stdout.contains('\u{1b}'));
    let asked = Unidebug::new(&["doctor"]).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0").run();
    assert!(!asked.stdout.contains('\u{1b}') && !asked.stderr.contains('\u{1b}'), "{asked}");
}

#[test]
fn shells_learn_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = unidebug(&["completions", shell]);
        script.expect_code(0);
        for word in ["run", "doctor", "max-cost"] {
            assert!(script.stdout.contains(word), "{shell} does not know {word}");
        }
    }
    unidebug(&["completions", "cmd.exe"]).expect_code(2);
}

#[test]
fn the_log_tells_levels_agents_calls_and_tools_and_never_on_stdout() {
    let endpoint = Endpoint::start(|_, nth, _| match nth {
        1 => Reply::command("extract_tests", json!({})),
        _ => Reply::command("goal_accomplished", json!({"explanation": "I give up"})),
    });
    let url = endpoint.base_url();
    let args =
        ["run", "fixtures:ring-buffer", "--model", "m", "--base-url", &url, "--no-first", "--levels", "L1", "--json"];
    let done = Unidebug::new(&[&args[..], &["--log", "debug"]].concat()).run();
    for span in
        ["level{level=L1", "agent{agent=locator", "cycle{cycle=1", "call{model=\"m\"", "tool{name=extract_tests"]
    {
        assert!(done.stderr.contains(span), "{span} is not logged:\n{}", done.stderr);
    }
    assert_eq!(done.stdout.lines().count(), 1, "{}", done.stdout);
    done.json();
    let quiet = unidebug(&["bugs", "fixtures", "--log", "loud,=="]);
    assert!(quiet.expect_code(2).stderr.contains("--log"), "{quiet}");
}

#[test]
fn a_dry_run_prints_what_would_be_asked_and_sends_nothing() {
    let endpoint = Endpoint::start(|_, _, _| Reply::text("?"));
    let url = endpoint.base_url();
    let args =
        ["run", "fixtures:ring-buffer", "--model", "gpt-4o-mini", "--base-url", &url, "--dry-run", "--show-prompts"];
    let done = Unidebug::new(&[&args[..], &["--levels", "L1..L2", "--max-cost", "0.01"]].concat()).run();
    done.expect_code(0);
    for part in ["# Locator", "# Slicer", "Cycle 1 of", "with the caps in force", "$0.01", "nothing was sent"] {
        assert!(done.stdout.contains(part), "`{part}` is not printed:\n{}", done.stdout);
    }
    let done = Unidebug::new(&[&args[..], &["--json"]].concat()).run();
    let object = done.expect_code(0).json();
    let first = &object["requests"][0];
    assert_eq!((first["agent"].as_str(), object["dry_run"].as_bool()), (Some("locator"), Some(true)));
    assert!(first["prompt_tokens"].as_u64() > Some(300), "{first}");
    assert!(object["most"]["cost_usd"].as_f64() > Some(0.0) && object["most"]["queries"].as_u64() > Some(10));
    assert!(endpoint.served().is_empty(), "something was sent");
    let alone = unidebug(&["run", "fixtures:ring-buffer", "--model", "builtin", "--dry-run"]);
    assert!(alone.expect_code(0).stdout.contains("nothing would be asked"), "{alone}");
}

#[test]
fn the_doctor_names_each_thing_with_its_fix() {
    let done = unidebug(&["doctor", "--json"]);
    done.expect_code(0);
    let object = done.json();
    let checks = object["checks"].as_array().unwrap();
    let of = |what: &str| checks.iter().find(|check| check["what"].as_str().unwrap().starts_with(what));
    for what in
        ["sandbox", "JDK", "mvn", "git", "test libraries", "benchmark fixtures", "state folder", "prices", "endpoint"]
    {
        assert!(of(what).is_some(), "{what} is not looked at: {object}");
    }
    for check in checks.iter().filter(|check| check["state"] != "ok") {
        assert!(check["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{check}");
    }
    let none = tempfile::tempdir().unwrap();
    let done = unidebug(&["doctor", "--java-home", none.path().to_str().unwrap()]);
    assert!(done.expect_code(3).stdout.contains("missing  JDK") && done.stdout.contains("fix: "), "{done}");

    let endpoint = Endpoint::start(|_, _, body| match body.get("tools") {
        Some(_) => Reply::status(400, r#"{"error": {"message": "tools are not supported"}}"#),
        None => Reply::text("ready"),
    });
    let url = endpoint.base_url();
    let asked = unidebug(&["doctor", "--model", "m", "--base-url", &url]);
    assert!(asked.stderr.contains("2 tiny calls"), "{asked}");
    assert!(
        asked.expect_code(0).stdout.contains("m: text") && asked.stdout.contains("read from text instead"),
        "{asked}"
    );
    let away = unidebug(&["doctor", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]);
    assert!(away.expect_code(3).stdout.contains("missing  m: contact"), "{away}");
}
