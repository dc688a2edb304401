//! The server behind the page: on loopback alone, read only, one page, its style and script, events, and a page of each
//! run. A name that is none of this machine's in `Host` is refused, so that no other site can read it through a browser.

use super::look::Look;
use crate::batch::Plan;
use crate::cli::error::Failure;
use crate::cli::interrupt;
use crate::report::walk::{self, Walk};
use crate::report::watch;
use camino::Utf8PathBuf;
use futures::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch as channel};

/// Most connections at a time.
const CONNECTIONS: usize = 64;
/// How long a request may take to come.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the batch is looked at while somebody watches.
const LOOK: Duration = Duration::from_secs(1);
/// Where looking takes long, as on a share, it is done less often: so many times as long is waited.
const REST: u32 = 20;
/// What pages may load: themselves. Run pages hold their style and their script.
const POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'";

type Body = BoxBody<Bytes, Infallible>;
type Latest = Option<Arc<Value>>;

/// What is served.
struct Served {
    folder: Utf8PathBuf,
    /// Run directories that may be shown.
    units: BTreeSet<String>,
    latest: channel::Receiver<Latest>,
}

/// Serves until it is interrupted; `begun` gets the address.
///
/// # Errors
/// The address is taken.
pub(super) async fn serve(folder: Utf8PathBuf, plan: Plan, port: u16, begun: impl Fn(&str)) -> Result<u8, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        Failure::unusable(
            format!("port {port} of this machine cannot be served on: {error}"),
            "choose another with `--port`",
        )
    })?;
    let address = listener.local_addr().map_err(|error| Failure::io("finding the address", &error))?;
    let (sender, latest) = channel::channel(None);
    let units = plan.units().into_iter().map(|unit| unit.folder.to_string()).collect();
    let looking = tokio::spawn(look_on(Look::at(folder.clone(), &plan), sender));
    let served = Arc::new(Served { folder, units, latest });
    begun(&format!("http://{address}/"));
    let (gate, places) = (interrupt::gate(), Arc::new(Semaphore::new(CONNECTIONS)));
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = gate.closed() => break,
        };
        let (Ok((stream, _)), Ok(place)) = (stream, places.clone().try_acquire_owned()) else { continue };
        let served = served.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let served = served.clone();
                async move { Ok::<_, Infallible>(respond(&request, &served).await) }
            });
            let mut server = hyper::server::conn::http1::Builder::new();
            server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
            // Who goes away has no use for the rest.
            let _ = server.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
    }
    looking.abort();
    Ok(0)
}

/// Looks at the batch while somebody listens.
async fn look_on(mut look: Look, sender: channel::Sender<Latest>) {
    loop {
        // One receiver is the server's own.
        if sender.receiver_count() > 1 {
            let begin = Instant::now();
            let looked = tokio::task::spawn_blocking(move || {
                let snapshot = look.now();
                (look, snapshot)
            });
            let Ok((again, snapshot)) = looked.await else { return };
            look = again;
            let value = Arc::new(json!(snapshot));
            sender.send_if_modified(|latest| {
                let is_new = latest.as_ref().is_none_or(|known| **known != *value);
                if is_new {
                    *latest = Some(value);
                }
                is_new
            });
            tokio::time::sleep(LOOK.max(begin.elapsed() * REST)).await;
        } else {
            tokio::time::sleep(LOOK / 10).await;
        }
    }
}

async fn respond(request: &Request<Incoming>, served: &Served) -> Response<Body> {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("");
    if !is_of_this_machine(host) {
        return plain(StatusCode::FORBIDDEN, "this page is only for the machine that serves it");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return plain(StatusCode::METHOD_NOT_ALLOWED, "this page can only be read");
    }
    match request.uri().path() {
        "/" => match watch::html(served.folder.as_str()) {
            Ok(page) => typed("text/html; charset=utf-8", page),
            Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        },
        "/page.css" => typed("text/css; charset=utf-8", watch::css()),
        "/page.js" => typed("text/javascript; charset=utf-8", watch::script()),
        "/events" => events(served.latest.clone()),
        path => match path.strip_prefix("/run/") {
            Some(unit) => run(served, unit).await,
            None => plain(StatusCode::NOT_FOUND, "there is no such page"),
        },
    }
}

