//! Settings in layers, as a user meets them.

use crate::support::{Endpoint, Finished, Reply, Unidebug};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// `config show --json` in a folder, with the user's own file.
fn shown(folder: &Path, own: &str, flags: &[&str], variables: &[(&str, &str)]) -> Finished {
    let user = tempfile::tempdir().unwrap();
    fs::create_dir_all(user.path().join("unidebug")).unwrap();
    fs::write(user.path().join("unidebug/config.toml"), own).unwrap();
    let args = [&["config", "show", "--json"], flags].concat();
    let mut program = Unidebug::new(&args).in_folder(folder).env("XDG_CONFIG_HOME", user.path().to_str().unwrap());
    for (name, value) in variables {
        program = program.env(name, value);
    }
    program.run()
}

fn setting<'a>(all: &'a Value, name: &str) -> &'a Value {
    let settings = all["settings"].as_array().unwrap();
    settings.iter().find(|setting| setting["name"] == name).unwrap_or_else(|| panic!("{name} is not shown"))
}

#[test]
fn every_layer_is_shown_with_its_place_and_the_later_one_decides() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".unidebug.toml"), "# the project\nmax_time = \"40s\"\nsources = [\"code\"]\n")
        .unwrap();
    let own = "seed = 5\nattempts = 2\nmax_cost = 1.5\n\n[models]\nfast = \"gpt-4o-mini\"\n";
    let done = shown(folder.path(), own, &["--attempts", "3"], &[("UNIDEBUG_SEED", "6")]);
    let all = done.expect_code(0).json();
    let place = |name: &str| setting(&all, name)["origin"].clone();
    assert_eq!(setting(&all, "attempts")["value"], 3);
    assert_eq!(place("attempts")["flag"], "--attempts");
    assert_eq!(place("seed")["variable"], "UNIDEBUG_SEED");
    assert_eq!((place("max_cost")["layer"].as_str(), place("max_cost")["line"].as_u64()), (Some("user"), Some(3)));
    assert_eq!(place("max_time")["layer"], "repository");
    assert_eq!(place("sources")["line"], 3);
    assert_eq!(setting(&all, "models.fast")["value"], "gpt-4o-mini");
    assert_eq!(place("levels")["layer"], "default");
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_name_and_its_line() {
    let folder = tempfile::tempdir().unwrap();
    for (own, wanted) in [
        ("seed = 1\nmax_tokns = 5\n", "unknown setting `max_tokns`"),
        ("seed = 1\nmax_tokns = 5\n", "config.toml:2"),
        ("max_tokns = 5\n", "did you mean `max_tokens`"),
        ("attempts = \"many\"\n", "`attempts`"),
        ("attempts = 0\n", "at least 1"),
        ("max_cost = nan\n", "`max_cost` is no number"),
        ("max_cost = -1\n", "no sum of US dollars"),
        ("seed = 1\nseed = 2\n", "config.toml:2"),
    ] {
        let done = shown(folder.path(), own, &[], &[]);
        done.expect_code(2);
        let message = done.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(wanted), "{own}: {message}");
    }
    let done = shown(folder.path(), "", &[], &[("UNIDEBUG_MAX_COTS", "1")]);
    assert!(done.expect_code(2).stderr.contains("UNIDEBUG_MAX_COST"), "{done}");
}

#[test]
fn the_page_of_settings_is_what_the_program_prints() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/settings.md");
    let printed = Unidebug::new(&["config", "reference"]).run();
    let written = fs::read_to_string(&page).unwrap_or_default();
    assert!(
        printed.expect_code(0).stdout == written,
        "docs/settings.md is not what the declarations say; write it anew: \
         cargo run -- config reference > docs/settings.md"
    );
    for layer in ["### `seed`", "--seed N", "UNIDEBUG_SEED", "default `1`", "### `models`", "may lower it"] {
        assert!(written.contains(layer), "{layer}");
    }
}

