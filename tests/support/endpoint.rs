//! A local endpoint (chat completions, Responses, Anthropic's messages) that answers by script and keeps a ledger of all it was asked.
//!
//! Written on bare sockets, because a test must be able to break every rule of HTTP that a real server breaks.
#![allow(dead_code)]

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the endpoint does with one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// An assistant's text, with usage.
    Text(String),
    /// A native tool call: name and arguments as they are sent.
    Call(String, String),
    /// A whole JSON body with status 200: odd shapes, missing usage.
    Json(Value),
    /// A status with headers and any body.
    Status(u16, Vec<(String, String)>, String),
    /// Events of a stream, each sent as one `data:` line after the pause; how it ends is up to the events.
    Stream(Duration, Vec<String>),
    /// Another reply, later.
    After(Duration, Box<Reply>),
    /// The connection closes without a byte.
    HangUp,
    /// The head and half of the body of another reply, then the connection closes.
    Half(Box<Reply>),
    /// One byte of another reply's body in each pause.
    Drip(Duration, Box<Reply>),
}

impl Reply {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The documented form of a command: `{thoughts, command: {name, args}}`.
    pub fn command(name: &str, args: Value) -> Self {
        Self::Text(json!({"thoughts": "scripted", "command": {"name": name, "args": args}}).to_string())
    }

    /// A native tool call.
    pub fn call(name: &str, args: &Value) -> Self {
        Self::Call(name.to_owned(), args.to_string())
    }

    /// A status with a body and no special headers.
    pub fn status(status: u16, body: impl Into<String>) -> Self {
        Self::Status(status, Vec::new(), body.into())
    }

    /// The same with one more header.
    pub fn with_header(self, name: &str, value: &str) -> Self {
        match self {
            Self::Status(status, mut headers, body) => {
                headers.push((name.to_owned(), value.to_owned()));
                Self::Status(status, headers, body)
            }
            other => panic!("only a status has headers of its own: {other:?}"),
        }
    }
}

/// One request, as the ledger keeps it.
#[derive(Debug, Clone)]
pub struct Served {
    /// From the first line of the system prompt, `# Fixer`; empty when there is none.
    pub agent: String,
    /// Which request of this agent, from 1.
    pub nth: usize,
    /// The body as it came.
    pub body: Value,
    /// The path of the call.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// All headers, names in lower case.
    pub headers: HashMap<String, String>,
    /// When it was read.
    pub started: Instant,
    /// When the reply was out; equal to `started` while it is not.
    pub ended: Instant,
    /// Tokens that the reply's usage named: prompt and completion; zero when it named none.
    pub tokens: (u64, u64),
}

impl Served {
    /// All text of the request's messages.
    pub fn prompt(&self) -> String {
        texts(&self.body).join("\n")
    }
}

/// Texts of a request's messages, in any of the three forms.
fn texts(body: &Value) -> Vec<&str> {
    let system = body["system"].as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
    let messages = body["messages"].as_array().or(body["input"].as_array()).into_iter().flatten();
    system.chain(messages.filter_map(|message| message["content"].as_str())).collect()
}

type Script = dyn Fn(&str, usize, &Value) -> Reply + Send + Sync;

struct Shared {
    script: Box<Script>,
    models: Option<Vec<String>>,
    ledger: Mutex<Vec<Served>>,
    counts: Mutex<HashMap<String, usize>>,
    closing: AtomicBool,
}

