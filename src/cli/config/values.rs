//! Values of settings as people write them: times, sums, levels, caps.

use crate::agent::ablation::Part;
use crate::domain::{InvalidValue, Level};
use crate::escalate::level;
use crate::localize::Formula;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A wall time above zero: `60s`, `5m`, `1h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Time(pub Duration);

impl FromStr for Time {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let wrong = || InvalidValue::from(format!("`{text}` is no time; write 60s, 5m or 1h"));
        let span: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
        let time = Duration::try_from(span).map_err(|_| wrong())?;
        if time.is_zero() { Err(wrong()) } else { Ok(Self(time)) }
    }
}

impl TryFrom<String> for Time {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Time> for String {
    fn from(time: Time) -> Self {
        format!("{}s", time.0.as_secs_f64())
    }
}

/// US dollars above zero: `0.5`, `$0.50`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "Sum", into = "f64")]
pub struct Dollars(pub f64);

/// A sum as a file or a variable holds it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Sum {
    Number(f64),
    Text(String),
}

impl FromStr for Dollars {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.trim_start_matches('$').parse::<f64>() {
            Ok(usd) if usd.is_finite() && usd > 0.0 => Ok(Self(usd)),
            _ => Err(format!("`{text}` is no sum of US dollars above 0").into()),
        }
    }
}

impl TryFrom<Sum> for Dollars {
    type Error = InvalidValue;

    fn try_from(sum: Sum) -> Result<Self, InvalidValue> {
        match sum {
            Sum::Number(usd) => usd.to_string().parse(),
            Sum::Text(text) => text.parse(),
        }
    }
}

impl From<Dollars> for f64 {
    fn from(usd: Dollars) -> Self {
        usd.0
    }
}

/// Levels that may be entered, lowest first: `L1`, or a range `L1..L3`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Levels(pub Vec<Level>);

impl FromStr for Levels {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let offered = level::OFFERED;
        let names: Vec<&str> = offered.iter().map(|l| l.label()).collect();
        let find = |name: &str| {
            let named = offered.iter().copied().find(|l| l.label().eq_ignore_ascii_case(name));
            named.ok_or_else(|| InvalidValue::from(format!("`{name}` is no level; there is {}", names.join(", "))))
        };
        let (first, last) = match text.split_once("..") {
            Some((first, last)) => (find(first)?, find(last)?),
            None => (find(text)?, find(text)?),
        };
        let chosen: Vec<Level> = offered.iter().copied().filter(|l| (first..=last).contains(l)).collect();
        if chosen.is_empty() { Err(format!("`{text}` runs backwards").into()) } else { Ok(Self(chosen)) }
    }
}

impl TryFrom<String> for Levels {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<Levels> for String {
    fn from(levels: Levels) -> Self {
        match levels.0.as_slice() {
            [] => Self::new(),
            [only] => only.label().to_owned(),
            [first, .., last] => format!("{}..{}", first.label(), last.label()),
        }
    }
}

/// A formula of suspiciousness, by its name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FormulaArg(pub Formula);

impl FromStr for FormulaArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let known = || Formula::ALL.map(Formula::name).join(", ");
        let named = Formula::by_name(&text.to_lowercase()).map(Self);
        named.ok_or_else(|| format!("`{text}` is no formula; there is {}", known()).into())
    }
}

impl TryFrom<String> for FormulaArg {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<FormulaArg> for String {
    fn from(formula: FormulaArg) -> Self {
        formula.0.name().to_owned()
    }
}

/// A part that is left out, by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PartArg(pub Part);

impl FromStr for PartArg {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        text.parse().map(Self)
    }
}

impl TryFrom<String> for PartArg {
    type Error = InvalidValue;

    fn try_from(text: String) -> Result<Self, InvalidValue> {
        text.parse()
    }
}

impl From<PartArg> for String {
    fn from(part: PartArg) -> Self {
        part.0.label().to_owned()
    }
}

/// What one request may use; what is not set is not capped here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CallCap {
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// What it may cost, in US dollars.
    pub cost: Option<Dollars>,
    /// Wall time of one try.
    pub time: Option<Time>,
}

/// What one run of one agent may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgentCap {
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// What it may cost, in US dollars.
    pub cost: Option<Dollars>,
    /// Wall time of the whole run.
    pub time: Option<Time>,
    /// Queries that are sent to a model.
    pub cycles: Option<u32>,
    /// Candidates that are judged.
    pub validations: Option<u64>,
}

/// What one pass of one level may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LevelCap {
    /// Tokens, sent and received.
    pub tokens: Option<u64>,
    /// What it may cost, in US dollars.
    pub cost: Option<Dollars>,
    /// Wall time of the whole run.
    pub time: Option<Time>,
    /// Candidates that are judged.
    pub validations: Option<u64>,
}

/// Caps inside the bug's own, which are `max_tokens`, `max_cost`, `max_time` and `max_validations`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CapTable {
    /// Of one request.
    pub call: CallCap,
    /// Of one run of one agent.
    pub agent: AgentCap,
    /// Of one pass of one level.
    pub level: LevelCap,
}

/// One `--cap agent.tokens=20000`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CapFlag {
    /// `agent`.
    pub part: String,
    /// `tokens`.
    pub what: String,
    /// `20000`.
    pub most: String,
}

impl FromStr for CapFlag {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let wrong = || InvalidValue::from(format!("`{text}` is no cap; write PART.WHAT=MOST, as agent.tokens=20000"));
        let (name, most) = text.split_once('=').ok_or_else(wrong)?;
        let (part, what) = name.split_once('.').ok_or_else(wrong)?;
        Ok(Self { part: part.into(), what: what.into(), most: most.into() })
    }
}

impl fmt::Display for CapFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}={}", self.part, self.what, self.most)
    }
}

/// Caps of the command line as the tables that a file would hold.
pub(super) fn as_tables<S: Serializer>(flags: &[CapFlag], to: S) -> Result<S::Ok, S::Error> {
    let mut parts = Map::new();
    for CapFlag { part, what, most } in flags {
        let value = serde_json::from_str(most).ok().filter(Value::is_number).unwrap_or_else(|| most.as_str().into());
        let part = parts.entry(part.clone()).or_insert_with(|| Value::Object(Map::new()));
        if let Some(part) = part.as_object_mut() {
            part.insert(what.clone(), value);
        }
    }
    parts.serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_and_bad_ones_are_explained() {
        let levels = |text: &str| text.parse::<Levels>();
        assert_eq!(levels("L1").unwrap().0, vec![Level::L1]);
        assert_eq!(levels("l1..L1").unwrap().0, vec![Level::L1]);
        assert_eq!(levels("L1..L3").unwrap().0, vec![Level::L1, Level::L2, Level::L3]);
        assert!(levels("L3..L1").unwrap_err().contains("runs backwards"));
        assert!(levels("L9").unwrap_err().contains("`L9` is no level"));
        assert_eq!(String::from(levels("l1..l3").unwrap()), "L1..L3");
    }

    #[test]
    fn times_and_sums_are_read_as_people_write_them() {
        assert_eq!("60s".parse(), Ok(Time(Duration::from_secs(60))));
        assert_eq!("5m".parse(), Ok(Time(Duration::from_secs(300))));
        assert_eq!(String::from(Time(Duration::from_millis(1500))).parse(), Ok(Time(Duration::from_millis(1500))));
        for wrong in ["", "60", "-5s", "0s", "soon"] {
            assert!(wrong.parse::<Time>().is_err(), "{wrong:?}");
        }
        assert_eq!("$0.50".parse(), Ok(Dollars(0.5)));
        for wrong in ["", "0", "-1", "NaN", "inf", "much"] {
            assert!(wrong.parse::<Dollars>().is_err(), "{wrong:?}");
        }
    }
}
