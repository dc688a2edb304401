//! `unidebug inspect`: recorded runs as text, as a page, and in the forms that other tools read.

use crate::support::{Browser, Unidebug, unidebug};
use camino::Utf8Path;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use unidebug::domain::{Event, EventSink};
use unidebug::journal::{Journal, RunDir, SCHEMA};

fn recording(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recordings").join(name).to_str().unwrap().to_owned()
}

fn inspected(runs: &[&str], more: &[&str]) -> String {
    let done = unidebug(&[&["inspect"], runs, more].concat());
    done.expect_code(0);
    done.stdout.clone()
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap()
}

/// A recorded run as if it were one of another bug; only its first so many events.
fn renamed(name: &str, bug: &str, into: &Path, events: usize) -> String {
    let from = recording(name);
    let into = Utf8Path::from_path(into).unwrap();
    let run = RunDir::create(into).unwrap();
    // The recordings were made at different endpoints.
    run.freeze(&fs::read(Path::new(&recording("L1")).join("config.json")).unwrap()).unwrap();
    let journal = Journal::begin(run).unwrap();
    for mut event in Journal::read(Utf8Path::new(&from)).unwrap().into_iter().take(events) {
        match &mut event {
            Event::RunStarted { bug: known, schema, .. } => {
                *known = bug.parse().unwrap();
                *schema = SCHEMA;
            }
            Event::Finished { report } => report["bug"] = bug.into(),
            _ => {}
        }
        journal.emit(&event).unwrap();
    }
    into.to_string()
}

#[test]
fn a_run_is_told_step_by_step() {
    let text = inspected(&[&recording("L2")], &[]);
    let order = [
        "fixtures:ring-buffer  plausible on L2 by fixer, equal to the developer's patch",
        "levels L1..L3",
        "FIRST TEST RUN  6 tests pass",
        "SUSPICIOUS LINES  ochiai",
        "L1 LOCATOR  model, ",
        " tokens in, 42 out, $0.0003",
        "> goal_accomplished",
        "marked src/buffers/RingBuffer.java:48 (buggy line)",
        "L1 FIXER",
        "2 of 2 triggering tests still fail",
        "+        return size > slots.length;",
        "= ended without a repair",
        "L2 SLICER",
        "= sliced lines 47 to 48",
        "L2 SUMMARIZER",
        "L2 FIXER",
        "= plausible patch",
        "L2 FIXER_PRO",
        "PATCH",
        "ANALYSIS",
    ];
    let mut rest = text.as_str();
    for part in order {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is missing, or stands too early:\n{text}"));
        rest = &rest[at + part.len()..];
    }
    assert!(!text.contains('\u{1b}') && !text.contains("# Locator"), "{text}");
    assert!(
        inspected(&[&recording("L1")], &["--prompts"]).contains("> # Locator"),
        "requests in full when they are wanted"
    );
}

#[test]
fn the_page_of_a_run_tells_when_what_was_spent_and_every_candidate() {
    let page = inspected(&[&recording("L2")], &["--html"]);
    let json: Value = serde_json::from_str(inspected(&[&recording("L2")], &["--json"]).trim()).unwrap();
    let tokens = ["prompt_tokens", "completion_tokens"].map(|kind| json["usage"][kind].as_u64().unwrap());
    let spent = tokens[0] + tokens[1];
    let last = page.split("<table>").find(|table| table.contains("tokens so far")).unwrap();
    let last = last.split("</tbody>").next().unwrap().rsplit("<tr>").next().unwrap();
    let dollars = json["usage"]["cost_usd"].as_f64().unwrap();
    assert!(last.contains(&format!("<td>{spent}</td><td>{dollars:.4}</td></tr>")), "{last}");
    assert!(page.contains(&format!("{spent} in the end")), "the curve ends at the same sum");
    for agent in ["L1 locator", "L1 fixer", "L2 slicer", "L2 fixer_pro"] {
        assert!(page.contains(&format!("class=\"\">{agent}</text>")), "{agent} has no lane");
    }
    assert_eq!(page.matches("<li data-verdict=").count(), 2);
    assert!(page.contains("<li data-verdict=\"failed\">") && page.contains("<li data-verdict=\"plausible\">"));
    let both = inspected(&[&recording("L1"), &recording("L2")], &["--html"]);
    assert!(both.contains("<body class=\"two\">") && page.contains("<body>"), "two runs stand side by side");
}

