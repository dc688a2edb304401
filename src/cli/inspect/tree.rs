//! A run as a tree of lines that open and close: levels with their agents, agents with their cycles.

use crate::domain::words::counted;
use crate::report::visible;
use crate::report::walk::{AgentRun, Cycle, Walk};
use std::fmt::Write;

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// How deep it lies.
    pub depth: usize,
    /// What it is called.
    pub title: String,
    /// What is shown of it.
    pub body: String,
    /// Diffs of its candidates, each with its verdict above it.
    pub diffs: String,
    /// Whether a patch passed here.
    pub passed: bool,
}

/// The tree with what of it is open and where one stands.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    open: Vec<bool>,
    selected: usize,
}

impl Tree {
    /// A run; levels are open.
    pub(super) fn of(walk: &Walk) -> Self {
        let mut nodes = vec![Node {
            depth: 0,
            title: format!("{}: {}", walk.facts.bug, walk.facts.verdict_title()),
            body: overview(walk),
            diffs: walk.facts.report.as_ref().and_then(|report| report.patch.clone()).unwrap_or_default(),
            passed: walk.facts.plausible(),
        }];
        let mut level = None;
        for run in &walk.runs {
            let place = (run.scope.attempt, run.scope.level);
            if level != Some(place) {
                level = Some(place);
                let same = || walk.runs.iter().filter(|other| (other.scope.attempt, other.scope.level) == place);
                let attempt = if place.0 > 1 { format!(", attempt {}", place.0) } else { String::new() };
                nodes.push(Node {
                    depth: 1,
                    title: format!("{}{attempt}", place.1.label()),
                    body: same().map(summary).collect(),
                    diffs: String::new(),
                    passed: same().any(passed),
                });
            }
            nodes.push(Node {
                depth: 2,
                title: run.place(),
                body: summary(run),
                diffs: run.cycles.iter().map(diffs).collect(),
                passed: passed(run),
            });
            nodes.extend(run.cycles.iter().map(cycle));
        }
        let open = nodes.iter().map(|node| node.depth < 2).collect();
        let nodes = nodes.into_iter().map(|node| Node { title: visible(&node.title), ..node }).collect();
        Self { nodes, open, selected: 0 }
    }

    /// Lines that are to be seen, with their places.
    pub(super) fn shown_nodes(&self) -> Vec<(usize, &Node)> {
        let mut closed = usize::MAX;
        let mut shown_nodes = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if node.depth > closed {
                continue;
            }
            closed = if self.open[at] { usize::MAX } else { node.depth };
            shown_nodes.push((at, node));
        }
        shown_nodes
    }

    /// Where one stands.
    pub(super) fn node(&self) -> &Node {
        &self.nodes[self.selected]
    }

    /// Where one stands, among the lines that are to be seen.
    pub(super) fn position(&self) -> usize {
        self.shown_nodes().iter().position(|(at, _)| *at == self.selected).unwrap_or(0)
    }

    /// Whether the line has others below it, and whether they are open.
    pub(super) fn is_open(&self, at: usize) -> Option<bool> {
        let has = self.nodes.get(at + 1).is_some_and(|next| next.depth > self.nodes[at].depth);
        has.then(|| self.open[at])
    }

    /// Goes so many lines down, or up.
    pub(super) fn go(&mut self, by: isize) {
        let shown_nodes = self.shown_nodes();
        let to = self.position().saturating_add_signed(by).min(shown_nodes.len() - 1);
        self.selected = shown_nodes[to].0;
    }

    /// Opens the line where one stands, or closes it; one that is closed already leads to the line above it.
    pub(super) fn open(&mut self, open: bool) {
        let at = self.selected;
        if self.is_open(at).is_some_and(|now| now != open) {
            self.open[at] = open;
        } else if !open {
            let depth = self.nodes[at].depth;
            self.selected = (0..at).rev().find(|&above| self.nodes[above].depth < depth).unwrap_or(at);
        }
    }

    /// Goes to the next line, from the one after this on and then from the first, that holds the text; whether there is
    /// one. What it lies in is opened.
    pub(super) fn find(&mut self, text: &str) -> bool {
        let text = text.to_lowercase();
        let holds =
            |node: &Node| [&node.title, &node.body, &node.diffs].iter().any(|part| part.to_lowercase().contains(&text));
        let all = self.nodes.len();
        let found = (1..=all).map(|step| (self.selected + step) % all).find(|&at| holds(&self.nodes[at]));
        let Some(at) = found else { return false };
        let mut depth = self.nodes[at].depth;
        for above in (0..at).rev() {
            if self.nodes[above].depth < depth {
                depth = self.nodes[above].depth;
                self.open[above] = true;
            }
        }
        self.selected = at;
        true
    }
}

fn passed(run: &AgentRun) -> bool {
    run.cycles.iter().flat_map(|cycle| &cycle.candidates).any(crate::report::walk::Candidate::passed)
}

