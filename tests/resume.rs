//! `unidebug resume`: raised caps, repaired environments, other owners, full disks, damaged journals.

use crate::support::{Endpoint, Gate, Reply, change, dollars, fix, steady, unidebug, up_to_level_3};
use serde_json::json;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use unidebug::domain::Event;
use unidebug::journal::Journal;

/// Locator marks, Fixer repairs.
fn two_answers() -> Endpoint {
    steady(Duration::ZERO, |agent, _| if agent == "Fixer" { fix("age >= limit") } else { up_to_level_3(agent, 1) })
}

fn events(gate: &Gate) -> Vec<Event> {
    Journal::read(gate.journal().to_str().unwrap().into()).unwrap()
}

/// Requests, and how many of them are different.
fn counts(endpoint: &Endpoint) -> (usize, usize) {
    let bodies: Vec<String> = endpoint.served().iter().map(|served| served.body.to_string()).collect();
    (bodies.len(), bodies.iter().collect::<BTreeSet<_>>().len())
}

#[test]
fn a_run_that_is_killed_before_it_told_the_usual_cap_tells_it_later() {
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, up_to_level_3));
    let home = tempfile::tempdir().unwrap();
    let killed = gate.run(&endpoint, &["--levels", "L1"]).env("UNIDEBUG_FAILPOINT", "frozen.after");
    killed.start(home.path()).wait().unwrap();
    let wanted = "at most $3 are spent on this bug; `--max-cost` sets another cap";
    let done = gate.resume(&["--max-validations", "5"]).run();
    assert!(done.stderr.contains(wanted), "{done}");
    let notice = |event: &Event| matches!(event, Event::Notice { text } if text == wanted);
    assert_eq!(events(&gate).iter().filter(|event| notice(event)).count(), 1, "once, and kept");
}

#[test]
fn a_raised_cap_goes_on_and_pays_for_nothing_twice() {
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, up_to_level_3));
    let levels = ["--levels", "L1..L3"];
    let capped = gate.run(&endpoint, &[&levels[..], &["--max-tokens", "6000"]].concat()).run();
    capped.expect_code(5);
    assert_eq!(capped.json()["verdict"], "stopped_at_cap");
    assert!(capped.stdout.contains("--max-tokens"), "{capped}");
    let paid = endpoint.served().len();
    assert!(paid > 0 && capped.json()["usage"]["requests"] == paid);

    let same = gate.resume(&[]).run();
    same.expect_code(5);
    assert_eq!((same.json(), endpoint.served().len()), (capped.json(), paid), "without a raise it is over");
    let older = gate.resume(&["--json-schema", "1"]).run().json();
    assert_eq!((&older["schema"], &older["verdict"]), (&1.into(), &"exhausted".into()), "{older}");
    assert_eq!(older["validations"]["candidates"], capped.json()["candidates"]["proposed"]);

    let done = gate.resume(&["--max-tokens", "200000"]).run();
    done.expect_code(0);
    let served = endpoint.served();
    let report = done.json();
    assert_eq!((&report["verdict"], &report["usage"]["requests"]), (&json!("plausible"), &json!(served.len())));
    assert!((report["usage"]["cost_usd"].as_f64().unwrap() - dollars(&served)).abs() < 1e-9);
    let undisturbed = Gate::new().run(&steady(Duration::ZERO, up_to_level_3), &levels).run().json();
    assert_eq!((&report["patch"], &report["level"]), (&undisturbed["patch"], &undisturbed["level"]));
    let frozen = std::fs::read_to_string(gate.run_dir().join("config.json")).unwrap();
    assert!(frozen.contains("200000"), "the raised cap stays with the run");
}

#[test]
fn a_cap_in_time_counts_the_time_worked_and_can_be_raised() {
    let gate = Gate::new();
    let endpoint = steady(Duration::from_millis(400), up_to_level_3);
    let short = gate.run(&endpoint, &["--levels", "L1..L3", "--max-time", "1s"]).run();
    short.expect_code(5);
    let paid = endpoint.served().len();
    let done = gate.resume(&["--max-time", "120s"]).run();
    done.expect_code(0);
    // A request that was waited for when the time was up is asked again, and reported; it may not have been sent yet.
    let answered = done.json()["usage"]["requests"].as_u64().unwrap();
    let given_up = done.json()["possibly_billed"].as_u64().unwrap_or(0);
    assert!((answered..=answered + given_up).contains(&(endpoint.served().len() as u64)), "{done}");
    assert!(endpoint.served().len() > paid);
    assert!(done.json()["seconds"]["wall"].as_f64() > short.json()["seconds"]["wall"].as_f64(), "{done}");
}

