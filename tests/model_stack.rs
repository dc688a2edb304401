//! The models that a run is built of, put together as a run does it, over real HTTP.

use crate::support::{Endpoint, Reply, Served};
use camino::Utf8Path;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use unidebug::domain::{Cost, Usage};
use unidebug::llm::{
    Budget, Capped, Caps, ChatModel, Endpoint as Address, Message, ModelError, OpenAi, Patience, Prices, Query,
    Recorder, Redacting, Redactor, Replay, Secret,
};

const KEY: &str = "sk-canary-0123456789abcdef";
const USD_PER_TOKEN: f64 = 1e-6;

fn prices(folder: &Utf8Path) -> Arc<Prices> {
    let path = folder.join("prices.json");
    let price = json!({"scripted": {"input_cost_per_token": USD_PER_TOKEN, "output_cost_per_token": USD_PER_TOKEN}});
    std::fs::write(&path, price.to_string()).unwrap();
    Arc::new(Prices::load(&path).unwrap())
}

fn address(endpoint: &Endpoint, prices: Option<Arc<Prices>>) -> Address {
    let patience = Patience {
        idle: Duration::from_millis(500),
        total: Duration::from_secs(1),
        tries: 4,
        first_pause: Duration::from_millis(2),
        longest_pause: Duration::from_millis(20),
        ..Patience::default()
    };
    Address { patience, prices, ..Address::new(&endpoint.base_url(), Some(Secret::new(KEY))) }
}

fn query(agent: &str, text: &str) -> Query {
    let message = |role: &str, content: String| Message { role: role.into(), content };
    Query {
        model: "scripted".into(),
        messages: vec![message("system", format!("# {agent}\nwork")), message("user", text.to_owned())],
        tools: Vec::new(),
        form: None,
        effort: None,
        temperature: None,
        max_tokens: Some(64),
        sample: 0,
    }
}

fn ledger(served: &[Served]) -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let tokens = served.iter().map(|served| (served.tokens.0 + served.tokens.1) as f64).sum::<f64>();
    tokens * USD_PER_TOKEN
}

