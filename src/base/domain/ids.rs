//! Names of things, as types, so that one cannot be passed for another.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One entry of a benchmark: `quixbugs-java:GCD`, `fixtures:stack-peek`, `local:/abs/dir`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct BugId {
    /// The benchmark's name.
    pub benchmark: String,
    /// The bug's name inside its benchmark.
    pub name: String,
}

/// Text that is not of the form an id needs.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{text}` is not {wanted}")]
pub struct InvalidId {
    /// What was given.
    pub text: String,
    /// The form that was expected.
    pub wanted: &'static str,
}

impl FromStr for BugId {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        match text.split_once(':') {
            Some((benchmark, name)) if !benchmark.is_empty() && !name.is_empty() => {
                Ok(Self { benchmark: benchmark.into(), name: name.into() })
            }
            _ => Err(InvalidId { text: text.into(), wanted: "a bug id of the form `benchmark:id`" }),
        }
    }
}

impl fmt::Display for BugId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.benchmark, self.name)
    }
}

/// A test method, `package.Class#method`; parameterised invocations keep their suffix (`name[1]`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TestId {
    /// The class with its package, nested classes separated by `$`.
    pub class: String,
    /// The method; empty when the class itself failed to initialise.
    pub method: String,
}

/// The outermost class of a class, which its file is named after: `a.Cart` of `a.Cart$Line$1`.
pub fn outer_class(class: &str) -> &str {
    class.split('$').next().unwrap_or(class)
}

impl TestId {
    /// An id from its two parts.
    pub fn new(class: impl Into<String>, method: impl Into<String>) -> Self {
        Self { class: class.into(), method: method.into() }
    }

    /// As pytest spells it: `tests/test_cart.py::TestCart::test_total[3]` is `tests.test_cart$TestCart#test_total[3]`.
    fn of_pytest(file: &str, rest: &str) -> Self {
        let (head, invocation) = rest.split_at(rest.find('[').unwrap_or(rest.len()));
        let mut parts: Vec<&str> = head.split("::").filter(|part| !part.is_empty()).collect();
        let is_class = |name: &&str| name.starts_with(char::is_uppercase) && invocation.is_empty();
        let method = parts.pop_if(|last| !is_class(&&**last)).unwrap_or_default();
        let module = file.trim_start_matches("./").replace('/', ".");
        let classes: String = parts.iter().map(|part| format!("${part}")).collect();
        Self::new(format!("{module}{classes}"), format!("{method}{invocation}"))
    }

    /// The method's name without the suffix of a parameterised invocation.
    pub fn bare_method(&self) -> &str {
        self.method.split(['[', '(', '{']).next().unwrap_or(&self.method)
    }

    /// The method of which it is an invocation.
    pub fn of_method(&self) -> Self {
        Self::new(&self.class, self.bare_method())
    }

    /// The outermost class around it.
    pub fn outer_class(&self) -> &str {
        outer_class(&self.class)
    }

    /// The class's name without its package.
    pub fn simple_class(&self) -> &str {
        self.class.rsplit('.').next().unwrap_or(&self.class)
    }
}

impl FromStr for TestId {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        // The first separator counts: behind it, values of an invocation may hold others.
        let separator = text.find("::").into_iter().chain(text.find('#')).min();
        let (class, rest) = text.split_at(separator.unwrap_or(text.len()));
        let by_pytest = !rest.starts_with('#');
        if let Some(file) = class.strip_suffix(".py").filter(|_| by_pytest) {
            return Ok(Self::of_pytest(file, rest));
        }
        let method = rest.strip_prefix("::").or_else(|| rest.strip_prefix('#')).unwrap_or_default();
        // Examples in a text, as pytest spells them: `docs/use.rst::use.rst`.
        let is_text = [".rst", ".txt", ".md"].iter().any(|end| class.ends_with(end));
        if is_text && by_pytest && (separator.is_some() || class.contains('/')) {
            return Ok(Self::new(class.trim_start_matches("./").replace('/', "."), method));
        }
        if class.is_empty() {
            return Err(InvalidId { text: text.into(), wanted: "a test of the form `Class#method`" });
        }
        Ok(Self::new(class, method))
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.method.is_empty() { f.write_str(&self.class) } else { write!(f, "{}#{}", self.class, self.method) }
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $type(pub String);
        impl $type {
            /// The name as text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl From<&str> for $type {
            fn from(text: &str) -> Self { Self(text.to_owned()) }
        }
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
    };
}

