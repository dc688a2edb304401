//! What to type when a run is over.

use super::config::{Config, Dollars, Time};
use super::frozen::Frozen;
use super::runs;
use crate::benchmark::LOCAL;
use crate::domain::words::span;
use crate::domain::{Cap, TestId};
use crate::report::{RunReport, VerdictWord};
use camino::Utf8Path;
use std::collections::BTreeMap;

/// How much longer a run may take that goes on after its time.
const LONGER: u32 = 5;

/// The lines, the likeliest first.
/// `applied` when the patch stands in the project already, `failing` the tests that had to pass.
pub(super) fn lines(report: &RunReport, failing: &[TestId], applied: bool) -> Vec<String> {
    let folder = Utf8Path::new(&report.run_dir);
    let (name, is_local) = (quoted(&runs::name(folder)), report.bug.benchmark == LOCAL);
    let frozen = Frozen::read(folder).ok();
    let bug = if is_local { quoted(&report.bug.name) } else { report.bug.to_string() };
    let alone = smallest_class(failing).filter(|_| is_local).map(|class| {
        format!("unidebug run {bug} --failing {}   # its tests alone, if there are several bugs", quoted(class))
    });
    match report.verdict {
        VerdictWord::Plausible if is_local && !applied => vec![format!("unidebug apply {name}")],
        VerdictWord::Plausible => Vec::new(),
        VerdictWord::StoppedAtCap => {
            let cap = frozen.as_ref().and_then(|frozen| raised(report.cap.as_ref()?.cap?, &frozen.settings));
            let resume = cap.map(|cap| format!("unidebug resume {name} {cap}"));
            resume.into_iter().chain(alone).chain([format!("unidebug inspect {name}")]).collect()
        }
        VerdictWord::NotReproduced => vec![format!("unidebug inspect {name}")],
        VerdictWord::NoRepair => {
            let is_builtin = report.model.name == "builtin";
            let model = is_builtin.then(|| format!("unidebug run {bug} --model NAME"));
            model.into_iter().chain(alone).chain([format!("unidebug inspect {name}")]).collect()
        }
    }
}

/// Of several classes or modules the one in which the fewest tests fail: what fails there may be a bug of its own.
fn smallest_class(failing: &[TestId]) -> Option<&str> {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    failing.iter().for_each(|test| *count.entry(test.outer_class()).or_default() += 1);
    if count.len() < 2 {
        return None;
    }
    count.into_iter().min_by_key(|(_, tests)| *tests).map(|(class, _)| class)
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
    fn of_several_classes_that_with_the_fewest_failing_tests_is_proposed() {
        let tests = |names: &[&str]| names.iter().map(|name| name.parse().unwrap()).collect::<Vec<TestId>>();
        assert_eq!(smallest_class(&tests(&["p.ATest#a", "p.ATest#b", "p.BTest#c"])), Some("p.BTest"));
        assert_eq!(smallest_class(&tests(&["p.ATest#a", "p.ATest$Inner#b"])), None);
    }

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
