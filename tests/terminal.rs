//! What a person at a terminal, a pipe or a shell meets.

use crate::support::{Endpoint, Reply, Terminal, Unidebug, unidebug};
use camino::Utf8Path;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::time::{Duration, Instant};
use unidebug::domain::{Event, EventSink};
use unidebug::journal::{Journal, RunDir};

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

fn exit_of(mut child: Child) -> (Option<i32>, String) {
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    (child.wait().unwrap().code(), errors)
}

#[test]
fn ctrl_c_once_takes_the_answer_that_is_paid_for_and_names_the_way_back() {
    let endpoint = slow(Duration::from_secs(2));
    let home = tempfile::tempdir().unwrap();
    let child = begun(&endpoint, home.path());
    interrupt(&child);
    let (code, errors) = exit_of(child);
    assert_eq!(code, Some(130), "{errors}");
    assert!(errors.contains("waiting for 1 answer that is paid for") && errors.contains("unidebug resume"), "{errors}");
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
    let (code, errors) = exit_of(child);
    assert_eq!(code, Some(130), "{errors}");
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
    let (code, errors) = exit_of(child);
    assert_eq!(code, Some(130), "{errors}");
    assert!(errors.contains("hint: everything is kept; the same command goes on"), "{errors}");
}

#[test]
fn a_closed_pipe_ends_the_output_quietly() {
    for args in [&["run", "--help"][..], &["tool", "--json"], &["bugs"], &["completions", "bash"]] {
        let home = tempfile::tempdir().unwrap();
        let mut child = Unidebug::new(args).start(home.path());
        drop(child.stdout.take());
        let (code, errors) = exit_of(child);
        assert!(code.is_some_and(|code| code == 0), "{args:?}: {code:?} {errors}");
        assert!(errors.is_empty(), "{args:?}: {errors}");
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
    let done = Unidebug::new(&["doctor"]).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0").run();
    assert!(!done.stdout.contains('\u{1b}') && !done.stderr.contains('\u{1b}'), "{done}");
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
    let done = unidebug(&["doctor", "--model", "m", "--base-url", &url]);
    assert!(done.stderr.contains("2 tiny calls"), "{done}");
    assert!(done.expect_code(0).stdout.contains("m: text") && done.stdout.contains("read from text instead"), "{done}");
    let away = unidebug(&["doctor", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"]);
    assert!(away.expect_code(3).stdout.contains("missing  m: contact"), "{away}");
}

/// `init` in a home of its own, and where its settings go.
fn first_questions(home: &std::path::Path) -> (Terminal, std::path::PathBuf) {
    (Terminal::start(Unidebug::new(&["init"]), home), home.join("xdg_config_home/unidebug/config.toml"))
}

#[test]
fn the_first_questions_write_the_model_and_never_the_key() {
    let home = tempfile::tempdir().unwrap();
    let (mut terminal, file) = first_questions(home.path());
    terminal.answer("another", "\u{1b}[B\r");
    terminal.answer("name of the model at https://api.openai.com/v1", "gpt-4o-mini\r");
    terminal.answer("in the variable OPENAI_API_KEY", "\r");
    let (code, screen) = terminal.exit();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("next:    export OPENAI_API_KEY=..."), "{screen}");
    let written = std::fs::read_to_string(&file).unwrap();
    let table: toml::Table = toml::from_str(&written).unwrap();
    assert_eq!(table.keys().collect::<Vec<_>>(), ["model", "provider"], "{written}");
    let shown = Unidebug::new(&["config", "show", "--json"]).start(home.path()).wait_with_output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    let set = shown["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == "model").unwrap();
    assert_eq!((&set["value"], &set["origin"]["layer"]), (&json!(["gpt-4o-mini"]), &json!("user")), "{set}");
    // Once is enough.
    let (code, screen) = first_questions(home.path()).0.exit();
    assert!(code == Some(3) && screen.contains("sets `model` already; nothing was written"), "{screen}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), written);
}

#[test]
fn a_key_in_a_file_is_named_and_not_copied() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("key"), "sk-secret-1").unwrap();
    let (mut terminal, file) = first_questions(home.path());
    terminal.answer("another", "\u{1b}[A\r");
    terminal.answer("its address", "https://models.example.org/v1\r");
    terminal.answer("name of the model", "qwen3\r");
    terminal.answer("in a file", "\u{1b}[B\r");
    terminal.answer("which file", "key\r");
    let (code, screen) = terminal.exit();
    assert_eq!(code, Some(0), "{screen}");
    let table: toml::Table = toml::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(table["base_url"].as_str(), Some("https://models.example.org/v1"));
    assert_eq!(table["key_file"].as_str(), home.path().canonicalize().unwrap().join("key").to_str());
    assert!(!screen.contains("sk-secret") && !std::fs::read_to_string(&file).unwrap().contains("sk-secret"));
}

#[test]
fn the_first_questions_can_be_skipped_left_and_need_a_terminal() {
    let home = tempfile::tempdir().unwrap();
    for (keys, wanted, shown) in [
        ("\r", 0, "the built-in engine works without a model"),
        ("\u{1b}", 0, "the built-in engine works without a model"),
        ("\u{3}", 130, "nothing was written; `unidebug init` asks again"),
    ] {
        let (mut terminal, file) = first_questions(home.path());
        terminal.answer("another", keys);
        let (code, screen) = terminal.exit();
        assert_eq!(code, Some(wanted), "{keys:?}: {screen}");
        assert!(screen.contains(shown) && !file.exists(), "{keys:?}: {screen}");
        assert!(screen.rfind("\u{1b}[?25h") > screen.rfind("\u{1b}[?25l"), "{keys:?}: the cursor is hidden: {screen}");
    }
    let piped = unidebug(&["init"]);
    assert!(piped.expect_code(3).stderr.contains("hint: `unidebug config init`"), "{piped}");
}

/// The run once more, as if it were one of another bug.
fn as_of_another_bug(run: &Utf8Path, bug: &str, into: &Utf8Path) {
    let copy = RunDir::create(into).unwrap();
    copy.freeze(&std::fs::read(run.join("config.json")).unwrap()).unwrap();
    let journal = Journal::begin(copy).unwrap();
    for mut event in Journal::read(run).unwrap() {
        match &mut event {
            Event::RunStarted { bug: known, .. } => *known = bug.parse().unwrap(),
            Event::Finished { report } => report["bug"] = bug.into(),
            _ => {}
        }
        journal.emit(&event).unwrap();
    }
}

#[test]
fn ctrl_c_ends_a_review_and_what_was_said_stays() {
    let home = tempfile::tempdir().unwrap();
    let runs = Utf8Path::from_path(home.path()).unwrap().join("runs");
    std::fs::create_dir(&runs).unwrap();
    let (one, two) = (runs.join("one"), runs.join("two"));
    // Right, and in other words than the developer's: a person has to look at it.
    let args = ["run", "fixtures:ring-buffer", "--model", "builtin", "--quiet", "--out", one.as_str()];
    unidebug(&args).expect_code(0);
    as_of_another_bug(&one, "fixtures:playlist", &two);
    let mut terminal =
        Terminal::start(Unidebug::new(&["report", runs.as_str(), "--review", "--reviewer", "Ada"]), home.path());
    terminal.answer("2 patches wait", "");
    terminal.answer("q(uit): ", "y\r");
    terminal.answer("why: ", "as meant\r");
    terminal.answer("q(uit): ", "n\r");
    terminal.answer("why: ", "half a rea\u{3}");
    let (code, screen) = terminal.exit();
    assert_eq!(code, Some(130), "{screen}");
    assert!(screen.contains("every verdict is kept; the same command goes on with what is left"), "{screen}");
    let reviews: Vec<String> =
        [&one, &two].into_iter().filter_map(|run| std::fs::read_to_string(run.join("reviews.jsonl")).ok()).collect();
    assert!(matches!(&reviews[..], [only] if only.contains("as meant") && only.lines().count() == 1), "{reviews:?}");
}
