//! What to type when a run is over.

use super::config::{Config, Dollars, Time};
use super::frozen::Frozen;
use super::runs;
use crate::benchmark::LOCAL;
use crate::domain::Cap;
use crate::domain::words::span;
use crate::report::{RunReport, VerdictWord};
use camino::Utf8Path;

/// How much longer a run may take that goes on after its time.
const LONGER: u32 = 5;

/// The lines, the likeliest first; `applied` when the patch stands in the project already.
pub fn lines(report: &RunReport, applied: bool) -> Vec<String> {
    let folder = Utf8Path::new(&report.run_dir);
    let (name, is_local) = (quoted(&runs::name(folder)), report.bug.benchmark == LOCAL);
    let frozen = Frozen::read(folder).ok();
    match report.verdict {
        VerdictWord::Plausible if is_local && !applied => vec![format!("unidebug apply {name}")],
        VerdictWord::Plausible => Vec::new(),
        VerdictWord::StoppedAtCap => {
            let cap = frozen.as_ref().and_then(|frozen| raised(report.cap.as_ref()?.cap?, &frozen.settings));
            let resume = cap.map(|cap| format!("unidebug resume {name} {cap}"));
            resume.into_iter().chain([format!("unidebug inspect {name}")]).collect()
        }
        VerdictWord::NoRepair => {
            let alone = report.model.name == "builtin";
            let bug = if is_local { quoted(&report.bug.name) } else { report.bug.to_string() };
            let model = alone.then(|| format!("unidebug run {bug} --model NAME"));
            model.into_iter().chain([format!("unidebug inspect {name}")]).collect()
        }
    }
}

/// The cap that ended a run, with more room; `None` where it was not set.
fn raised(cap: Cap, settings: &Config) -> Option<String> {
    let value = match cap {
        Cap::Time => span(settings.max_time.map(|Time(time)| time)? * LONGER),
        Cap::Cost => settings.max_cost.map(|Dollars(usd)| 2.0 * usd)?.to_string(),
        Cap::Tokens => (2 * settings.max_tokens?).to_string(),
        Cap::Validations => (2 * settings.max_validations?).to_string(),
    };
    Some(format!("{} {value}", cap.flag()))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_cap_that_ended_a_run_is_raised() {
        let settings = Config {
            max_time: Some(Time(Duration::from_secs(60))),
            max_cost: Some(Dollars(0.25)),
            max_tokens: Some(1000),
            ..Config::default()
        };
        let of = |cap| raised(cap, &settings);
        assert_eq!(of(Cap::Time).unwrap(), "--max-time 5m");
        assert_eq!(of(Cap::Cost).unwrap(), "--max-cost 0.5");
        assert_eq!(of(Cap::Tokens).unwrap(), "--max-tokens 2000");
        assert_eq!(of(Cap::Validations), None, "it was not set");
        assert_eq!([quoted("/a/b-c"), quoted("my dir")], ["/a/b-c", "'my dir'"]);
    }
}
