//! `--log`: what happens inside, on stderr. Spans nest as the work does: level, agent, cycle, call or tool.

use super::error::Failure;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Words that mean this program's own log, not that of its libraries.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Begins to log; nothing is logged without `--log`.
///
/// # Errors
/// The filter is none.
pub(super) fn start(filter: Option<&str>) -> Result<(), Failure> {
    let wanted = filter.unwrap_or("off");
    let directives = match LEVELS.contains(&wanted) {
        true => format!("unidebug={wanted}"),
        false => wanted.to_owned(),
    };
    let filter = EnvFilter::try_new(&directives).map_err(|error| {
        Failure::usage(
            format!("--log: `{wanted}` is no level and no filter: {error}"),
            format!("write one of {}", LEVELS.join(", ")),
        )
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never)
        .with_span_events(FmtSpan::CLOSE)
        .log_internal_errors(false)
        .init();
    Ok(())
}