#[test]
fn an_unfinished_run_is_told_as_far_as_it_came() {
    let temp = tempfile::tempdir().unwrap();
    let run = renamed("L2", "fixtures:ring-buffer", &temp.path().join("run"), 8);
    let text = inspected(&[&run], &[]);
    assert!(text.starts_with("fixtures:ring-buffer  unfinished") && text.contains("= the run stopped here"), "{text}");
    let refused = unidebug(&["inspect", &run, "--format", "swebench"]);
    refused.expect_code(3);
    assert!(refused.stderr.contains("none of these runs is over") && refused.stderr.contains("unidebug resume"));
}

#[test]
fn what_the_engine_did_is_told_without_requests() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("run");
    let out = out.to_str().unwrap();
    unidebug(&["run", "fixtures:roman-numerals", "--model", "builtin", "--quiet", "--out", out]).expect_code(0);
    let text = inspected(&[out], &[]);
    assert!(text.contains("L1 FIXER  built-in engine") && text.contains("nothing was asked of a model"), "{text}");
    assert!(text.contains("plausible in") && text.contains("+            if (value < next) {"), "{text}");
    let trajectory: Value = serde_json::from_str(&inspected(&[out], &["--format", "sweagent"])).unwrap();
    as_sweagent_reads_it(&trajectory);
    assert_eq!(trajectory["info"]["model_stats"]["api_calls"], 0);
}

#[test]
fn on_a_terminal_the_pager_of_the_users_choice_shows_it_and_elsewhere_none() {
    let temp = tempfile::tempdir().unwrap();
    let (pager, paged_file) = (temp.path().join("pager"), temp.path().join("seen"));
    fs::write(&pager, format!("#!/bin/sh\necho \"$1 $LESS\" > '{0}'\ncat >> '{0}'\n", paged_file.display())).unwrap();
    fs::set_permissions(&pager, fs::Permissions::from_mode(0o755)).unwrap();
    let pager = format!("{} --own", pager.display());
    let run = recording("L2");
    let inspect = || Unidebug::new(&["inspect", &run]).env("PAGER", &pager);
    let piped = inspect().run();
    assert!(
        piped.stdout.starts_with("fixtures:ring-buffer") && !paged_file.exists(),
        "no pager without a terminal: {piped}"
    );
    // A terminal of its own for everything behind it.
    let terminal = ["sh", "-c", "script -qec \"$*\" /dev/null", "sh"];
    let shown = inspect().under(&terminal).run();
    shown.expect_code(0);
    let paged =
        fs::read_to_string(&paged_file).unwrap_or_else(|error| panic!("the pager saw nothing: {error}\n{shown}"));
    assert!(paged.starts_with("--own FRX\n") && paged.contains("fixtures:ring-buffer"), "{paged}");
    assert!(!shown.stdout.contains("fixtures:ring-buffer"), "{shown}");
    let none = Unidebug::new(&["inspect", &run]).env("PAGER", "cat").under(&terminal).run();
    assert!(none.stdout.contains("fixtures:ring-buffer"), "{none}");
}

#[test]
fn the_page_holds_every_agent_and_needs_nothing_from_outside() {
    let temp = tempfile::tempdir().unwrap();
    let page = temp.path().join("page.html");
    inspected(&[&recording("L3")], &["--html", "--out", page.to_str().unwrap()]);
    let text = fs::read_to_string(&page).unwrap();
    for outside in ["http://", "https://", "src=\"", "@import", "url(", "<script src", "<link rel=\"s"] {
        assert!(!text.contains(outside), "the page needs something from outside: {outside}");
    }
    assert!(text.contains("&lt;T&gt;") && !text.contains("RingBuffer<T>"), "code is escaped");
    let Some(mut browser) = Browser::start(390) else {
        eprintln!("passed over: no Chromium here, so the page was only read as text");
        return;
    };
    browser.open(&page);
    let events = Journal::read(Utf8Path::new(&recording("L3"))).unwrap();
    let agents = events.iter().filter(|event| matches!(event, Event::AgentStarted { .. })).count();
    let count = |browser: &mut Browser, of: &str| browser.eval(&format!("document.querySelectorAll('{of}').length"));
    assert!(agents > 10 && count(&mut browser, "section.agent") == agents, "{agents} agents");
    assert_eq!(count(&mut browser, "nav a"), agents);
    let wide = browser.eval("document.documentElement.scrollWidth > document.documentElement.clientWidth");
    assert_eq!(wide, false, "on a phone nothing but code is scrolled sideways");
    assert!(browser.complaints().is_empty() && browser.requests().is_empty(), "{:?}", browser.complaints());
}

