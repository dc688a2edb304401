//! Frames of the failing tests that stand in the product.

use crate::code::{CodeIndex, Method};
use crate::domain::{FailingTest, Location, RepoPath};
use std::collections::{BTreeMap, BTreeSet};

/// Added for a frame of the failure on the line, divided by its depth.
pub(super) const FRAME: f64 = 0.35;
/// Frames of depth below this are the innermost.
const INNERMOST: u32 = 2;

/// The frames of all failing tests.
#[derive(Default)]
pub(super) struct Frames {
    /// Depth of the shallowest product frame on a line, from 0.
    pub(super) lines: BTreeMap<Location, u32>,
    /// Places that the language could not read: no statement stands there.
    pub(super) unread: BTreeSet<Location>,
    /// Frames inside methods, by file and first line.
    methods: BTreeMap<(RepoPath, u32), InMethod>,
}

/// Frames inside a method.
struct InMethod {
    /// Depth of the shallowest.
    depth: u32,
    /// Failing tests that have one.
    tests: u32,
}

impl Frames {
    /// Adds those of a test.
    pub(super) fn note(&mut self, index: &CodeIndex, test: &FailingTest) {
        let (mut depth, mut seen) = (0, BTreeSet::new());
        for frame in &test.failure.frames {
            let Some((file, _)) = index.class(&frame.class).filter(|(file, _)| !file.test) else { continue };
            if let Some(line) = frame.line {
                let at = Location { file: file.path.clone(), line };
                if depth == 0 && test.failure.syntax_error().is_some() {
                    self.unread.insert(at.clone());
                }
                let known = self.lines.entry(at).or_insert(depth);
                *known = (*known).min(depth);
                if let Some(method) = file.method_at(line) {
                    let key = (file.path.clone(), method.span.first);
                    let known = self.methods.entry(key.clone()).or_insert(InMethod { depth, tests: 0 });
                    known.depth = known.depth.min(depth);
                    known.tests += u32::from(seen.insert(key));
                }
            }
            // Whoever called a loop that never ends waits for it: the loop itself is at fault.
            if test.timed_out {
                return;
            }
            depth += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Methods with one of the innermost frames, by file and first line.
    pub(super) fn innermost(&self) -> impl Iterator<Item = (&RepoPath, u32)> {
        self.methods.iter().filter(|(_, inside)| inside.depth < INNERMOST).map(|((file, line), _)| (file, *line))
    }

    /// Depth of the shallowest frame inside a method.
    pub(super) fn depth(&self, method: &Method) -> Option<u32> {
        Some(self.of(method)?.depth)
    }

    /// Failing tests with a frame inside a method.
    pub(super) fn tests(&self, method: &Method) -> u32 {
        self.of(method).map_or(0, |inside| inside.tests)
    }

    fn of(&self, method: &Method) -> Option<&InMethod> {
        self.methods.get(&(method.file.clone(), method.span.first))
    }
}
