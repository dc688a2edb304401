//! The canary key: in no request's body, journal, report, recording, log, child's environment or error message.

use crate::support::{Endpoint, Finished, Gate, Reply, change, fix, up_to_level_3};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const KEY: &str = "sk-canary-77aa0c1f93e54d28";

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Fails when the key stands anywhere that it may not.
fn nowhere(gate: &Gate, done: &Finished, endpoint: &Endpoint) {
    let mut places = vec![("stdout".to_owned(), done.stdout.clone()), ("stderr".to_owned(), done.stderr.clone())];
    places.extend(endpoint.served().iter().map(|served| (served.agent.clone(), served.body.to_string())));
    for file in [files(&gate.path("")), files(done.home.path())].concat() {
        places.push((file.display().to_string(), String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned()));
    }
    assert!(places.len() > 5);
    let tail = &KEY[3..];
    for (place, text) in places {
        let shown: Vec<&str> = text.lines().filter(|line| line.contains(tail)).collect();
        assert!(shown.is_empty(), "the key is in {place}: {shown:?}");
    }
}

/// A test script that tells its environment as the message of the failing test.
const TELLS_ITS_ENVIRONMENT: &str = r#"told=$(env | tr '\n"<>&' '    ')"#;

/// The same, and that of every process it sees.
const TELLS_ALL_ENVIRONMENTS: &str = r#"told=$(env | tr '\n"<>&' '    ')
cat /proc/*/environ 2>/dev/null | tr '\0"<>&' '     ' > environs; told="$told $(head -c 3000 environs)"; rm environs"#;

#[test]
fn no_child_has_the_key_in_its_environment_nor_sees_it_in_anothers() {
    // Without a sandbox a script may look at any process of this machine, other tests' too.
    for (sandbox, script) in [("auto", TELLS_ALL_ENVIRONMENTS), ("none", TELLS_ITS_ENVIRONMENT)] {
        let gate = Gate::with_script(script);
        change(&gate.path("bug/check.sh"), |text| {
            *text = String::from_utf8_lossy(text)
                .replace("message=\"the gate is shut\"", "message=\"$told\"")
                .replace("bad='", "bad=\"")
                .replace("</failure>'", "</failure>\"")
                .replace(
                    "type=\"java.lang.AssertionError\" message=\"$told\"",
                    "type='java.lang.AssertionError' message='$told'",
                )
                .into_bytes();
        });
        let endpoint =
            Endpoint::start(|agent, _, _| if agent == "Fixer" { fix("age >= limit") } else { up_to_level_3(agent, 1) });
        let recorded = gate.path("recorded");
        let more = ["--levels", "L1", "--sandbox", sandbox, "--record", recorded.to_str().unwrap(), "--log", "trace"];
        let done = gate.run(&endpoint, &more).env("OPENAI_API_KEY", KEY).env("GATE_PASSWORD", KEY).run();
        done.expect_code(0);
        let prompt = endpoint.served()[0].prompt();
        assert!(prompt.contains("PATH="), "the script's environment reaches the prompt: {prompt}");
        // Redaction would hide what leaked: nothing was there to be hidden.
        assert!(
            !prompt.contains("OPENAI_API_KEY") && !prompt.contains("GATE_PASSWORD") && !prompt.contains("REDACTED"),
            "{prompt}"
        );
        assert!(endpoint.served()[0].authorization.as_deref() == Some(&format!("Bearer {KEY}")));
        assert!(done.stderr.contains("DEBUG"), "{done}");
        nowhere(&gate, &done, &endpoint);
    }
}

#[test]
fn an_endpoint_that_repeats_the_key_is_not_quoted() {
    let echo =
        |body: &Value| json!({"error": {"message": format!("Incorrect API key provided: {KEY}. {}", body["model"])}});
    for (status, code) in [(401, 4), (400, 4), (500, 4)] {
        let gate = Gate::new();
        let endpoint = Endpoint::start(move |agent, _, body| match agent {
            "Fixer" => Reply::status(status, echo(body).to_string()).with_header("retry-after", "0"),
            _ => up_to_level_3(agent, 1),
        });
        let done = gate.run(&endpoint, &["--levels", "L1", "--log", "trace"]).env("OPENAI_API_KEY", KEY).run();
        done.expect_code(code);
        assert!(done.stderr.contains("error: "), "{done}");
        nowhere(&gate, &done, &endpoint);
    }
}

#[test]
fn a_model_that_says_the_key_finds_it_nowhere_later() {
    let gate = Gate::new();
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Fixer", 1) => Reply::command("search_code_base", json!({"key_words": [KEY]})),
        ("Fixer", 2) => fix(&format!("\"{KEY}\".isEmpty() || age > limit")),
        ("Fixer", _) => fix("age >= limit"),
        _ => Reply::command(
            "goal_accomplished",
            json!({"marked_code": "return age > limit; // buggy line", "explanation": format!("use {KEY}")}),
        ),
    });
    let done = gate.run(&endpoint, &["--levels", "L1"]).env("OPENAI_API_KEY", KEY).run();
    done.expect_code(0);
    nowhere(&gate, &done, &endpoint);
    let again = gate.on_run("replay", &["--log", "trace"]).env("OPENAI_API_KEY", KEY).run();
    again.expect_code(0);
    nowhere(&gate, &again, &endpoint);
}

#[test]
fn a_crash_tells_no_key_and_its_run_goes_on() {
    let endpoint =
        Endpoint::start(|agent, _, _| if agent == "Fixer" { fix("age >= limit") } else { up_to_level_3(agent, 1) });
    let gate = Gate::new();
    // The panic's message holds the whole environment.
    let crashing =
        gate.run(&endpoint, &["--levels", "L1", "--log", "trace"]).env("UNIDEBUG_FAILPOINT", "!send.after:2");
    let done = crashing.env("OPENAI_API_KEY", KEY).env("RUST_BACKTRACE", "1").run();
    assert_eq!(done.code, Some(101), "{done}");
    for part in ["error: unidebug broke", "reached send.after", "OPENAI_API_KEY", "[REDACTED:", "unidebug resume"] {
        assert!(done.stderr.contains(part), "`{part}` is not told: {done}");
    }
    assert_eq!(done.json()["error"]["code"], "fault", "{done}");
    nowhere(&gate, &done, &endpoint);
    let again = gate.resume(&[]).env("OPENAI_API_KEY", KEY).run();
    assert_eq!((again.code, &again.json()["possibly_billed"]), (Some(0), &json!(1)), "{again}");
    nowhere(&gate, &again, &endpoint);
}

/// Looks into the environment of every process of this program, as code of a project could without a sandbox.
const SPIES: &str = r#"for process in /proc/[0-9]*; do
    [ "$(cat $process/comm 2>/dev/null)" = unidebug ] || continue
    echo looked >> "$SPOILS"; cat $process/environ >> "$SPOILS" 2>/dev/null
done"#;

#[test]
fn no_other_process_of_the_same_user_reads_the_key_out_of_this_one() {
    let gate = Gate::new();
    let spoils = gate.path("spoils");
    change(&gate.path("bug/check.sh"), |text| {
        let spies = SPIES.replace("$SPOILS", spoils.to_str().unwrap());
        *text = [spies.as_bytes(), b"\n", &text[..]].concat();
    });
    let endpoint =
        Endpoint::start(|agent, _, _| if agent == "Fixer" { fix("age >= limit") } else { up_to_level_3(agent, 1) });
    let program = gate.run(&endpoint, &["--levels", "L1", "--sandbox", "none"]).env("OPENAI_API_KEY", KEY);
    // Those who may do everything may read everything: as such a user the program runs without these rights.
    let without_rights = ["bwrap", "--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/"];
    program.under(&without_rights).run().expect_code(0);
    let spoilt = String::from_utf8_lossy(&std::fs::read(spoils).unwrap()).into_owned();
    assert!(spoilt.contains("looked"), "the script saw no process of this program");
    assert!(!spoilt.contains(&KEY[3..]), "{spoilt}");
}