fn overview(walk: &Walk) -> String {
    let mut text = String::new();
    if let Some(baseline) = &walk.baseline {
        let _ = writeln!(text, "{} pass before any change", counted(baseline.passing, "test"));
        for test in &baseline.triggering {
            let _ = writeln!(text, "fails: {test}");
        }
    }
    let lines = walk.ranking.as_ref().map_or(&[][..], |ranking| &ranking.lines);
    if !lines.is_empty() {
        text.push_str("\nsuspicious lines\n");
    }
    for line in lines.iter().take(20) {
        let _ = writeln!(text, "{:.3}  {}  {}", line.score, line.location, line.method.as_deref().unwrap_or(""));
    }
    if let Some(analysis) = walk.facts.report.as_ref().and_then(|report| report.analysis.as_deref()) {
        let _ = write!(text, "\nanalysis\n{analysis}\n");
    }
    visible(&text)
}

fn summary(run: &AgentRun) -> String {
    let ended = run.ended.as_deref().unwrap_or("stopped");
    let candidates: usize = run.cycles.iter().map(|cycle| cycle.candidates.len()).sum();
    let (cycles, candidates) = (counted(run.cycles.len(), "cycle"), counted(candidates, "candidate"));
    visible(&format!("{} ({})\n  {cycles}, {candidates}\n  {ended}\n\n", run.place(), run.decided_by()))
}

fn cycle(cycle: &Cycle) -> Node {
    let tools: Vec<&str> = cycle.calls.iter().map(|call| call.tool.as_str()).collect();
    let tools = if tools.is_empty() { "no tool".to_owned() } else { tools.join(", ") };
    let mut text = String::new();
    for query in &cycle.queries {
        if let Some(answer) = &query.answer {
            let _ = writeln!(text, "ANSWER\n{}\n", answer.text);
        }
        if let Some(why) = &query.failed {
            let _ = writeln!(text, "NO ANSWER\n{why}\n");
        }
    }
    for call in &cycle.calls {
        let ok = if call.ok { "" } else { " (refused)" };
        let _ = writeln!(
            text,
            "{}{ok}\n{:#}\n\nIT SAW\n{}\n",
            call.tool.as_str().to_uppercase(),
            call.args,
            call.observation
        );
    }
    for query in &cycle.queries {
        for message in query.request["messages"].as_array().into_iter().flatten() {
            let (role, content) = (message["role"].as_str(), message["content"].as_str());
            let _ = writeln!(text, "PROMPT, {}\n{}\n", role.unwrap_or(""), content.unwrap_or(""));
        }
    }
    let number = if cycle.number == 0 { "outside of cycles".to_owned() } else { format!("cycle {}", cycle.number) };
    Node {
        depth: 3,
        title: format!("{number}: {tools}"),
        body: visible(&text),
        diffs: diffs(cycle),
        passed: cycle.candidates.iter().any(crate::report::walk::Candidate::passed),
    }
}

fn diffs(cycle: &Cycle) -> String {
    let one = |candidate: &crate::report::walk::Candidate| {
        format!("{}: {}\n{}\n", candidate.outcome.title(), candidate.detail, candidate.diff)
    };
    let all: String = cycle.candidates.iter().map(one).collect();
    visible(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let node = |depth, title: &str, body: &str| Node {
            depth,
            title: title.into(),
            body: body.into(),
            diffs: String::new(),
            passed: false,
        };
        let nodes = vec![
            node(0, "run", ""),
            node(1, "L1", ""),
            node(2, "L1 fixer", ""),
            node(3, "cycle 1", "the LIMIT is left out"),
            node(1, "L2", ""),
        ];
        let open = nodes.iter().map(|node| node.depth < 2).collect();
        Tree { nodes, open, selected: 0 }
    }

    fn shown_nodes(tree: &Tree) -> Vec<&str> {
        tree.shown_nodes().iter().map(|(_, node)| node.title.as_str()).collect()
    }

    #[test]
    fn lines_open_and_close_and_one_goes_among_those_that_are_seen() {
        let mut tree = tree();
        assert_eq!(shown_nodes(&tree), ["run", "L1", "L1 fixer", "L2"]);
        tree.go(2);
        tree.open(true);
        assert_eq!(shown_nodes(&tree), ["run", "L1", "L1 fixer", "cycle 1", "L2"]);
        tree.go(99);
        assert_eq!(tree.node().title, "L2");
        tree.go(-1);
        tree.open(false);
        assert_eq!(tree.node().title, "L1 fixer", "a line without others leads to the one above it");
        tree.go(-99);
        tree.open(false);
        assert_eq!(shown_nodes(&tree), ["run"]);
    }

    #[test]
    fn what_is_found_is_opened() {
        let mut tree = tree();
        assert!(tree.find("limit"));
        assert_eq!((tree.node().title.as_str(), tree.position()), ("cycle 1", 3));
        assert!(!tree.find("nowhere"));
        assert!(tree.find("l2"));
        assert_eq!(tree.node().title, "L2");
    }
}