/// Whether a name in `Host` is one of this machine's loopback; any port, because a tunnel has its own.
fn is_of_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(""),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    ["localhost", "127.0.0.1", "::1"].contains(&name.to_ascii_lowercase().as_str())
}

/// The page of a run as it is now.
async fn run(served: &Served, unit: &str) -> Response<Body> {
    let unit = percent_encoding::percent_decode_str(unit).decode_utf8_lossy().into_owned();
    if !served.units.contains(&unit) {
        return plain(StatusCode::NOT_FOUND, "this batch has no such run");
    }
    let dir = served.folder.join(unit);
    let made = tokio::task::spawn_blocking(move || {
        let walk = Walk::read(&dir).map_err(|error| error.to_string())?;
        walk::html(&[walk]).map_err(|error| error.to_string())
    });
    match made.await {
        Ok(Ok(page)) => {
            // Text of runs is escaped: the only script in it is the page's own.
            let nonce = format!("{:032x}", fastrand::u128(..));
            let page = page.replacen("<script>", &format!("<script nonce=\"{nonce}\">"), 1);
            let mut response = typed("text/html; charset=utf-8", page);
            let policy = format!("{POLICY} 'nonce-{nonce}'");
            if let Ok(policy) = HeaderValue::from_str(&policy) {
                response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
            }
            response
        }
        Ok(Err(why)) => plain(StatusCode::NOT_FOUND, &format!("this run cannot be shown yet: {why}")),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "this run cannot be shown"),
    }
}

/// The batch as it is, then whenever it changes: of the bugs only those that changed.
fn events(latest: channel::Receiver<Latest>) -> Response<Body> {
    let known: HashMap<String, Value> = HashMap::new();
    // What was there before is news for this one.
    let mut latest = latest;
    latest.mark_changed();
    let stream_of_events = stream::unfold((latest, known), |(mut latest, mut known)| async move {
        loop {
            latest.changed().await.ok()?;
            let now = latest.borrow_and_update().clone();
            let Some(now) = now else { continue };
            let text = format!("event: batch\ndata: {}\n\n", changes(&now, &mut known));
            let frame = Ok::<_, Infallible>(Frame::data(Bytes::from(text)));
            return Some((frame, (latest, known)));
        }
    });
    let mut response = typed("text/event-stream", "");
    *response.body_mut() = BodyExt::boxed(StreamBody::new(stream_of_events));
    response
}

/// The same with only those bugs that are not known as they are.
fn changes(now: &Value, known: &mut HashMap<String, Value>) -> Value {
    let mut changed = serde_json::Map::new();
    for (name, value) in now.as_object().into_iter().flatten() {
        if name != "bugs" {
            changed.insert(name.clone(), value.clone());
            continue;
        }
        let mut new = Vec::new();
        for bug in value.as_array().into_iter().flatten() {
            let unit = bug["unit"].as_str().unwrap_or("").to_owned();
            if known.get(&unit) != Some(bug) {
                known.insert(unit, bug.clone());
                new.push(bug.clone());
            }
        }
        changed.insert(name.clone(), Value::Array(new));
    }
    Value::Object(changed)
}

fn typed(kind: &'static str, text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(text.into()).boxed());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    headers.insert("cache-control", HeaderValue::from_static("no-store"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    response
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = typed("text/plain; charset=utf-8", text.to_owned());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_served() {
        for host in ["127.0.0.1:8080", "localhost", "LOCALHOST:9", "[::1]:80"] {
            assert!(is_of_this_machine(host), "{host}");
        }
        for host in ["", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1:80"] {
            assert!(!is_of_this_machine(host), "{host}");
        }
    }

    #[test]
    fn a_bug_that_did_not_change_is_told_once() {
        let mut known = HashMap::new();
        let now = json!({"units": 2, "bugs": [{"unit": "a", "state": "waiting"}, {"unit": "b", "state": "waiting"}]});
        assert_eq!(changes(&now, &mut known)["bugs"].as_array().unwrap().len(), 2);
        let next = json!({"units": 2, "bugs": [{"unit": "a", "state": "at work"}, {"unit": "b", "state": "waiting"}]});
        assert_eq!(changes(&next, &mut known)["bugs"], json!([{"unit": "a", "state": "at work"}]));
    }
}
