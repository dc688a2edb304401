//! The only way from a build to the network: a server of this program that hands out files of Maven repositories.
//!
//! It reads from the repositories that the user's settings name, and from public ones that the project names: in its poms,
//! or in what it asks for. It keeps what it fetched, with sums that fit, in this program's folders, which no project can
//! write. It takes nothing, so nothing leaves but the names of what is asked for; a build sees no password.

mod named;
mod path;
mod shelf;
mod upstream;

pub(super) use upstream::{Upstream, of_project, of_user, public};

use crate::sandbox::Door;
use camino::{Utf8Path, Utf8PathBuf};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::ext::ReasonPhrase;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use named::Named;
use path::Requested;
use shelf::{Answer, Shelf};
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinHandle;

/// Larger files are no libraries.
const MOST_BYTES: usize = 1 << 30;
/// Longest wait for the first byte of an answer, and between two parts of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// Length of the secret that a caller must know.
const WORD: usize = 24;
/// How Maven's own repository calls what it knows of versions, when one mirror stands for all repositories.
pub(super) const ID: &str = "central";

/// A running server; it ends when this is dropped.
pub(super) struct Mirror {
    /// How a job reaches it.
    pub(super) door: Door,
    /// Its address for the job.
    pub(super) url: String,
    /// A private folder that lives as long.
    pub(super) folder: tempfile::TempDir,
    tasks: Vec<JoinHandle<()>>,
}

impl Drop for Mirror {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl Mirror {
    /// What a build tool says, without the mirror's address: it is gone when somebody reads that.
    pub(super) fn unnamed(&self, output: &str) -> String {
        output.replace(&self.url, "mirror")
    }

    /// Opens one that keeps what it fetches in `store`, a repository as Maven lays it out. It fetches nothing that the
    /// `local` repository of the user holds.
    pub(super) async fn open(
        store: &Utf8Path,
        local: Option<Utf8PathBuf>,
        upstreams: Vec<Upstream>,
    ) -> io::Result<Self> {
        Self::open_with(Shelf::new(store, upstreams)?.beside(local), None).await
    }

    /// Opens one that also asks the public repository that a request names, if `upstreams` do not have a file. What comes
    /// from there is kept in `named`, for requests that name the same repository.
    pub(super) async fn open_to_named(
        store: &Utf8Path,
        upstreams: Vec<Upstream>,
        named: &Utf8Path,
    ) -> io::Result<Self> {
        Self::open_with(Shelf::new(store, upstreams)?, Some(Named::new(named, named::Asks::Public))).await
    }

    /// Opens one that hands out what the other kind kept, and fetches nothing.
    pub(super) async fn open_kept(store: &Utf8Path, named: &Utf8Path) -> io::Result<Self> {
        Self::open_with(Shelf::new(store, Vec::new())?, Some(Named::new(named, named::Asks::Nobody))).await
    }

    async fn open_with(users: Shelf, named: Option<Named>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("unidebug-").rand_bytes(WORD).tempdir()?;
        let path = Utf8Path::from_path(folder.path()).ok_or_else(|| io::Error::other("a path that is no text"))?;
        let secret = path.file_name().unwrap_or_default().to_owned();
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let door = Door { port: tcp.local_addr()?.port(), socket: path.join("socket") };
        let unix = UnixListener::bind(&door.socket)?;
        let url = format!("http://127.0.0.1:{}/{secret}", door.port);
        let served = Arc::new(Served { secret, users, named });
        let by_port = served.clone();
        let tasks = vec![
            tokio::spawn(async move {
                while let Ok((stream, _)) = tcp.accept().await {
                    tokio::spawn(serve(stream, by_port.clone()));
                }
            }),
            tokio::spawn(async move {
                while let Ok((stream, _)) = unix.accept().await {
                    tokio::spawn(serve(stream, served.clone()));
                }
            }),
        ];
        Ok(Self { door, url, folder, tasks })
    }
}

/// Answers the one request of a connection.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, served: Arc<Served>) {
    let service = service_fn(|request| {
        let served = served.clone();
        async move { Ok::<_, Infallible>(respond(&request, &served).await) }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(PATIENCE).keep_alive(false);
    // Who does not wait for the answer has no use for it.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(request: &Request<Incoming>, served: &Served) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let Some(requested) = path::below(&served.secret, &request.uri().to_string()) else {
        return empty(StatusCode::FORBIDDEN);
    };
    match served.answer(&requested).await {
        Answer::File(bytes) => Response::new(Full::new(bytes.into())),
        Answer::NotFound => empty(StatusCode::NOT_FOUND),
        Answer::Unreachable(why) => {
            let mut response = empty(StatusCode::SERVICE_UNAVAILABLE);
            // Build tools show their users the reason, and no body.
            if let Ok(reason) = ReasonPhrase::try_from(why) {
                response.extensions_mut().insert(reason);
            }
            response
        }
    }
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}

/// What a caller who knows the secret is handed out.
struct Served {
    secret: String,
    users: Shelf,
    /// Repositories that requests name, where they may.
    named: Option<Named>,
}

impl Served {
    /// The user's repositories come first: a project cannot put its own file under a name that they know.
    async fn answer(&self, requested: &Requested) -> Answer {
        let users = self.users.find(&requested.path).await;
        let Some(url) = &requested.repository else { return users };
        let Some(named) = self.named.as_ref().filter(|_| !matches!(users, Answer::File(_))) else { return users };
        match named.find(url, &requested.path).await {
            Answer::NotFound => users,
            found => found,
        }
    }
}

#[cfg(test)]
mod tests;
