//! One run of the program against a perfect model, and what its requests held.

use crate::endpoint::{Endpoint, Reply, Served};
use crate::perfect::Repair;
use crate::program::Unidebug;
use camino::Utf8Path;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use unidebug::prompt::count_tokens;

/// Sections of a request, in the order of the table, with the headings that begin them.
pub const SECTIONS: [(&str, &[&str]); 6] = [
    ("static", &[]),
    ("tests", &["Failing tests"]),
    ("requirements", &["Requirements"]),
    ("code", &["Code"]),
    ("explanation", &["Locator's explanation"]),
    ("state+tail", &["State: ", "Hypotheses", "Gathered information", "Last command and result", "Tried before"]),
];

/// One request and its answer, in tokens.
#[derive(Debug, Clone)]
pub struct Ask {
    pub agent: String,
    /// In the order of [`SECTIONS`].
    pub sections: [usize; SECTIONS.len()],
    pub prompt: usize,
    pub answer: usize,
    /// Whether the code shown holds every method of the repair in full.
    pub holds: bool,
}

/// One bug.
#[derive(Debug, Clone)]
pub struct Measured {
    pub name: String,
    pub verdict: String,
    pub correct: Value,
    pub requests: usize,
    /// Tests that failed.
    pub failing: usize,
    /// First requests of Locator and Fixer, so far as they were made, and all that followed.
    pub asks: Vec<Ask>,
    pub seconds: f64,
}

impl Measured {
    /// Prompts and answers of all requests.
    pub fn tokens(&self) -> usize {
        self.asks.iter().map(|ask| ask.prompt + ask.answer).sum()
    }

    /// The first request of an agent.
    pub fn first(&self, agent: &str) -> Option<&Ask> {
        self.asks.iter().find(|ask| ask.agent == agent)
    }
}

/// Runs the program on a bug; `bug` is what names it on the command line.
///
/// # Errors
/// The run ended before its first request: nothing fails, or the project does not compile.
pub fn measure(repair: &Repair, bug: &[String], save: Option<&Utf8Path>) -> Result<Measured, String> {
    let answers = [("Locator", repair.marks()), ("Fixer", repair.fix())];
    let replies = Arc::new(answers.clone());
    let endpoint = Endpoint::start(move |agent, _, _| {
        let known = replies.iter().find(|(name, _)| *name == agent);
        known.map_or_else(|| Reply::status(400, "{}"), |(_, answer)| Reply::text(answer.clone()))
    });
    let url = endpoint.base_url();
    let mut args: Vec<&str> = vec!["run"];
    args.extend(bug.iter().map(String::as_str));
    args.extend([
        "--model",
        "scripted",
        "--base-url",
        &url,
        "--no-first",
        "--json",
        "--levels",
        "L1",
        "--max-time",
        "300s",
    ]);
    let done = Unidebug::new(&args).limit(Duration::from_secs(1200)).run();
    let served = endpoint.served();
    if served.is_empty() {
        let why = done.stderr.lines().find(|line| line.starts_with("error:")).unwrap_or(&done.stderr);
        return Err(why.to_owned());
    }
    let report = done.json();
    let asks = served.iter().map(|request| ask(request, repair, &answers)).collect();
    if let Some(folder) = save {
        keep(folder, &repair.name, &served);
    }
    let failing =
        served[0].prompt().split("## Failing tests\n").nth(1).and_then(|text| text.split(' ').next()?.parse().ok());
    Ok(Measured {
        name: repair.name.clone(),
        verdict: report["verdict"].as_str().unwrap_or("?").to_owned(),
        correct: report["correct"].clone(),
        requests: served.len(),
        failing: failing.unwrap_or(0),
        asks,
        seconds: done.took.as_secs_f64(),
    })
}

fn ask(request: &Served, repair: &Repair, answers: &[(&str, String)]) -> Ask {
    let answer = answers.iter().find(|(name, _)| *name == request.agent).map_or(0, |(_, text)| count_tokens(text));
    let mut sections = [0; SECTIONS.len()];
    let mut code = String::new();
    for message in request.body["messages"].as_array().into_iter().flatten() {
        let text = message["content"].as_str().unwrap_or("");
        if message["role"] == "system" {
            sections[0] += count_tokens(text);
            continue;
        }
        for (at, part) in parts(text) {
            sections[at] += count_tokens(&part);
            if SECTIONS[at].0 == "code" {
                code = part;
            }
        }
    }
    let shown = unmarked(&code);
    let methods = repair.files.iter().flat_map(|file| file.methods());
    let holds = methods.into_iter().all(|method| shown.contains(&unmarked(&method)));
    Ask { agent: request.agent.clone(), sections, prompt: sections.iter().sum(), answer, holds }
}

/// The parts of a turn: what stands under each known heading. Text before the first one belongs to the state.
fn parts(turn: &str) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = vec![(SECTIONS.len() - 1, String::new())];
    for line in turn.split_inclusive('\n') {
        let heading = line.strip_prefix("## ").map(str::trim_end);
        let known = heading.and_then(|heading| {
            SECTIONS.iter().position(|(_, starts)| starts.iter().any(|start| heading.starts_with(start)))
        });
        if let Some(at) = known {
            parts.push((at, String::new()));
        }
        if let Some((_, text)) = parts.last_mut() {
            text.push_str(line);
        }
    }
    parts
}

/// Lines without marks and white space at their ends, to compare what is shown with what is there.
fn unmarked(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("// missing line"));
    lines.map(|line| format!("{}\n", line.split("// buggy line").next().unwrap_or("").trim())).collect()
}

fn keep(folder: &Utf8Path, name: &str, served: &[Served]) {
    std::fs::create_dir_all(folder).unwrap();
    for (nth, request) in served.iter().enumerate() {
        let name = name.replace(['/', '(', ')', '<', '>'], "_");
        std::fs::write(folder.join(format!("{name}-{}-{}.txt", nth + 1, request.agent)), request.prompt()).unwrap();
    }
}