#[test]
fn more_time_lets_the_engine_go_on_where_it_was() {
    // A slow suite that nothing repairs.
    let gate = Gate::with_script("sleep 0.1; grep() { false; }");
    let (bug, out) = (gate.path("bug"), gate.run_dir());
    let words = ["run", bug.to_str().unwrap(), "--out", out.to_str().unwrap(), "--test", "sh check.sh", "--json"];
    let run = unidebug(&[&words[..], &["--model", "builtin", "--max-time", "3s"]].concat());
    run.expect_code(5);
    let before = run.json()["candidates"]["proposed"].as_u64().unwrap();
    let done = gate.resume(&["--max-time", "60s"]).run();
    done.expect_code(1);
    let after = done.json()["candidates"]["proposed"].as_u64().unwrap();
    assert!(before > 0 && after > before, "{before} candidates, then {after}: {done}");
}

#[test]
fn what_the_environment_lacked_is_no_loss() {
    let gate = Gate::new();
    let broken = std::sync::atomic::AtomicBool::new(true);
    let endpoint = Endpoint::start(move |agent, _, _| {
        if agent == "Fixer" && broken.swap(false, std::sync::atomic::Ordering::SeqCst) {
            return Reply::status(401, r#"{"error": {"message": "the key expired"}}"#);
        }
        if agent == "Fixer" { fix("age >= limit") } else { up_to_level_3(agent, 1) }
    });
    let failed = gate.run(&endpoint, &["--levels", "L1"]).run();
    failed.expect_code(4);
    let done = gate.resume(&[]).run();
    done.expect_code(0);
    let agents: Vec<String> = endpoint.served().into_iter().map(|served| served.agent).collect();
    assert_eq!(agents, ["Locator", "Fixer", "Fixer"], "Locator's answer was on the disk");
    assert_eq!((&done.json()["usage"]["requests"], &done.json()["possibly_billed"]), (&json!(2), &json!(null)));
}

#[test]
fn observations_and_outcomes_come_from_the_journal() {
    let gate = Gate::new();
    let endpoint = steady(Duration::ZERO, up_to_level_3);
    let home = tempfile::tempdir().unwrap();
    let program = gate.run(&endpoint, &["--levels", "L1..L3"]).env("UNIDEBUG_FAILPOINT", "send.before:6");
    program.start(home.path()).wait().unwrap();
    let before = events(&gate);
    gate.resume(&[]).run().expect_code(0);
    let after = events(&gate);
    assert_eq!(after[..before.len()], before, "what was written stays");
    let place = |event: &Event| match event {
        Event::Observed { scope, tool, .. } => Some(format!("{scope:?} {tool}")),
        Event::Validated { scope, diff, .. } => Some(format!("{scope:?} {diff}")),
        _ => None,
    };
    let mut places: Vec<String> = after.iter().filter_map(place).collect();
    let all = places.len();
    places.sort();
    places.dedup();
    assert_eq!(places.len(), all, "nothing is told twice");
}

#[test]
fn a_second_writer_is_refused_with_the_owners_name() {
    let gate = Gate::new();
    let endpoint = steady(Duration::from_secs(3), |agent, _| up_to_level_3(agent, 1));
    let home = tempfile::tempdir().unwrap();
    let mut first = gate.run(&endpoint, &["--levels", "L1"]).start(home.path());
    while endpoint.served().is_empty() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let second = gate.resume(&[]).run();
    second.expect_code(75);
    assert!(second.stderr.contains(&format!("process {} on ", first.id())), "{second}");
    let again = gate.run(&endpoint, &["--levels", "L1"]).run();
    again.expect_code(75);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(endpoint.served().len(), 1, "who is refused pays nothing");
}

#[test]
fn a_damaged_journal_is_refused_and_repaired_by_the_command_it_names() {
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, up_to_level_3));
    let home = tempfile::tempdir().unwrap();
    let program = gate.run(&endpoint, &["--levels", "L1..L3"]).env("UNIDEBUG_FAILPOINT", "send.before:8");
    program.start(home.path()).wait().unwrap();
    let paid = endpoint.served().len();
    // A bit flips in Fixer's first response.
    change(&gate.journal(), |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let at = text.find(r#""kind":"received","scope":{"attempt":1,"level":1,"agent":"fixer""#).unwrap();
        bytes[at + 30] ^= 1;
    });
    let refused = gate.resume(&[]).run();
    refused.expect_code(3);
    assert!(refused.stderr.contains("damaged record") && refused.stderr.contains("--repair"), "{refused}");
    assert!(refused.stderr.contains("unidebug resume "), "{refused}");
    assert_eq!(endpoint.served().len(), paid);
    let done = gate.resume(&["--repair"]).run();
    done.expect_code(0);
    assert!(done.stderr.contains("1 damaged taken out") && gate.run_dir().join("run.journal.damaged-1").exists());
    let (all, new) = counts(&endpoint);
    assert_eq!(all, new + 1, "only the answer that was lost is paid for again: {done}");
}

