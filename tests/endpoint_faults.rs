//! What endpoints do wrong, over real HTTP: each fault has its class, and only what can pass is tried again.

use crate::support::{Endpoint, Reply};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use unidebug::domain::Cost;
use unidebug::llm::{Answer, ChatModel, Endpoint as Address, Message, ModelError, OpenAi, Patience, Query, Secret};

const KEY: &str = "sk-canary-0123456789abcdef";

fn patience() -> Patience {
    Patience {
        connect: Duration::from_secs(2),
        idle: Duration::from_millis(600),
        total: Duration::from_millis(1500),
        first_contact: Duration::from_secs(1),
        tries: 3,
        first_pause: Duration::from_millis(5),
        longest_pause: Duration::from_secs(3),
    }
}

fn model_at(base_url: &str) -> OpenAi {
    let address = Address { patience: patience(), ..Address::new(base_url, Some(Secret::new(KEY))) };
    OpenAi::new(address).unwrap()
}

fn query() -> Query {
    Query {
        model: "scripted".into(),
        messages: vec![Message { role: "system".into(), content: "# Fixer\nwork".into() }],
        tools: Vec::new(),
        form: None,
        effort: None,
        temperature: Some(0.2),
        max_tokens: Some(100),
        sample: 0,
    }
}

/// Asks once; also returns how many requests were served.
async fn ask(replies: impl IntoIterator<Item = Reply>) -> (Result<Answer, ModelError>, usize) {
    let endpoint = Endpoint::in_order(replies);
    let answer = model_at(&endpoint.base_url()).ask(&query()).await;
    if let Err(error) = &answer {
        assert!(!error.to_string().contains(KEY), "the key shows: {error}");
    }
    (answer, endpoint.served().len())
}

fn good() -> Reply {
    Reply::text("fine")
}

fn error(message: &str) -> String {
    json!({"error": {"message": message, "type": "x", "code": null}}).to_string()
}

