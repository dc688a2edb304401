//! A local endpoint for batches of requests, OpenAI's and Anthropic's: files, batches, lists and results as the published
//! references have them. Each request of a batch is answered by script when the batch has been looked at often enough.
#![allow(dead_code)]

use super::endpoint::{Reply, Request, agent_of, read_request, rendered_body, response};
use serde_json::{Value, json};
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A batch that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// Its id.
    pub id: String,
    /// What was attached to it.
    pub metadata: Value,
    /// Name and body of each request.
    pub requests: Vec<(String, Value)>,
    replies: Vec<Reply>,
    looks: usize,
}

impl Made {
    fn of(shared: &Shared, id: String, metadata: &Value, requests: Vec<(String, Value)>) -> Self {
        let replies = requests.iter().map(|(_, body)| (shared.script)(&agent_of(body), body)).collect();
        Self { id, metadata: metadata.clone(), requests, replies, looks: 0 }
    }

    /// Name, body and reply of each request, in another order than the requests.
    fn answered(&self) -> impl Iterator<Item = (&String, &Value, &Reply)> {
        self.requests.iter().zip(&self.replies).rev().map(|((name, body), reply)| (name, body, reply))
    }
}

#[derive(Default)]
struct State {
    files: Vec<String>,
    batches: Vec<Made>,
}

type Script = dyn Fn(&str, &Value) -> Reply + Send + Sync;

struct Shared {
    script: Box<Script>,
    /// How often a batch is looked at before it is over.
    looks: usize,
    state: Mutex<State>,
    closing: AtomicBool,
}

/// A running endpoint; it ends when it is dropped.
pub struct Batches {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Batches {
    /// Answers each request of a batch, when it is made, by a function of its agent and body; `HangUp` stands for one that expired.
    pub fn start(looks: usize, script: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared =
            Shared { script: Box::new(script), looks, state: Mutex::default(), closing: AtomicBool::new(false) };
        let shared = Arc::new(shared);
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if accepting.closing.load(Ordering::SeqCst) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || serve(&shared, stream));
            }
        });
        Self { address, shared }
    }

    /// For `--base-url`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every batch that was made, in order.
    pub fn made(&self) -> Vec<Made> {
        self.shared.state.lock().unwrap().batches.clone()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(shared: &Shared, mut stream: TcpStream) {
    let Some(request) = read_request(&stream) else { return };
    let mut words = request.line.split_whitespace();
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or("").to_owned());
    let mut state = shared.state.lock().unwrap();
    let path = path.split('?').next().unwrap_or("").trim_start_matches("/v1").to_owned();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let text = match (method, &parts[..]) {
        ("POST", ["files"]) => {
            state.files.push(uploaded(&request));
            json!({"id": format!("file-{}", state.files.len()), "object": "file", "purpose": "batch"}).to_string()
        }
        ("POST", ["batches"]) => {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            assert_eq!(
                (&body["completion_window"], &body["endpoint"]),
                (&json!("24h"), &json!("/v1/chat/completions"))
            );
            let file: usize = body["input_file_id"].as_str().unwrap().trim_start_matches("file-").parse().unwrap();
            let lines = state.files[file - 1].lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let requests = lines.map(|line| (line["custom_id"].as_str().unwrap().to_owned(), line["body"].clone()));
            let made =
                Made::of(shared, format!("batch_{}", state.batches.len() + 1), &body["metadata"], requests.collect());
            state.batches.push(made);
            shown(state.batches.last().unwrap(), shared.looks).to_string()
        }
        ("GET", ["batches"]) => {
            let all: Vec<Value> = state.batches.iter().rev().map(|made| shown(made, shared.looks)).collect();
            json!({"object": "list", "data": all, "has_more": false}).to_string()
        }
        ("GET", ["batches", id]) => {
            let made = state.batches.iter_mut().find(|made| made.id == *id).unwrap();
            made.looks += 1;
            shown(made, shared.looks).to_string()
        }
        ("GET", ["files", id, "content"]) => {
            let (kind, id) = id.split_once('-').unwrap();
            let made = state.batches.iter().find(|made| made.id == id).unwrap();
            results(made, kind == "errors")
        }
        ("POST", ["messages", "batches"]) => {
            assert_eq!(request.headers["anthropic-version"], "2023-06-01");
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let requests = body["requests"].as_array().unwrap().iter();
            let requests = requests.map(|one| (one["custom_id"].as_str().unwrap().to_owned(), one["params"].clone()));
            let id = format!("msgbatch_{}", state.batches.len() + 1);
            state.batches.push(Made::of(shared, id, &Value::Null, requests.collect()));
            message_batch(state.batches.last().unwrap(), shared.looks).to_string()
        }
        ("GET", ["messages", "batches"]) => {
            let all: Vec<Value> = state.batches.iter().rev().map(|made| message_batch(made, shared.looks)).collect();
            json!({"data": all, "has_more": false}).to_string()
        }
        ("GET", ["messages", "batches", id]) => {
            let made = state.batches.iter_mut().find(|made| made.id == *id).unwrap();
            made.looks += 1;
            message_batch(made, shared.looks).to_string()
        }
        ("GET", ["messages", "batches", id, "results"]) => {
            message_results(state.batches.iter().find(|made| made.id == *id).unwrap())
        }
        _ => {
            let _ = stream.write_all(response(404, &[], "404 page not found").as_bytes());
            return;
        }
    };
    let _ = stream.write_all(response(200, &[], &text).as_bytes());
}