#[test]
fn a_full_disk_stops_the_run_and_it_goes_on_when_there_is_room() {
    let (gate, endpoint) = (Gate::new(), steady(Duration::ZERO, up_to_level_3));
    let (bug, prices, url) = (gate.path("bug"), gate.path("prices.json"), endpoint.base_url());
    let program = env!("CARGO_BIN_EXE_unidebug");
    // A small file system holds the run directory; the first session fills it up, the second finds room.
    let script = format!(
        "cd /small && head -c 380000 /dev/zero > filler
{program} run {} --test 'sh check.sh' --sandbox none --out /small/run --prices {} --base-url {url} --model scripted \
         --no-first --json --levels L1..L3; echo code $?
rm filler; {program} resume /small/run --json; echo code $?",
        bug.display(),
        prices.display()
    );
    let small = ["--dev-bind", "/", "/", "--size", "524288", "--tmpfs", "/small"];
    // The folder to mount upon must be there.
    let mount = gate.path("small");
    std::fs::create_dir(&mount).unwrap();
    let script = script.replace("/small", mount.to_str().unwrap());
    let small: Vec<String> = small.iter().map(|word| word.replace("/small", mount.to_str().unwrap())).collect();
    let out = std::process::Command::new("bwrap")
        .args(small)
        .args(["sh", "-c", &script])
        .env("OPENAI_API_KEY", "sk-gate-0123456789abcdef")
        .env("UNIDEBUG_CACHE_DIR", gate.path("cache"))
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let codes: Vec<&str> = stdout.lines().filter(|line| line.starts_with("code")).collect();
    assert_eq!(codes, ["code 74", "code 0"], "{stdout}\n{stderr}");
    assert!(stderr.contains("No space left on device"), "{stderr}");
    let (all, new) = counts(&endpoint);
    assert!(all - new <= 1, "{new} of {all} requests were new");
}

#[test]
fn a_folder_that_cannot_be_written_is_told_before_anything_is_paid() {
    let (gate, endpoint) = (Gate::new(), two_answers());
    let closed = gate.path("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Those who may do everything are stopped by a file where a folder should be.
    std::fs::write(closed.join("file"), "").unwrap_or_default();
    let out = if closed.join("file").exists() { closed.join("file/run") } else { closed.join("run") };
    let refused = gate.run(&endpoint, &["--levels", "L1"]).with(&["--out", out.to_str().unwrap()]).run();
    refused.expect_code(74);
    assert!(refused.stderr.contains("cannot create") && endpoint.served().is_empty(), "{refused}");
}

#[test]
fn what_is_no_run_and_what_a_newer_program_wrote_is_refused_by_name() {
    let nothing = unidebug(&["resume", "/nowhere/at/all"]);
    nothing.expect_code(3);
    assert!(nothing.stderr.contains("holds no run"), "{nothing}");
    let (gate, endpoint) = (Gate::new(), two_answers());
    gate.run(&endpoint, &["--levels", "L1"]).run().expect_code(0);
    let frozen = gate.run_dir().join("config.json");
    let whole = std::fs::read(&frozen).unwrap();
    change(&frozen, |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        *bytes = text.replacen("\"schema\": 1", "\"schema\": 9", 1).replacen("0.1.0", "4.2.0", 1).into_bytes();
    });
    for command in ["resume", "replay"] {
        let newer = gate.on_run(command, &[]).run();
        newer.expect_code(3);
        assert!(newer.stderr.contains("unidebug 4.2.0"), "{newer}");
    }
    std::fs::write(&frozen, whole).unwrap();
    let json = r#"{"kind":"run_started","schema":9,"version":"4.2.0","of_a_later_day":true}"#;
    std::fs::write(gate.journal(), format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))).unwrap();
    for command in ["resume", "replay"] {
        let newer = gate.on_run(command, &[]).run();
        newer.expect_code(3);
        assert!(newer.stderr.contains("unidebug 4.2.0 with schema 9"), "{newer}");
    }
}