#[tokio::test]
async fn what_can_pass_is_tried_again() {
    let faults = [
        Reply::status(429, r#"{"error": {"message": "slow down", "code": 429}}"#),
        Reply::status(429, r#"[{"error": {"message": "quota", "status": "RESOURCE_EXHAUSTED"}}]"#),
        Reply::status(408, error("timeout")),
        Reply::status(409, error("conflict")),
        Reply::status(500, "oops"),
        Reply::status(502, "<html><title>Bad gateway</title></html>"),
        Reply::status(503, ""),
        Reply::status(529, error("overloaded")),
        Reply::Json(json!({"error": {"message": "provider returned error", "code": 502}})),
        Reply::Json(json!({"choices": []})),
        Reply::Json(json!({"id": "x"})),
        Reply::status(200, r#"{"choices": [{"mess"#),
        Reply::HangUp,
        Reply::Half(Box::new(good())),
        Reply::After(Duration::from_secs(1), Box::new(good())),
        Reply::Drip(Duration::from_millis(200), Box::new(good())),
    ];
    for fault in faults {
        let (answer, served) = ask([fault.clone(), good()]).await;
        assert_eq!(answer.unwrap_or_else(|error| panic!("{fault:?}: {error}")).text, "fine");
        assert_eq!(served, 2, "{fault:?}");
    }
}

#[tokio::test]
async fn what_does_not_pass_ends_as_failed_after_all_tries() {
    let (answer, served) = ask([Reply::status(503, error("down"))]).await;
    let failed = answer.unwrap_err();
    assert!(
        matches!(&failed, ModelError::Failed(text) if text.to_string().contains("HTTP 503") && text.to_string().contains("(3 tries)")),
        "{failed}"
    );
    assert_eq!(served, 3);
    let (answer, served) = ask([Reply::Json(json!({"choices": []}))]).await;
    assert!(matches!(answer, Err(ModelError::Failed(text)) if text.what.contains("no choices")));
    assert_eq!(served, 2, "an empty answer may have been paid: it is asked for once more only");
}

#[tokio::test]
async fn a_refused_key_ends_at_once_and_names_its_tail() {
    for refusal in [
        Reply::status(401, error("incorrect key")),
        Reply::status(401, "<html><title>401 Authorization Required</title></html>"),
        Reply::status(403, error("country not supported")),
        Reply::status(402, error("payment required")),
        Reply::status(
            429,
            r#"{"error": {"message": "you exceeded your current quota", "code": "insufficient_quota"}}"#,
        ),
    ] {
        let (answer, served) = ask([refusal.clone()]).await;
        assert!(matches!(answer, Err(ModelError::Auth(_))), "{refusal:?}");
        assert_eq!(served, 1, "{refusal:?}");
    }
    let (answer, _) = ask([Reply::status(401, error("no"))]).await;
    assert!(answer.unwrap_err().to_string().contains("…cdef"));
}

#[tokio::test]
async fn other_classes_are_told_apart() {
    type Is = fn(&ModelError) -> bool;
    let cases: [(Reply, Is); 9] = [
        (Reply::status(404, error("The model `scripted` does not exist")), |e| {
            matches!(e, ModelError::UnknownModel(_))
        }),
        (Reply::status(400, error("Model Not Exist")), |e| matches!(e, ModelError::UnknownModel(_))),
        (Reply::status(400, r#"{"error": {"message": "too long", "code": "context_length_exceeded"}}"#), |e| {
            matches!(e, ModelError::ContextLength(_))
        }),
        (Reply::status(400, error("prompt is too long: 210000 tokens")), |e| matches!(e, ModelError::ContextLength(_))),
        (Reply::status(400, error("messages must not be empty")), |e| matches!(e, ModelError::BadRequest(_))),
        (Reply::status(422, r#"{"detail": [{"msg": "field required"}]}"#), |e| matches!(e, ModelError::BadRequest(_))),
        (
            Reply::status(404, "404 page not found"),
            |e| matches!(e, ModelError::Unreachable(t) if t.to_string().contains("/v1")),
        ),
        (
            Reply::status(200, "<html><title>Welcome</title></html>"),
            |e| matches!(e, ModelError::Unreachable(text) if text.to_string().contains("Welcome") && text.to_string().contains("/v1")),
        ),
        (
            Reply::status(307, "").with_header("location", "http://elsewhere.example/"),
            |e| matches!(e, ModelError::Unreachable(text) if text.to_string().contains("elsewhere.example")),
        ),
    ];
    for (reply, is) in cases {
        let (answer, served) = ask([reply.clone()]).await;
        let error = answer.unwrap_err();
        assert!(is(&error), "{reply:?}: {error:?}");
        assert_eq!(served, 1, "{reply:?}");
    }
}

#[tokio::test]
async fn odd_answers_are_answers() {
    let choice = |message: Value, finish: Value| json!({"index": 0, "message": message, "finish_reason": finish});
    let odd = json!({"service_tier": "on_demand", "created": 1.5, "choices": [choice(json!({"content": "fine"}), json!("odd"))]});
    let answer = ask([Reply::Json(odd)]).await.0.unwrap();
    assert_eq!((answer.text.as_str(), answer.finish.as_deref()), ("fine", Some("odd")));
    assert_eq!(answer.usage.cost_usd, Cost::UNKNOWN, "usage was missing: its price is unknown, not zero");
    assert!(answer.usage.prompt_tokens > 0 && answer.usage.completion_tokens > 0);
    let cut = json!({"choices": [choice(json!({"content": "half"}), json!("length"))], "usage": {"cost": 0.5}});
    let answer = ask([Reply::Json(cut)]).await.0.unwrap();
    assert_eq!((answer.finish.as_deref(), answer.usage.cost_usd), (Some("length"), Cost(Some(0.5))));
    let thinking = json!({"choices": [choice(json!({"content": "a", "reasoning_content": "because"}), Value::Null)]});
    assert_eq!(
        ask([Reply::Json(thinking)]).await.0.unwrap().raw["choices"][0]["message"]["reasoning_content"],
        "because"
    );
    let answer = ask([Reply::call("write_fix", &json!({"diff": "x"}))]).await.0.unwrap();
    assert_eq!((answer.calls[0].name.as_str(), answer.calls[0].arguments.as_str()), ("write_fix", r#"{"diff":"x"}"#));
}

#[tokio::test]
async fn retry_after_is_waited_for_in_all_forms_and_capped() {
    let date = || httpdate::fmt_http_date(std::time::SystemTime::now() + Duration::from_secs(3));
    let forms: [(&str, &dyn Fn() -> String, f64, f64); 4] = [
        ("retry-after", &|| "1".to_owned(), 1.0, 1.6),
        ("retry-after", &|| "0.5".to_owned(), 0.5, 1.0),
        ("retry-after-ms", &|| "300".to_owned(), 0.3, 0.8),
        ("retry-after", &date, 1.5, 3.4),
    ];
    for (name, value, low, high) in forms {
        let started = Instant::now();
        let (answer, served) = ask([Reply::status(429, error("slow")).with_header(name, &value()), good()]).await;
        let took = started.elapsed().as_secs_f64();
        assert!(answer.is_ok() && served == 2);
        assert!((low..high).contains(&took), "{name}: {} took {took} s", value());
    }
    let started = Instant::now();
    let (answer, _) = ask([Reply::status(503, "").with_header("retry-after", "86400"), good()]).await;
    assert!(answer.is_ok() && started.elapsed() < Duration::from_secs(4), "a day is not waited for");
}

#[tokio::test]
async fn a_parameter_that_is_refused_is_left_out_from_then_on() {
    let endpoint = Endpoint::start(|_, _, body| {
        if body.get("max_tokens").is_some() {
            let text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
            return Reply::status(
                400,
                json!({"error": {"message": text, "param": "max_tokens", "code": "unsupported_parameter"}}).to_string(),
            );
        }
        if body.get("temperature").is_some() {
            let text = "Unsupported value: 'temperature' does not support 0.2 with this model.";
            return Reply::status(
                400,
                json!({"error": {"message": text, "param": "temperature", "code": "unsupported_value"}}).to_string(),
            );
        }
        good()
    });
    let model = model_at(&endpoint.base_url());
    assert_eq!(model.ask(&query()).await.unwrap().text, "fine");
    assert_eq!(endpoint.served().len(), 3);
    assert_eq!(model.ask(&query()).await.unwrap().text, "fine");
    let served = endpoint.served();
    assert_eq!(served.len(), 4, "the second question pays for no lesson again");
    assert_eq!(served[3].body["max_completion_tokens"], 100);
}

#[tokio::test]
async fn only_the_endpoint_sees_the_key() {
    let endpoint = Endpoint::in_order([good()]);
    let model = model_at(&endpoint.base_url());
    model.ask(&query()).await.unwrap();
    let served = &endpoint.served()[0];
    assert_eq!(served.authorization.as_deref(), Some(format!("Bearer {KEY}").as_str()));
    assert!(!served.body.to_string().contains(KEY) && !format!("{model:?}").contains(KEY));
    assert_eq!((served.agent.as_str(), served.body["model"].as_str()), ("Fixer", Some("scripted")));
}

#[tokio::test]
async fn nobody_at_the_address_is_unreachable_and_somebody_who_left_is_failed() {
    let gone = Endpoint::in_order([good()]);
    let address = gone.base_url();
    let model = model_at(&address);
    model.ask(&query()).await.unwrap();
    drop(gone);
    std::thread::sleep(Duration::from_millis(50));
    assert!(matches!(model.ask(&query()).await, Err(ModelError::Failed(_))));
    let refused = model_at(&address).ask(&query()).await.unwrap_err();
    assert!(matches!(&refused, ModelError::Unreachable(text) if text.to_string().contains("hint:")), "{refused}");
}

#[tokio::test]
async fn first_contact_tells_a_wrong_address_key_or_model() {
    let listing = Endpoint::listing(&["gpt-4o-mini", "gpt-4o-2024-08-06", "o3"], |_, _, _| good());
    let model = model_at(&listing.base_url());
    model.reach("gpt-4o-mini").await.unwrap();
    model.reach("gpt-4o").await.unwrap();
    let unknown = model.reach("gtp-4o-mini").await.unwrap_err();
    assert!(
        matches!(&unknown, ModelError::UnknownModel(text) if text.to_string().contains("nearest: `gpt-4o-mini`")),
        "{unknown}"
    );
    let forgotten = model_at(&listing.root_url()).reach("o3").await.unwrap_err();
    assert!(matches!(&forgotten, ModelError::Unreachable(text) if text.to_string().contains("/v1`")), "{forgotten}");
    assert!(listing.served().is_empty(), "first contact pays nothing");

    let without_list = Endpoint::in_order([good()]);
    model_at(&without_list.base_url()).reach("anything").await.unwrap();

    let server = wiremock::MockServer::start().await;
    wiremock::Mock::given(wiremock::matchers::path("/v1/models"))
        .respond_with(wiremock::ResponseTemplate::new(401).set_body_string("<html>no</html>"))
        .mount(&server)
        .await;
    let refused = model_at(&format!("{}/v1", server.uri())).reach("m").await.unwrap_err();
    assert!(
        matches!(&refused, ModelError::Auth(text) if text.to_string().contains("…cdef") && !text.to_string().contains(KEY)),
        "{refused}"
    );

    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let started = Instant::now();
    let late = model_at(&format!("http://{}/v1", silent.local_addr().unwrap())).reach("m").await.unwrap_err();
    assert!(matches!(late, ModelError::Unreachable(_)));
    assert!(started.elapsed() < Duration::from_secs(3));
}

/// A streamed answer in pieces, as servers send it.
fn pieces(end: &[&str]) -> Vec<String> {
    let delta =
        |delta: Value| json!({"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]}).to_string();
    let call = |part: Value| delta(json!({"tool_calls": [part]}));
    let mut events = vec![
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"content": "fi"})),
        delta(json!({"content": "ne", "reasoning_content": "hm"})),
        call(json!({"index": 0, "id": "c", "function": {"name": "write_fix", "arguments": "{\"di"}})),
        call(json!({"index": 0, "function": {"arguments": "ff\": 1}"}})),
        call(json!({"index": 1, "function": {"name": "run_tests", "arguments": ""}})),
    ];
    events.extend(end.iter().map(|event| (*event).to_owned()));
    events
}

#[tokio::test]
async fn a_stream_is_put_together_and_a_cut_one_is_asked_for_again() {
    let done = [
        r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}"#,
        r#"{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}"#,
        "[DONE]",
    ];
    let pause = Duration::from_millis(2);
    let whole = || Reply::Stream(pause, pieces(&done));
    for (faults, served) in [
        (vec![], 1),
        (vec![Reply::Stream(pause, pieces(&[]))], 2),
        (vec![Reply::Stream(pause, pieces(&[r#"{"error": {"message": "overloaded", "code": 529}}"#]))], 2),
        (vec![Reply::Stream(Duration::from_millis(900), pieces(&done))], 2),
    ] {
        let endpoint = Endpoint::in_order(faults.into_iter().chain([whole()]));
        let address = Address { patience: patience(), stream: true, ..Address::new(&endpoint.base_url(), None) };
        let answer = OpenAi::new(address).unwrap().ask(&query()).await.unwrap();
        assert_eq!((answer.text.as_str(), answer.finish.as_deref()), ("fine", Some("tool_calls")));
        let calls: Vec<(&str, &str)> =
            answer.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        assert_eq!(calls, [("write_fix", "{\"diff\": 1}"), ("run_tests", "")]);
        assert_eq!((answer.usage.prompt_tokens, answer.usage.completion_tokens), (9, 4));
        assert_eq!(answer.raw["choices"][0]["message"]["reasoning_content"], "hm");
        assert_eq!(endpoint.served().len(), served);
        assert_eq!(endpoint.served()[0].body["stream_options"]["include_usage"], true);
    }
    let plain = Endpoint::in_order([good()]);
    let address = Address { patience: patience(), stream: true, ..Address::new(&plain.base_url(), None) };
    assert_eq!(
        OpenAi::new(address).unwrap().ask(&query()).await.unwrap().text,
        "fine",
        "servers without streams answer too"
    );
}
