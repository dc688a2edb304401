//! Places in the code, and how suspicious they are.

use super::{RepoPath, TestId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One line of one file, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    /// Its path in the project.
    pub file: RepoPath,
    /// The line, counted from 1.
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// First and last line of something, both inclusive, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineSpan {
    /// The line it begins on.
    pub first: u32,
    /// The line it ends on; it belongs to the span.
    pub last: u32,
}

impl LineSpan {
    /// Whether the line lies inside.
    pub fn contains(&self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }

    /// How many lines it has.
    pub fn len(&self) -> u32 {
        (self.last + 1).saturating_sub(self.first)
    }

    /// Whether it holds no line.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A line under suspicion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// The line that is suspected.
    pub location: Location,
    /// The enclosing method as `Class.name(Types)`, when there is one.
    pub method: Option<String>,
    /// Suspiciousness in `0.0..=1.0`, comparable inside one ranking only.
    pub score: f64,
    /// Why, in short phrases for people and models: `frame 1 of the trace`, `covered by 2 of 2 failing tests`.
    pub reasons: Vec<String>,
}

/// Lines by falling suspiciousness; ties are broken by file and line, so that the order is always the same.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The most suspicious first.
    pub lines: Vec<Suspect>,
    /// Failing tests the ranking was made from.
    pub tests: Vec<TestId>,
    /// How it was made: `coverage+trace`, `perfect`, ….
    pub source: String,
}

impl Ranking {
    /// The source of a ranking that comes from the developer's repair.
    pub const DEVELOPERS: &str = "perfect";

    /// Whether its lines are those that the developer changed.
    pub fn is_the_developers(&self) -> bool {
        self.source == Self::DEVELOPERS
    }

    /// Files by their most suspicious line.
    pub fn files(&self) -> Vec<&RepoPath> {
        let mut files: Vec<&RepoPath> = Vec::new();
        for suspect in &self.lines {
            if !files.contains(&&suspect.location.file) {
                files.push(&suspect.location.file);
            }
        }
        files
    }
}
