use super::*;
use serde_json::json;

fn with_file(text: &str) -> Result<Layers, Failure> {
    let temp = tempfile::tempdir().unwrap();
    let project = Utf8Path::from_path(temp.path()).unwrap();
    std::fs::write(project.join(FILE), text).unwrap();
    let mut layers = Layers::defaults();
    let mut trusted = layers.clone();
    trusted.add_flags(&json!({"max_cost": 0.5, "deny": ["own/**"]})).unwrap();
    layers.add_repository(project, &trusted)?;
    Ok(layers)
}

#[test]
fn a_repository_sets_nothing_that_is_the_users() {
    let facts = [
        "build",
        "test",
        "java_home",
        "deny",
        "max_time",
        "max_tokens",
        "max_cost",
        "max_candidates",
        "max_validations",
        "caps",
    ];
    let all = serde_json::to_value(Config::default()).unwrap();
    for name in all.as_object().unwrap().keys().filter(|name| !facts.contains(&name.as_str())) {
        let failure = with_file(&format!("# facts\n{name} = true\n")).unwrap_err();
        assert!(failure.message.contains(&format!("`{name}`")), "{name}: {}", failure.message);
        assert!(failure.message.contains(".unidebug.toml:2"), "{}", failure.message);
    }
}

#[test]
fn a_repository_may_lower_a_cap_and_not_raise_it() {
    assert!(with_file("max_cost = 0.4\nmax_time = \"10s\"\n[caps.agent]\ncycles = 3\n").is_ok());
    for (text, wanted) in [
        ("max_cost = 5\n", "only lower `max_cost`: it asks for 5, and 0.5 is allowed"),
        ("\nmax_time = \"2h\"\n", ".unidebug.toml:2"),
        ("max_cost = \"$9\"\n", "only lower `max_cost`"),
        ("[caps.agent]\ncycels = 3\n", "did you mean `caps.agent.cycles`"),
        ("max_tokens = -3\n", "max_tokens"),
    ] {
        let failure = with_file(text).unwrap_err();
        assert!(failure.message.contains(wanted), "{text}: {}", failure.message);
    }
}

#[test]
fn a_repository_adds_to_what_is_hidden() {
    let mut layers = Layers::defaults();
    layers.add_flags(&json!({"deny": ["a/**"]})).unwrap();
    let entry = Entry { key: vec!["deny".into()], value: json!(["b/**"]), line: 1 };
    layers.extend_list(&entry, Place::Default).unwrap();
    assert_eq!(layers.config().unwrap().deny, ["a/**", "b/**"]);
}

#[test]
fn variables_are_settings_and_misspelt_ones_are_refused() {
    let mut layers = Layers::defaults();
    let given = [("UNIDEBUG_SEED", "7"), ("UNIDEBUG_MODEL", "a, L3=b"), ("UNIDEBUG_NO_FIRST", "true"), ("HOME", "/")];
    layers.add_environment(given.map(|(n, v)| (n.into(), v.into())).into_iter()).unwrap();
    let config = layers.config().unwrap();
    assert_eq!((config.seed, config.no_first), (7, true));
    assert_eq!(config.model, ["a", "L3=b"]);
    let wrong = [("UNIDEBUG_MAX_COTS".to_owned(), "1".to_owned())];
    let failure = layers.add_environment(wrong.into_iter()).unwrap_err();
    assert!(failure.message.contains("did you mean `UNIDEBUG_MAX_COST`"), "{}", failure.message);
    let wrong = [("UNIDEBUG_SEED".to_owned(), "many".to_owned())];
    assert!(layers.add_environment(wrong.into_iter()).unwrap_err().message.contains("UNIDEBUG_SEED"));
}

#[test]
fn what_is_typed_wins_over_what_is_written() {
    let mut layers = with_file("max_time = \"10s\"\n").unwrap();
    layers.add_flags(&json!({"max_time": "20s", "model": [], "seed": null})).unwrap();
    let config = layers.config().unwrap();
    assert_eq!((config.time(true).as_secs(), config.seed), (20, 1));
}
