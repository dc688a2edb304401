//! The only way from a build to the network: a server of this program that hands out files of Maven repositories.
//!
//! It reads from the repositories that the user's settings name, and from public ones that the project names. It
//! keeps what it fetched, with sums that fit, in this program's repository, which no project can write. It takes
//! nothing, so nothing leaves but the names of what is asked for; a build sees no password.

mod path;
mod upstream;

pub(super) use upstream::{Upstream, of_project, of_user};

use crate::sandbox::Door;
use camino::{Utf8Path, Utf8PathBuf};
use data_encoding::HEXLOWER;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::ext::ReasonPhrase;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use sha1::{Digest, Sha1};
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
/// Length of the word that a caller must know.
const WORD: usize = 24;
/// Files with the sums of others.
const SUMS: &[&str] = &[".sha1", ".md5", ".sha256", ".sha512", ".asc"];
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
    /// Opens one that keeps what it fetches in `store`, a repository as Maven lays it out.
    pub(super) async fn open(store: &Utf8Path, upstreams: Vec<Upstream>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("unidebug-").rand_bytes(WORD).tempdir()?;
        let path = Utf8Path::from_path(folder.path()).ok_or_else(|| io::Error::other("a path that is no text"))?;
        let word = path.file_name().unwrap_or_default().to_owned();
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let door = Door { port: tcp.local_addr()?.port(), socket: path.join("socket") };
        let unix = UnixListener::bind(&door.socket)?;
        let url = format!("http://127.0.0.1:{}/{word}", door.port);
        let upstreams = upstreams.into_iter().map(Upstream::connected).collect::<io::Result<_>>()?;
        let shelf = Arc::new(Shelf { store: store.to_owned(), word, upstreams });
        let by_port = shelf.clone();
        let tasks = vec![
            tokio::spawn(async move {
                while let Ok((stream, _)) = tcp.accept().await {
                    tokio::spawn(serve(stream, by_port.clone()));
                }
            }),
            tokio::spawn(async move {
                while let Ok((stream, _)) = unix.accept().await {
                    tokio::spawn(serve(stream, shelf.clone()));
                }
            }),
        ];
        Ok(Self { door, url, folder, tasks })
    }
}

/// What came of a request.
enum Answer {
    File(Vec<u8>),
    /// No repository has it.
    NotFound,
    /// Some repository could not be asked.
    Unreachable(String),
}

/// Answers the one request of a connection.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, shelf: Arc<Shelf>) {
    let service = service_fn(|request| {
        let shelf = shelf.clone();
        async move { Ok::<_, Infallible>(respond(&request, &shelf).await) }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(PATIENCE).keep_alive(false);
    // Who does not wait for the answer has no use for it.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(request: &Request<Incoming>, shelf: &Shelf) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let Some(path) = path::below(&shelf.word, &request.uri().to_string()) else {
        return empty(StatusCode::FORBIDDEN);
    };
    match shelf.find(&path).await {
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

/// What is kept, and where the rest comes from.
struct Shelf {
    store: Utf8PathBuf,
    word: String,
    upstreams: Vec<upstream::Connected>,
}

impl Shelf {
    async fn find(&self, path: &Utf8Path) -> Answer {
        let kept = self.kept_as(path);
        // Releases never change; what is said about versions does.
        let changes = path.as_str().contains("-SNAPSHOT/") || is_metadata(path);
        if !changes && let Some(bytes) = self.read(&kept) {
            return Answer::File(bytes);
        }
        let mut out_of_reach = None;
        for upstream in &self.upstreams {
            match self.fetch(upstream, path).await {
                Ok(Some(bytes)) => return Answer::File(bytes),
                Ok(None) => {}
                Err(why) => out_of_reach = Some(why),
            }
        }
        match (out_of_reach, self.read(&kept)) {
            (Some(_), Some(bytes)) => Answer::File(bytes),
            (Some(why), None) => Answer::Unreachable(why),
            (None, _) => Answer::NotFound,
        }
    }

    /// Where Maven looks for a file of one mirror.
    fn kept_as(&self, path: &Utf8Path) -> Utf8PathBuf {
        let name = path.file_name().unwrap_or_default();
        let local = name.strip_prefix("maven-metadata.xml").map(|end| format!("maven-metadata-{ID}.xml{end}"));
        self.store.join(path).with_file_name(local.as_deref().unwrap_or(name))
    }

    fn read(&self, kept: &Utf8Path) -> Option<Vec<u8>> {
        let bytes = std::fs::read(kept).ok()?;
        // What names the repository it came from would only be used for that one; not there, it does not matter.
        let _ = std::fs::remove_file(kept.with_file_name("_remote.repositories"));
        Some(bytes)
    }

    /// Fetches a file whose sum fits and keeps both.
    async fn fetch(&self, upstream: &upstream::Connected, path: &Utf8Path) -> Result<Option<Vec<u8>>, String> {
        let Some(bytes) = upstream.get(path.as_str()).await? else { return Ok(None) };
        if !SUMS.iter().any(|end| path.as_str().ends_with(end)) {
            let sum = format!("{path}.sha1");
            if let Some(said) = upstream.get(&sum).await? {
                let word = String::from_utf8_lossy(&said).split_whitespace().next().unwrap_or_default().to_lowercase();
                if word != HEXLOWER.encode(&Sha1::digest(&bytes)) {
                    return Err(format!("the sum of {path} is wrong"));
                }
                self.keep(Utf8Path::new(&sum), &said);
            }
        }
        self.keep(path, &bytes);
        Ok(Some(bytes))
    }

    /// Keeping is for the next time only, so a full disk is no error here.
    fn keep(&self, path: &Utf8Path, bytes: &[u8]) {
        let kept = self.kept_as(path);
        let Some(folder) = kept.parent() else { return };
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            let new = tempfile::NamedTempFile::new_in(folder)?;
            std::fs::write(new.path(), bytes)?;
            let _ = std::fs::remove_file(kept.with_file_name("_remote.repositories"));
            new.persist(&kept).map_err(|error| error.error)
        });
        if let Err(error) = written {
            tracing::warn!("{kept} is not kept: {error}");
        }
    }
}

fn is_metadata(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|name| name.starts_with("maven-metadata"))
}

#[cfg(test)]
mod tests;