/// The file in a form of several parts.
fn uploaded(request: &Request) -> String {
    let kind = &request.headers["content-type"];
    let boundary = kind.split("boundary=").nth(1).unwrap().trim_matches('"');
    let body = String::from_utf8(request.body.clone()).unwrap();
    let parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
    assert!(parts.iter().any(|part| part.contains("name=\"purpose\"") && part.contains("batch")), "{body}");
    let file = parts.iter().find(|part| part.contains("name=\"file\"") && part.contains("filename=")).unwrap();
    file.split_once("\r\n\r\n").unwrap().1.trim().to_owned()
}

fn shown(made: &Made, looks: usize) -> Value {
    let over = made.looks >= looks;
    let (total, id) = (made.requests.len(), &made.id);
    json!({
        "id": id, "object": "batch", "status": if over { "completed" } else { "in_progress" }, "errors": null,
        "output_file_id": over.then(|| format!("output-{id}")), "error_file_id": over.then(|| format!("errors-{id}")),
        "request_counts": {"total": total, "completed": if over { total } else { 0 }, "failed": 0},
        "metadata": made.metadata,
    })
}

/// Lines of the file of answers, or of that of errors; in another order than the requests.
fn results(made: &Made, errors: bool) -> String {
    let mut lines = String::new();
    for (id, body, reply) in made.answered() {
        let (status, response) = match reply {
            Reply::HangUp => (0, Value::Null),
            Reply::Status(status, _, text) => (*status, serde_json::from_str(text).unwrap()),
            _ => (200, rendered_body(reply, "/v1/chat/completions", body)),
        };
        let line = match status {
            0 => json!({"id": "x", "custom_id": id, "response": null,
                "error": {"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}}),
            _ => json!({"id": "x", "custom_id": id, "error": null,
                "response": {"status_code": status, "request_id": "r", "body": response}}),
        };
        if (status != 200) == errors {
            lines += &format!("{line}\n");
        }
    }
    lines
}

fn message_batch(made: &Made, looks: usize) -> Value {
    let over = made.looks >= looks;
    let total = made.requests.len();
    let now = now_written();
    json!({
        "id": made.id, "type": "message_batch", "processing_status": if over { "ended" } else { "in_progress" },
        "request_counts": {"processing": if over { 0 } else { total }, "succeeded": if over { total } else { 0 },
            "errored": 0, "canceled": 0, "expired": 0},
        "created_at": now, "results_url": over.then_some("https://elsewhere.example/never-asked"),
    })
}

/// Now, as RFC 3339 has it: a batch is never older than its request.
fn now_written() -> String {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    jiff::Timestamp::from_second(i64::try_from(seconds).unwrap()).unwrap().to_string()
}

fn message_results(made: &Made) -> String {
    let mut lines = String::new();
    for (id, body, reply) in made.answered() {
        let result = match reply {
            Reply::HangUp => json!({"type": "expired"}),
            Reply::Status(_, _, text) => {
                json!({"type": "errored", "error": serde_json::from_str::<Value>(text).unwrap()})
            }
            _ => json!({"type": "succeeded", "message": rendered_body(reply, "/v1/messages", body)}),
        };
        lines += &format!("{}\n", json!({"custom_id": id, "result": result}));
    }
    lines
}
