//! Keys stay where they belong, in a whole run; and a recorded run is repeated from its recording alone.

use crate::support::{Endpoint, Reply, Unidebug};
use serde_json::json;
use std::path::{Path, PathBuf};

const KEY: &str = "sk-canary-5f3a9c71d2e84b60";
const PASSWORD: &str = "canary-hunter2-hunter2";

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn no_key_is_sent_written_or_printed_and_the_recording_repeats_the_run() {
    // A model that repeats what it should never have seen: the worst that hostile text in a repository can reach.
    let endpoint = Endpoint::scripted([
        (
            "Locator",
            1,
            Reply::command(
                "goal_accomplished",
                json!({
                    "marked_code": "return size >= slots.length - 1; // buggy line",
                    "explanation": format!("the key is {KEY} and the password {PASSWORD}")
                }),
            ),
        ),
        (
            "Fixer",
            1,
            Reply::command(
                "write_fix",
                json!({
                    "diff": "--- a/src/buffers/RingBuffer.java\n+++ b/src/buffers/RingBuffer.java\n@@\n-        return size >= slots.length - 1;\n+        return size >= slots.length;\n",
                    "explanation": format!("{KEY} {PASSWORD}")
                }),
            ),
        ),
    ]);
    let keep = tempfile::tempdir().unwrap();
    let place = |name: &str| keep.path().join(name).to_str().unwrap().to_owned();
    let (record, out, again) = (place("rec"), place("run"), place("again"));
    let url = endpoint.base_url();
    let words = ["run", "fixtures:ring-buffer", "--model", "scripted", "--base-url", &url, "--no-first", "--json"];
    let words = [&words[..], &["--record", &record, "--out", &out]].concat();
    let done = Unidebug::new(&words).env("OPENAI_API_KEY", KEY).env("DB_PASSWORD", PASSWORD).run();
    done.expect_code(0);

    let served = endpoint.served();
    assert_eq!(served.len(), 2);
    assert!(served.iter().all(|served| served.authorization.as_deref() == Some(&format!("Bearer {KEY}"))));
    let mut places = vec![("stdout".to_owned(), done.stdout.clone()), ("stderr".to_owned(), done.stderr.clone())];
    places.extend(served.iter().map(|served| (format!("request of {}", served.agent), served.body.to_string())));
    let written = [files(keep.path()), files(done.home.path())].concat();
    assert!(written.iter().any(|file| file.ends_with("run.journal")), "{written:?}");
    let lossy = |file: &PathBuf| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
    places.extend(written.iter().map(|file| (file.display().to_string(), lossy(file))));
    for (place, text) in &places {
        for secret in [KEY, PASSWORD] {
            assert!(!text.contains(secret), "{secret} is in {place}");
        }
    }

    drop(endpoint);
    let model = format!("replay:{record}");
    let words = ["run", "fixtures:ring-buffer", "--model", &model, "--no-first", "--json", "--out", &again];
    let replayed = Unidebug::new(&words).run();
    replayed.expect_code(0);
    let (first, second) = (done.json(), replayed.json());
    assert_eq!((&first["patch"], &first["verdict"]), (&second["patch"], &second["verdict"]));
    assert_eq!(second["by"]["policy"], "replay");
}