name! {
    /// A tool as a model calls it: `read_range`.
    ToolName
}
name! {
    /// An agent as its profile names it: `locator`, `fixer_pro`.
    AgentName
}

/// A level of the escalation. Level 0 is the built-in engine run before the first paid call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// The built-in engine, before the first paid call.
    First,
    /// Locator, Fixer.
    L1,
    /// L1 with Slicer, Summarizer, FixerPro.
    L2,
    /// L2 with Helper, RepoFocus.
    L3,
    /// Reflection in reversed order, after L3 failed.
    Refine,
}

impl Level {
    /// The name used in texts: `L1`.
    pub fn label(self) -> &'static str {
        match self {
            Self::First => "level 0",
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::L3 => "L3",
            Self::Refine => "refine",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl Serialize for Level {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::First => s.serialize_u8(0),
            Self::L1 => s.serialize_u8(1),
            Self::L2 => s.serialize_u8(2),
            Self::L3 => s.serialize_u8(3),
            Self::Refine => s.serialize_str("refine"),
        }
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Wire {
            Number(u8),
            Name(String),
        }
        match Wire::deserialize(d)? {
            Wire::Number(0) => Ok(Self::First),
            Wire::Number(1) => Ok(Self::L1),
            Wire::Number(2) => Ok(Self::L2),
            Wire::Number(3) => Ok(Self::L3),
            Wire::Name(name) if name == "refine" => Ok(Self::Refine),
            _ => Err(serde::de::Error::custom("a level is 0, 1, 2, 3 or \"refine\"")),
        }
    }
}

macro_rules! serde_as_text {
    ($type:ty) => {
        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.to_string()
            }
        }
        impl TryFrom<String> for $type {
            type Error = <$type as FromStr>::Err;
            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}
serde_as_text!(BugId);
serde_as_text!(TestId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_in_both_spellings() {
        let id: TestId = "a.BTest::works".parse().unwrap();
        assert_eq!(id, "a.BTest#works".parse().unwrap());
        assert_eq!(TestId::new("a.B", "sum[2]").bare_method(), "sum");
        for (pytest, ours) in [
            ("tests/test_cart.py::TestCart::test_total[a::b]", "tests.test_cart$TestCart#test_total[a::b]"),
            ("./test_cart.py::test_total", "test_cart#test_total"),
            ("a/test_cart.py::TestCart", "a.test_cart$TestCart"),
            ("a/test_cart.py", "a.test_cart"),
            ("a/test_cart.py::test_slice[0::1]", "a.test_cart#test_slice[0::1]"),
            ("a/test_cart.py::test_reads[b.py::c]", "a.test_cart#test_reads[b.py::c]"),
            ("a (old)/test_cart.py::test_total", "a (old).test_cart#test_total"),
            ("a.pytest/test_cart.py", "a.pytest.test_cart"),
            ("docs/use.rst::use.rst", "docs.use.rst#use.rst"),
            ("docs/use.rst", "docs.use.rst"),
        ] {
            let id: TestId = pytest.parse().unwrap();
            assert_eq!((id.to_string().as_str(), ours.parse()), (ours, Ok(id)));
        }
    }

    #[test]
    fn levels_have_the_wire_form_of_the_report() {
        assert_eq!(serde_json::to_string(&[Level::First, Level::L3, Level::Refine]).unwrap(), r#"[0,3,"refine"]"#);
        assert_eq!(serde_json::from_str::<Level>("\"refine\"").unwrap(), Level::Refine);
    }
}
