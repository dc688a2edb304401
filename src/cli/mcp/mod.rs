//! `unidebug mcp`: a server of the Model Context Protocol. A host's agent gets the judge and the tools around it; what
//! the agent asks is data, and only the host grants folders and caps.

pub(super) mod args;

mod bench;
mod http;
mod listen;
mod resources;
mod roots;
mod server;
mod tools;
mod work;

use super::error::Failure;
use args::McpArgs;
use rmcp::ServiceExt;
use roots::Granted;
use server::Server;

/// Serves until the client leaves.
///
/// # Errors
/// A root that is no folder, a port that is taken, a broken transport.
pub(super) async fn mcp(args: McpArgs) -> Result<u8, Failure> {
    let McpArgs { root, http, settings } = args;
    let server = Server::new(settings, Granted::of(&root)?, http.is_some());
    match http {
        Some(port) => http::serve(server, port).await?,
        None => {
            let broken = |error: String| Failure::io("the client cannot be served", &std::io::Error::other(error));
            let running = server.serve(rmcp::transport::stdio()).await.map_err(|error| broken(error.to_string()))?;
            running.waiting().await.map_err(|error| broken(error.to_string()))?;
        }
    }
    Ok(0)
}