/// A running endpoint; it ends when it is dropped.
pub struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Endpoint {
    /// Answers by a function of agent, number of its request (from 1) and body.
    pub fn start(script: impl Fn(&str, usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(Box::new(script), None)
    }

    /// Answers by a list of (agent, number of its request, reply); whatever is not listed is an HTTP 400 that says so.
    pub fn scripted(list: impl IntoIterator<Item = (&'static str, usize, Reply)>) -> Self {
        let replies: HashMap<(String, usize), Reply> =
            list.into_iter().map(|(agent, nth, reply)| ((agent.to_owned(), nth), reply)).collect();
        Self::start(move |agent, nth, _| {
            replies.get(&(agent.to_owned(), nth)).cloned().unwrap_or_else(|| {
                Reply::status(
                    400,
                    json!({"error": {"message": format!("no reply for request {nth} of `{agent}`")}}).to_string(),
                )
            })
        })
    }

    /// The n-th request gets the n-th reply, whoever asks; the last one is repeated.
    pub fn in_order(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies: Vec<Reply> = replies.into_iter().collect();
        let next = std::sync::atomic::AtomicUsize::new(0);
        Self::start(move |_, _, _| {
            let at = next.fetch_add(1, Ordering::SeqCst).min(replies.len() - 1);
            replies[at].clone()
        })
    }

    /// The same endpoint with a list of models at `/models`; without it that address is not found.
    pub fn listing(models: &[&str], script: impl Fn(&str, usize, &Value) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(Box::new(script), Some(models.iter().map(|name| (*name).to_owned()).collect()))
    }

    fn listen(script: Box<Script>, models: Option<Vec<String>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            script,
            models,
            ledger: Mutex::default(),
            counts: Mutex::default(),
            closing: AtomicBool::new(false),
        });
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

    /// The address without `/v1`.
    pub fn root_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request to `/chat/completions` so far, in the order in which they came.
    pub fn served(&self) -> Vec<Served> {
        self.shared.ledger.lock().unwrap().clone()
    }

    /// Requests of one agent.
    pub fn served_to(&self, agent: &str) -> Vec<Served> {
        self.served().into_iter().filter(|served| served.agent == agent).collect()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        // Wakes the accepting thread so that it sees the flag.
        let _ = TcpStream::connect(self.address);
    }
}

pub(super) struct Request {
    pub line: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

pub(super) fn read_request(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line, headers, body })
}

fn serve(shared: &Shared, mut stream: TcpStream) {
    let Some(request) = read_request(&stream) else { return };
    let started = Instant::now();
    if request.line.starts_with("GET") {
        let _ = stream.write_all(models(shared, &request.line).as_bytes());
        return;
    }
    let path = request.line.split_whitespace().nth(1).unwrap_or("").to_owned();
    if !["/v1/chat/completions", "/v1/messages", "/v1/responses"].contains(&path.as_str()) {
        let _ = stream.write_all(response(404, &[], "404 page not found").as_bytes());
        return;
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let agent = agent_of(&body);
    let nth = {
        let mut counts = shared.counts.lock().unwrap();
        let count = counts.entry(agent.clone()).or_default();
        *count += 1;
        *count
    };
    let reply = (shared.script)(&agent, nth, &body);
    let tokens = tokens(&reply, &body);
    let authorization = request.headers.get("authorization").cloned();
    let (headers, ended) = (request.headers, started);
    let entry = Served { agent, nth, body, path, authorization, headers, started, ended, tokens };
    let at = {
        // Before the reply, so that whoever has the reply finds the request in the ledger.
        let mut ledger = shared.ledger.lock().unwrap();
        ledger.push(entry.clone());
        ledger.len() - 1
    };
    send(&mut stream, &reply, &entry);
    shared.ledger.lock().unwrap()[at].ended = Instant::now();
}

fn models(shared: &Shared, line: &str) -> String {
    let path = line.split_whitespace().nth(1).unwrap_or("");
    match &shared.models {
        Some(models) if path == "/v1/models" => {
            let list: Vec<Value> = models.iter().map(|name| json!({"id": name, "object": "model"})).collect();
            response(200, &[], &json!({"object": "list", "data": list}).to_string())
        }
        _ => response(404, &[], "404 page not found"),
    }
}

pub(super) fn agent_of(body: &Value) -> String {
    let first = texts(body).first().copied().unwrap_or("");
    first.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or("").trim().to_owned()
}

/// Tokens as this endpoint counts them: characters divided by four.
fn tokens(reply: &Reply, body: &Value) -> (u64, u64) {
    let quarter = |text: &str| text.chars().count().div_ceil(4) as u64;
    let completion = match reply {
        Reply::Text(text) => quarter(text),
        Reply::Call(name, arguments) => quarter(name) + quarter(arguments),
        Reply::After(_, inner) | Reply::Drip(_, inner) => return tokens(inner, body),
        _ => return (0, 0),
    };
    (texts(body).into_iter().map(quarter).sum(), completion)
}

fn send(stream: &mut TcpStream, reply: &Reply, entry: &Served) {
    match reply {
        Reply::After(delay, inner) => {
            std::thread::sleep(*delay);
            send(stream, inner, entry);
        }
        Reply::HangUp => {}
        Reply::Stream(pause, events) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            for event in events {
                std::thread::sleep(*pause);
                if stream.write_all(format!("data: {event}\n\n").as_bytes()).is_err() {
                    return;
                }
            }
        }
        Reply::Half(inner) => {
            let whole = rendered(inner, entry);
            let head = whole.find("\r\n\r\n").map_or(0, |at| at + 4);
            let _ = stream.write_all(&whole.as_bytes()[..head + (whole.len() - head) / 2]);
        }
        Reply::Drip(pause, inner) => {
            let whole = rendered(inner, entry);
            let head = whole.find("\r\n\r\n").map_or(0, |at| at + 4);
            let _ = stream.write_all(&whole.as_bytes()[..head]);
            for byte in &whole.as_bytes()[head..] {
                std::thread::sleep(*pause);
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
            }
        }
        plain => {
            let _ = stream.write_all(rendered(plain, entry).as_bytes());
        }
    }
}