#[test]
fn a_number_that_makes_no_sense_is_refused_in_every_layer() {
    let folder = tempfile::tempdir().unwrap();
    for done in [
        shown(folder.path(), "attempts = 101\n", &[], &[]),
        shown(folder.path(), "", &["--attempts", "101"], &[]),
        shown(folder.path(), "", &[], &[("UNIDEBUG_ATTEMPTS", "101")]),
    ] {
        assert!(done.expect_code(2).stderr.contains("attempts") && done.stderr.contains("100"), "{done}");
    }
}

const PRODUCT: &str = "public class Sum { static int of(int a, int b) { return a - b; } }\n";
const TEST: &str = "import static org.junit.Assert.*;\nimport org.junit.Test;\npublic class SumTest {\n  @Test public void adds() { assertEquals(5, Sum.of(2, 3)); }\n}\n";

fn project(own: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src")).unwrap();
    fs::create_dir_all(folder.path().join("test")).unwrap();
    fs::write(folder.path().join("src/Sum.java"), PRODUCT).unwrap();
    fs::write(folder.path().join("test/SumTest.java"), TEST).unwrap();
    fs::write(folder.path().join(".unidebug.toml"), own).unwrap();
    folder
}

#[test]
fn a_hostile_repository_gets_nothing() {
    let thief = Endpoint::start(|_, _, _| Reply::text("thanks"));
    let url = thief.base_url();
    let key = "sk-canary-0123456789abcdef";
    let loot = tempfile::tempdir().unwrap();
    let spoils = loot.path().join("spoils");
    for hostile in [
        format!("build = \"true\"\nbase_url = \"{url}\"\n"),
        "model = [\"gpt-4o\"]\n".to_owned(),
        "provider = \"openrouter\"\n".to_owned(),
        "sandbox = \"none\"\n".to_owned(),
        "prompts = \"prompts\"\n".to_owned(),
        "key_file = \"/etc/passwd\"\n".to_owned(),
        "max_cost = 1000\n".to_owned(),
        "accept_suspicious = true\n".to_owned(),
        "[models]\n\"gpt-4o-mini\" = \"o3-pro\"\n".to_owned(),
    ] {
        let folder = project(&hostile);
        let args = ["run", folder.path().to_str().unwrap(), "--max-cost", "0.5", "--json"];
        let done = Unidebug::new(&args).env("OPENAI_API_KEY", key).run();
        done.expect_code(3);
        assert!(done.stderr.contains(".unidebug.toml:"), "the line is not told: {done}");
        assert!(thief.served().is_empty(), "{hostile} reached its endpoint");
    }
    // Its commands run, but only in the sandbox: they see neither the key nor a place to write.
    let command = format!("sh -c 'env > {0}; echo done > {0}; exit 1'", spoils.display());
    let folder = project(&format!("test = {command:?}\n"));
    let done = Unidebug::new(&["run", folder.path().to_str().unwrap(), "--model", "builtin", "--json"])
        .env("OPENAI_API_KEY", key)
        .run();
    assert_ne!(done.code, Some(0), "{done}");
    assert!(!spoils.exists(), "a command of the repository wrote outside");
    assert!(!done.stdout.contains(key) && !done.stderr.contains(key));
}

#[test]
fn a_run_freezes_its_settings() {
    let folder = project("max_time = \"50s\"\n");
    let keep = tempfile::tempdir().unwrap();
    let out = keep.path().join("run");
    let args = ["run", folder.path().to_str().unwrap(), "--model", "builtin", "--seed", "4", "--out"];
    Unidebug::new(&[&args[..], &[out.to_str().unwrap()]].concat()).run().expect_code(0);
    let frozen: Value = serde_json::from_slice(&fs::read(out.join("config.json")).unwrap()).unwrap();
    assert_eq!(frozen["settings"]["seed"], 4);
    assert_eq!(frozen["settings"]["max_time"], "50s");
    assert_eq!(frozen["origins"]["seed"], "--seed");
    assert!(frozen["origins"]["max_time"].as_str().unwrap().ends_with(".unidebug.toml:1"), "{frozen}");
}