#[tokio::test]
async fn a_run_is_recorded_without_secrets_and_replayed_without_a_network() {
    let keep = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(keep.path()).unwrap();
    let prices = prices(folder);
    let endpoint = Endpoint::start(|agent, nth, _| Reply::text(format!("{agent} {nth} knows {KEY}")));
    let redactor = Arc::new(Redactor::new([Secret::new(KEY)], []));
    let client: Arc<dyn ChatModel> = Arc::new(OpenAi::new(address(&endpoint, Some(Arc::clone(&prices)))).unwrap());
    let capped = Capped::new(client, Budget::new(Caps { usd: Some(1.0), ..Caps::default() }), Some(prices));
    let recorded = Recorder::create(Arc::new(capped), &folder.join("rec"), Arc::clone(&redactor)).unwrap();
    let model = Redacting::new(Arc::new(recorded), Arc::clone(&redactor));

    let questions =
        [query("Locator", "where?"), query("Fixer", &format!("the code holds {KEY}")), query("Fixer", "again")];
    let mut answers = Vec::new();
    for question in &questions {
        answers.push(model.ask(question).await.unwrap());
    }
    let served = endpoint.served();
    assert!(served.iter().all(|served| !served.body.to_string().contains(KEY)), "the key is in a request's body");
    assert!(served[1].prompt().contains("the code holds [REDACTED:key:"));
    let file = std::fs::read_to_string(folder.join("rec/recording.jsonl")).unwrap();
    assert!(!file.contains(KEY) && answers.iter().all(|answer| !answer.text.contains(KEY)));
    let total: f64 = answers.iter().map(|answer| answer.usage.cost_usd.0.unwrap()).sum();
    assert!((total - ledger(&served)).abs() < 1e-12, "{total}");

    drop(endpoint);
    let replay = Redacting::new(Arc::new(Replay::open(&folder.join("rec")).unwrap()), redactor);
    for (question, answer) in questions.iter().zip(&answers) {
        assert_eq!(&replay.ask(question).await.unwrap(), answer);
    }
    let changed = replay.ask(&query("Fixer", "once more")).await.unwrap_err();
    assert!(matches!(&changed, ModelError::NotRecorded(text) if text.what.contains("+once more")), "{changed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_agents_at_once_do_not_exceed_the_cap_by_the_endpoints_own_ledger() {
    let keep = tempfile::tempdir().unwrap();
    let prices = prices(Utf8Path::from_path(keep.path()).unwrap());
    let endpoint = Endpoint::start(|_, nth, _| {
        Reply::After(Duration::from_millis((nth % 7) as u64), Box::new(Reply::text("x".repeat(40 * (nth % 5)))))
    });
    let client: Arc<dyn ChatModel> = Arc::new(OpenAi::new(address(&endpoint, Some(Arc::clone(&prices)))).unwrap());
    let cap = 2000.0 * USD_PER_TOKEN;
    let caps = Caps { usd: Some(cap), ..Caps::default() };
    let model = Arc::new(Capped::new(client, Budget::new(caps), Some(prices)));
    let agents: Vec<_> = (0..8)
        .map(|agent| {
            let model = Arc::clone(&model);
            tokio::spawn(async move {
                let (mut spent, mut refused) = (Usage::default(), 0);
                for turn in 0..20 {
                    match model.ask(&query("Fixer", &format!("{agent} {turn} {}", "y".repeat(turn * 8)))).await {
                        Ok(answer) => spent += answer.usage,
                        Err(ModelError::OverBudget(_)) => refused += 1,
                        Err(error) => panic!("{error}"),
                    }
                }
                (spent, refused)
            })
        })
        .collect();
    let (mut spent, mut refused) = (Usage::default(), 0);
    for agent in agents {
        let (usage, refusals) = agent.await.unwrap();
        spent += usage;
        refused += refusals;
    }
    let served = endpoint.served();
    assert!(refused > 0, "the cap was never met: {spent:?}");
    assert_eq!(spent.requests as usize, served.len());
    let (Cost(Some(reported)), paid) = (spent.cost_usd, ledger(&served)) else { panic!("{spent:?}") };
    assert!((reported - paid).abs() < 1e-12, "reported {reported}, paid {paid}");
    assert!(paid <= cap && paid > cap / 2.0, "paid {paid} of {cap}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_storm_of_faults_loses_no_answer() {
    let faults = || -> Vec<Reply> {
        vec![
            Reply::status(429, "{}").with_header("retry-after", "0.01"),
            Reply::status(429, r#"{"error": {"code": 429, "message": "slow"}}"#).with_header("retry-after", "soon"),
            Reply::status(429, "[]").with_header("retry-after-ms", "5"),
            Reply::status(500, "null"),
            Reply::status(502, "<html>"),
            Reply::status(503, "\u{0}\u{1}"),
            Reply::status(529, r#"{"error": null}"#),
            Reply::HangUp,
            Reply::Half(Box::new(Reply::text("never whole"))),
            Reply::Json(json!({"error": {"message": "upstream", "code": 503}})),
        ]
    };
    // Every answer stands behind two faults, another pair for each request.
    let endpoint = Endpoint::start(move |_, nth, body| {
        let faults = faults();
        match nth % 3 {
            0 => Reply::text(body["messages"][1]["content"].as_str().unwrap_or("").to_owned()),
            part => faults[(nth / 3 * 2 + part) % faults.len()].clone(),
        }
    });
    let model = OpenAi::new(address(&endpoint, None)).unwrap();
    for turn in 0..30 {
        let text = format!("turn {turn}");
        let answer = model.ask(&query("Fixer", &text)).await.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(answer.text, text);
    }
    assert_eq!(endpoint.served().len(), 90);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_more_requests_are_on_their_way_than_allowed() {
    let endpoint = Endpoint::start(|_, _, _| Reply::After(Duration::from_millis(40), Box::new(Reply::text("done"))));
    let address = Address { concurrency: 2, ..address(&endpoint, None) };
    let model = Arc::new(OpenAi::new(address).unwrap());
    let answers: Vec<_> = (0..6)
        .map(|turn| {
            let model = Arc::clone(&model);
            tokio::spawn(async move { model.ask(&query("Fixer", &turn.to_string())).await.map(|answer| answer.text) })
        })
        .collect();
    for answer in answers {
        assert_eq!(answer.await.unwrap().unwrap(), "done");
    }
    let served = endpoint.served();
    let at_once = |moment| served.iter().filter(|other| other.started <= moment && moment < other.ended).count();
    let most = served.iter().map(|served| at_once(served.started)).max();
    assert!(most <= Some(3), "{most:?} at once: a reply's end is noted a moment after it is sent");
    let span = served.iter().map(|s| s.ended).max().unwrap() - served.iter().map(|s| s.started).min().unwrap();
    assert!(span >= Duration::from_millis(110), "six requests of 40 ms by two at a time took {span:?}");
}

#[tokio::test]
async fn a_probe_tells_what_the_endpoint_can_do() {
    let endpoint = Endpoint::start(|_, _, body| match body.get("tools") {
        Some(_) => Reply::status(400, r#"{"error": {"message": "tool choice requires --enable-auto-tool-choice"}}"#),
        None => Reply::text("ready"),
    });
    let model = OpenAi::new(address(&endpoint, None)).unwrap();
    assert_eq!(model.probe_cost("scripted"), Cost::UNKNOWN);
    let findings = model.probe("scripted").await;
    let found: Vec<(&str, bool)> = findings.iter().map(|finding| (finding.what, finding.ok)).collect();
    assert_eq!(found, [("contact", true), ("text", true), ("tools", false), ("usage", true), ("price", false)]);
    assert!(findings[2].detail.what.contains("read from text"), "{findings:?}");
    drop(endpoint);
}
