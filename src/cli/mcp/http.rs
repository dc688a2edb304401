//! Streamable HTTP, on loopback only. A page in a browser reaches loopback too, so a request must name this host, and
//! one that says where its page comes from is refused.

use super::server::Server;
use crate::cli::error::Failure;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Serves until the process is told to stop.
///
/// # Errors
/// The port is taken.
pub(super) async fn serve(server: Server, port: u16) -> Result<(), Failure> {
    let taken = |error: std::io::Error| {
        Failure::unusable(format!("--http {port}: {error}"), "name another port, or 0 for a free one")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(taken)?;
    let port = listener.local_addr().map_err(taken)?.port();
    let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
    let config = StreamableHttpServerConfig::default().with_allowed_hosts(hosts).enforce_origin_validation();
    let service =
        StreamableHttpService::new(move || Ok(server.another()), Arc::new(LocalSessionManager::default()), config);
    crate::cli::tell(&format!("serving http://127.0.0.1:{port}/mcp"));
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let service = TowerToHyperService::new(service.clone());
        // A client that leaves in the middle is its own affair.
        tokio::spawn(async move {
            let http = hyper::server::conn::http1::Builder::new();
            if let Err(error) = http.serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!("a client left: {error}");
            }
        });
    }
}
