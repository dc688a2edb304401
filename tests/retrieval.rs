//! Helper's sources: the corpus of a user, the web through a scripted Tavily over real HTTP, and the leak guard.

use crate::levels::{accomplished, good_fix, usual};
use crate::support::{Endpoint, Finished, Reply, Unidebug};
use serde_json::json;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const BUG: &str = "fixtures:ring-buffer";
const KEY: &str = "tvly-0123456789abcdef";

/// Level 3 with Helper's answer; the fix comes at once behind it.
fn run(helper: Reply, more: &[&str], tavily: Option<&str>) -> (Endpoint, Finished) {
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        ("Helper", 1) => {
            Reply::command("search_solutions", json!({"query": "RingBuffer full too early, one slot free"}))
        }
        ("Helper", _) => helper.clone(),
        ("Fixer", _) => good_fix(),
        _ => usual(agent),
    });
    let url = endpoint.base_url();
    let args =
        ["run", BUG, "--model", "m", "--base-url", &url, "--no-first", "--no-review", "--levels", "L3", "--json"];
    let mut program = Unidebug::new(&[&args[..], more].concat()).env("TAVILY_API_KEY", KEY);
    if let Some(address) = tavily {
        program = program.env("TAVILY_BASE_URL", address);
    }
    let done = program.run();
    (endpoint, done)
}

fn from(source: &str) -> Reply {
    accomplished(json!({"reference": "compare size with slots.length", "sources": [source], "explanation": "as there"}))
}

#[test]
fn a_corpus_of_the_user_is_searched_and_the_bugs_own_repair_in_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |id: &str, after: &str| {
        let symptom = "ring buffer is full too early, one slot is lost";
        format!("{}\n", json!({"id": id, "symptom": symptom, "before": "n >= cap - 1", "after": after}))
    };
    let text = pair("own-pair", "n >= cap") + &pair("planted", "return size >= slots.length;");
    std::fs::write(folder.path().join("pairs.jsonl"), text).unwrap();
    let (endpoint, done) = run(from("own-pair"), &["--corpus", folder.path().to_str().unwrap()], None);
    done.expect_code(0);
    let helper = endpoint.served_to("Helper");
    assert!(helper[0].prompt().contains("[own-pair]"), "{}", helper[0].prompt());
    for request in endpoint.served() {
        assert!(!request.body.to_string().contains("planted"), "the planted repair was kept from everybody");
    }
    let retrieved = &done.json()["retrieved"];
    assert_eq!(retrieved["dropped"], 1);
    assert!(retrieved["sources"].as_array().unwrap().contains(&json!("own-pair")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_web_is_searched_only_when_asked_and_without_names_of_the_project() {
    let web = MockServer::start().await;
    let page = |url: &str, content: &str| json!({"url": url, "title": "Ring full", "content": content, "score": 0.9});
    let answer = json!({"query": "", "results": [
        page("https://stackoverflow.com/q/1", "compare the count with the capacity"),
        page("https://github.com/x/y/commit/2", "the fix"),
    ]});
    Mock::given(method("POST"))
        .and(path("/search"))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&web)
        .await;
    let address = web.uri();
    let with = |more: &'static [&'static str], source: &'static str| {
        let address = address.clone();
        tokio::task::spawn_blocking(move || run(from(source), more, Some(&address)))
    };
    let (_, done) = with(&[], "capacity-one-free").await.unwrap();
    done.expect_code(0);
    assert!(web.received_requests().await.unwrap().is_empty(), "without --web no request leaves");
    let (_, done) = with(&["--web", "--without", "web"], "capacity-one-free").await.unwrap();
    done.expect_code(0);
    assert!(web.received_requests().await.unwrap().is_empty(), "nothing is searched without that part");

    let (endpoint, done) = with(&["--web"], "https://stackoverflow.com/q/1").await.unwrap();
    done.expect_code(0);
    let requests = web.received_requests().await.unwrap();
    assert_eq!(requests.len(), 2, "the first search and Helper's own");
    for request in &requests {
        let body: serde_json::Value = serde_json::from_slice(&request.body).unwrap();
        let query = body["query"].as_str().unwrap();
        assert!(query.chars().count() <= 200 && !query.contains("RingBuffer"), "{query}");
        assert!(body["include_domains"].as_array().unwrap().contains(&json!("stackoverflow.com")));
    }
    let helper = endpoint.served_to("Helper")[0].prompt();
    assert!(helper.contains("[https://stackoverflow.com/q/1] Ring full"), "{helper}");
    assert!(!helper.contains("github.com"), "repairs are at home there");
    assert_eq!(done.json()["retrieved"]["dropped"], 1);
    assert!(!format!("{done}").contains(KEY) && endpoint.served().iter().all(|r| !r.body.to_string().contains(KEY)));

    // What left is told, and the run can be repeated where neither the web nor its key is to be had.
    let run = done.json()["run_dir"].as_str().unwrap().to_owned();
    let manifest = std::fs::read_to_string(format!("{run}/data_manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let searches = manifest["searches"].as_array().unwrap();
    assert_eq!(searches.len(), 2);
    assert_eq!(searches[1], "full too early one slot free");
    tokio::task::spawn_blocking(move || Unidebug::new(&["replay", &run]).run().expect_code(0).code).await.unwrap();
    assert_eq!(web.received_requests().await.unwrap().len(), 2);
}

#[test]
fn a_web_that_fails_costs_its_results_and_no_more() {
    let (endpoint, done) = run(from("capacity-one-free"), &["--web"], Some("http://127.0.0.1:9"));
    done.expect_code(0);
    assert!(endpoint.served_to("Helper")[0].prompt().contains("capacity-one-free"));
}

#[test]
fn a_missing_key_and_a_missing_corpus_are_named_before_anything_is_paid() {
    let done = Unidebug::new(&["run", BUG, "--model", "builtin", "--web"]).run();
    done.expect_code(4);
    assert!(done.stderr.contains("TAVILY_API_KEY"), "{done}");
    let done = Unidebug::new(&["run", BUG, "--model", "builtin", "--corpus", "nowhere"]).run();
    done.expect_code(3);
    assert!(done.stderr.contains("nowhere") && done.stderr.contains("rem.txt"), "{done}");
}
