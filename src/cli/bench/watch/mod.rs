//! `unidebug bench watch`: a batch while it is worked on, on the terminal or as a page on this machine.

mod look;
mod server;

use super::args::BenchWatchArgs;
use super::live::Live;
use crate::batch::{self, Plan};
use crate::cli::error::Failure;
use crate::cli::{interrupt, tell};
use camino::{Utf8Path, Utf8PathBuf};
use std::time::Duration;

/// Between two looks for the terminal.
const LOOK: Duration = Duration::from_secs(1);

/// Watches until it is interrupted; on the terminal also until nothing is left to do.
///
/// # Errors
/// There is no batch; the address is taken.
pub(super) async fn watch(args: &BenchWatchArgs) -> Result<u8, Failure> {
    let folder = std::path::absolute(&args.batch).ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
    let folder = folder.unwrap_or_else(|| args.batch.clone());
    let plan = Plan::read(&folder)?;
    if args.serve {
        return server::serve(folder, plan, args.port, |url| {
            tell(&format!(
                "{url}\nCtrl-C ends it; from another machine: ssh -L 8080:{} HOST",
                &url["http://".len()..].trim_end_matches('/')
            ));
        })
        .await;
    }
    on_terminal(&folder, &plan).await
}

async fn on_terminal(folder: &Utf8Path, plan: &Plan) -> Result<u8, Failure> {
    let before = batch::progress(folder, plan);
    let (live, gate) = (Live::new(before.units, before.over, false), interrupt::gate());
    loop {
        let progress = batch::progress(folder, plan);
        live.tell(&progress);
        if progress.over == progress.units {
            live.finish();
            return Ok(0);
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = gate.closed() => {
                live.finish();
                return Ok(0);
            }
        }
    }
}