/// What SWE-agent's inspectors, its statistics and its merging of predictions ask of a `.traj`.
fn as_sweagent_reads_it(trajectory: &Value) {
    for step in trajectory["trajectory"].as_array().unwrap() {
        for text in ["action", "observation", "response", "thought"] {
            assert!(step[text].is_string(), "{text}: {step}");
        }
        assert!(step["state"].as_object().unwrap().values().all(Value::is_string), "{step}");
        assert!(step["execution_time"].is_f64() && step["extra_info"].is_object(), "{step}");
        for message in step["query"].as_array().unwrap() {
            assert!(message["role"].is_string() && message["content"].is_string(), "{message}");
        }
    }
    for item in trajectory["history"].as_array().unwrap() {
        assert!(item["role"].is_string() && item["content"].is_string() && item["message_type"].is_string(), "{item}");
        assert!(item["role"] != "assistant" || item["action"].is_string(), "{item}");
    }
    let info = &trajectory["info"];
    if info["exit_status"].as_str().is_some_and(|status| status.starts_with("submitted")) {
        assert!(info["submission"].as_str().unwrap().starts_with("--- a/"), "{info}");
    }
    assert!(info["model_stats"]["api_calls"].is_u64(), "{info}");
    assert!(
        info["model_stats"].get("instance_cost").is_none_or(Value::is_f64),
        "null would break their readers: {info}"
    );
}

#[test]
fn trajectories_are_written_as_batches_of_swe_agent_leave_them() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("trajectories");
    let runs = [recording("L3"), recording("schema-1")];
    inspected(&[&runs[0], &runs[1]], &["--format", "sweagent", "--out", out.to_str().unwrap()]);
    let name = "fixtures-ring-buffer";
    let first = read_json(&out.join(name).join(format!("{name}.traj")));
    as_sweagent_reads_it(&first);
    assert_eq!(first["info"]["exit_status"], "submitted");
    assert_eq!(first["info"]["model_stats"]["api_calls"], first["trajectory"].as_array().unwrap().len());
    assert!(first["info"]["model_stats"]["instance_cost"].as_f64() > Some(0.0), "{}", first["info"]);
    let fix = first["trajectory"].as_array().unwrap().iter().find(|step| {
        step["state"]["agent"] == "L3 fixer" && step["action"].as_str().unwrap().starts_with("write_fix {")
    });
    let fix = fix.expect("the repair is a step");
    assert_eq!(fix["extra_info"]["candidates"][0]["outcome"], "plausible");
    assert!(fix["query"][0]["content"].as_str().unwrap().starts_with("# Fixer"));
    // The price of the other's model is unknown: left out, and not zero.
    let second = read_json(&out.join(format!("{name}.2")).join(format!("{name}.2.traj")));
    as_sweagent_reads_it(&second);
    assert!(second["info"]["model_stats"].get("instance_cost").is_none(), "{}", second["info"]);
    let refused = unidebug(&["inspect", &runs[0], &runs[1], "--format", "sweagent"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("--out DIR"), "{refused}");
}

#[test]
fn conversations_are_written_as_mini_swe_agent_reads_them() {
    let run: Value = serde_json::from_str(&inspected(&[&recording("L3")], &["--format", "mini"])).unwrap();
    assert_eq!(run["trajectory_format"], "mini-swe-agent-1.1");
    let messages = run["messages"].as_array().unwrap();
    for message in messages {
        assert!(message["role"].is_string() && message["content"].is_string(), "{message}");
    }
    assert_eq!((&messages[0]["role"], &messages[1]["role"]), (&"system".into(), &"user".into()));
    // Their inspector begins a page with each assistant's message.
    let by_model = |message: &&Value| message["role"] == "assistant";
    assert_eq!(messages.iter().filter(by_model).count(), 15, "one for each request");
    let first = messages.iter().find(by_model).unwrap();
    assert!(first["extra"]["actions"][0]["command"].as_str().unwrap().starts_with("goal_accomplished {"), "{first}");
    let last = messages.last().unwrap();
    assert_eq!((&last["role"], &last["extra"]["exit_status"]), (&"exit".into(), &"Submitted".into()));
    assert_eq!(last["extra"]["submission"], run["info"]["submission"]);
    assert_eq!((&run["info"]["model_stats"]["api_calls"], &run["instance_id"]), (&15.into(), &"ring-buffer".into()));
    let cost: f64 = messages.iter().filter_map(|message| message["extra"]["cost"].as_f64()).sum();
    assert!((cost - run["info"]["model_stats"]["instance_cost"].as_f64().unwrap()).abs() < 1e-9, "{cost}");
}