/// The body of a reply to a call of this path, with the counts that the reply to a request of its own would have.
pub(super) fn rendered_body(reply: &Reply, path: &str, body: &Value) -> Value {
    let now = Instant::now();
    let entry = Served {
        agent: String::new(),
        nth: 1,
        body: body.clone(),
        path: path.to_owned(),
        authorization: None,
        headers: HashMap::new(),
        started: now,
        ended: now,
        tokens: tokens(reply, body),
    };
    serde_json::from_str(rendered(reply, &entry).split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn rendered(reply: &Reply, entry: &Served) -> String {
    match (reply, entry.path.as_str()) {
        (Reply::Text(_) | Reply::Call(..), "/v1/messages") => {
            return response(200, &[], &message(reply, entry).to_string());
        }
        (Reply::Text(_) | Reply::Call(..), "/v1/responses") => {
            return response(200, &[], &whole_response(reply, entry).to_string());
        }
        _ => {}
    }
    let usage = json!({
        "prompt_tokens": entry.tokens.0,
        "completion_tokens": entry.tokens.1,
        "total_tokens": entry.tokens.0 + entry.tokens.1,
    });
    let whole = |message: Value, finish: &str| {
        let choice = json!({"index": 0, "message": message, "finish_reason": finish});
        json!({"id": "scripted", "object": "chat.completion", "created": 0, "model": entry.body["model"],
            "choices": [choice], "usage": usage})
    };
    match reply {
        Reply::Text(text) => {
            let message = json!({"role": "assistant", "content": text});
            response(200, &[], &whole(message, "stop").to_string())
        }
        Reply::Call(name, arguments) => {
            let call = json!({"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}});
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            response(200, &[], &whole(message, "tool_calls").to_string())
        }
        Reply::Json(body) => response(200, &[], &body.to_string()),
        Reply::Status(status, headers, body) => response(*status, headers, body),
        other => panic!("{other:?} is not sent at once"),
    }
}

/// An answer as Anthropic's messages have it.
fn message(reply: &Reply, entry: &Served) -> Value {
    let (block, stop) = match reply {
        Reply::Call(name, arguments) => {
            let input: Value = serde_json::from_str(arguments).unwrap();
            (json!({"type": "tool_use", "id": "toolu_1", "name": name, "input": input}), "tool_use")
        }
        Reply::Text(text) => (json!({"type": "text", "text": text}), "end_turn"),
        other => panic!("{other:?} has no message"),
    };
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": entry.body["model"], "content": [block],
        "stop_reason": stop, "stop_sequence": null, "usage": {
            "input_tokens": entry.tokens.0, "output_tokens": entry.tokens.1,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    })
}

/// An answer as OpenAI's Responses have it.
fn whole_response(reply: &Reply, entry: &Served) -> Value {
    let item = match reply {
        Reply::Call(name, arguments) => {
            json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": arguments})
        }
        Reply::Text(text) => {
            let content = json!([{"type": "output_text", "annotations": [], "text": text}]);
            json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content})
        }
        other => panic!("{other:?} has no response"),
    };
    json!({
        "id": "resp_1", "object": "response", "created_at": 0, "status": "completed", "error": null,
        "incomplete_details": null, "model": entry.body["model"],
        "output": [{"type": "reasoning", "id": "rs_1", "summary": []}, item],
        "usage": {
            "input_tokens": entry.tokens.0, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": entry.tokens.1, "total_tokens": entry.tokens.0 + entry.tokens.1,
        },
    })
}

pub(super) fn response(status: u16, headers: &[(String, String)], body: &str) -> String {
    let kind = if body.trim_start().starts_with('<') { "text/html" } else { "application/json" };
    let own: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n{own}\r\n{body}",
        body.len()
    )
}