fn predictions(runs: &[&str], form: &str) -> Vec<Value> {
    inspected(runs, &["--format", form]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The source of the recorded bug, in a repository of its own.
fn repository(folder: &Path) -> PathBuf {
    let (root, file) = (folder.join("repository"), "src/buffers/RingBuffer.java");
    fs::create_dir_all(root.join("src/buffers")).unwrap();
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bugs/ring-buffer/project");
    fs::copy(project.join(file), root.join(file)).unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(&root).status().unwrap().success());
    root
}

#[test]
fn predictions_hold_what_harnesses_ask_for_and_apply() {
    let temp = tempfile::tempdir().unwrap();
    let run = |name: &str, bug: &str, events| renamed(name, bug, &temp.path().join(bug.replace(':', "-")), events);
    let whole = run("L1", "jsonl:acme__ring-buffer-7", usize::MAX);
    let other = run("L2", "jsonl:acme__ring-9", usize::MAX);
    let open = run("L3", "jsonl:acme__ring-11", 9);
    let runs = [whole.as_str(), &other, &open];
    let swebench = predictions(&runs, "swebench");
    assert_eq!(swebench.len(), 2, "a run that is not over predicts nothing");
    assert_eq!(swebench[0]["instance_id"], "acme__ring-buffer-7");
    assert_eq!(swebench[0]["model_name_or_path"], "unidebug-gpt-4o-mini");
    // Their reader knows these four.
    for (line, number) in predictions(&runs, "multi-swebench").iter().zip([7, 9]) {
        let mut keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["fix_patch", "number", "org", "repo"]);
        assert_eq!((&line["org"], &line["number"]), (&"acme".into(), &number.into()));
    }
    let (root, file) = (repository(temp.path()), temp.path().join("model.patch"));
    fs::write(&file, swebench[0]["model_patch"].as_str().unwrap()).unwrap();
    let applied = Command::new("git").args(["apply", "--check"]).arg(&file).current_dir(root).status().unwrap();
    assert!(applied.success(), "`git apply` refuses the patch");
}

#[test]
fn runs_that_are_no_predictions_are_refused() {
    let none = unidebug(&["inspect", &recording("L1"), "--format", "multi-swebench"]);
    none.expect_code(3);
    assert!(
        none.stderr.contains("`fixtures:ring-buffer` names no pull request") && none.stderr.contains("org__repo-123")
    );
    let mixed = unidebug(&["inspect", &recording("L1"), &recording("schema-1"), "--format", "swebench"]);
    mixed.expect_code(3);
    assert!(mixed.stderr.contains("2 configurations") && mixed.stderr.contains("builtin; gpt-4o-mini\n"), "{mixed}");
    // Repetitions of one configuration are one prediction.
    let temp = tempfile::tempdir().unwrap();
    let [first, second] = ["L1", "L2"].map(|name| renamed(name, "fixtures:ring-buffer", &temp.path().join(name), 9999));
    let once = unidebug(&["inspect", &first, &second, "--format", "swebench"]);
    once.expect_code(0);
    assert_eq!(once.stdout.lines().count(), 1);
    assert!(once.stderr.contains("was run 2 times: the first plausible patch counts"), "{once}");
}

#[test]
fn patches_are_a_folder_of_diffs() {
    let temp = tempfile::tempdir().unwrap();
    let out = temp.path().join("patches");
    inspected(&[&recording("L2")], &["--format", "diffs", "--candidates", "--out", out.to_str().unwrap()]);
    let final_patch = fs::read_to_string(out.join("fixtures-ring-buffer.diff")).unwrap();
    assert_eq!(final_patch, fs::read_to_string(Path::new(&recording("L2")).join("patch.diff")).unwrap());
    let mut tried: Vec<_> = fs::read_dir(out.join("fixtures-ring-buffer")).unwrap().flatten().collect();
    tried.sort_by_key(fs::DirEntry::file_name);
    let names: Vec<String> = tried.iter().map(|file| file.file_name().into_string().unwrap()).collect();
    assert_eq!(names, ["0001-failed.diff", "0002-plausible.diff"]);
    assert_eq!(inspected(&[&recording("L2")], &["--format", "diffs"]), final_patch);
}

#[test]
fn what_is_no_run_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let done = unidebug(&["inspect", temp.path().to_str().unwrap()]);
    done.expect_code(3);
    assert!(done.stderr.contains("no run was found in") && done.stderr.contains("hint:"), "{done}");
    assert_eq!(unidebug(&["inspect", "x", "--format", "csv"]).code, Some(2));
}
