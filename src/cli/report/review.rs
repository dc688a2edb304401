//! `unidebug report --review`: a person's word on patches that nothing else vouches for.

use super::args::ReportArgs;
use crate::cli::error::Failure;
use crate::cli::width;
use crate::domain::words::counted;
use crate::report::review::{self, Item, Review, side_by_side};
use crate::report::study::RunFacts;
use crate::report::{coloured_diff, visible};
use std::io::{BufRead, Write};

/// Columns of the narrowest terminal on which two diffs stand beside each other.
const LEAST: usize = 100;

/// What was answered.
enum Answer {
    Word { correct: bool, reason: String },
    Skip,
    Quit,
}

/// Walks the queue, or a sample of it, until there is nothing left or no more answers come.
///
/// # Errors
/// Nobody's name is known; a review cannot be kept.
pub(super) fn review(runs: &[RunFacts], args: &ReportArgs, answers: &mut dyn BufRead) -> Result<u8, Failure> {
    let user = || std::env::var("USER").ok();
    let name = args.reviewer.clone().or_else(user).filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| Failure::usage("a review needs a name", "say who reviews with --reviewer NAME"))?;
    let queue = review::queue(runs);
    let waiting = queue.len();
    let items = match args.sample {
        Some(n) => review::sample(queue, n as usize, args.seed),
        None => queue,
    };
    let wait = if waiting == 1 { "waits" } else { "wait" };
    crate::cli::tell(&format!("{} {wait} for a review, {} shown to {name}", counted(waiting, "patch"), items.len()));
    let mut reviewed = 0;
    for (nth, item) in items.iter().enumerate() {
        crate::cli::print(&shown(item, nth + 1, items.len()));
        match ask(answers)? {
            Answer::Skip => {}
            Answer::Quit => break,
            Answer::Word { correct, reason } => {
                keep(item, &Review::new(item.patch, correct, &name, &reason))?;
                reviewed += 1;
            }
        }
    }
    crate::cli::print(&format!("{reviewed} reviewed, {} left\n", waiting - reviewed));
    Ok(0)
}

/// One word for every run that ended with this patch.
fn keep(item: &Item<'_>, review: &Review) -> Result<(), Failure> {
    for run in &item.runs {
        review.record(&run.dir).map_err(|error| Failure::io(&format!("keeping the review in {}", run.dir), &error))?;
    }
    Ok(())
}

fn shown(item: &Item<'_>, nth: usize, of: usize) -> String {
    let Some(run) = item.runs.first() else { return String::new() };
    let width = width::columns();
    let times = if item.runs.len() > 1 { format!(", in {} runs", item.runs.len()) } else { String::new() };
    let head = format!("\n[{nth}/{of}] {}{times}  {}\n", run.bug, run.setting.line);
    let why = run.report.as_ref().and_then(|report| report.analysis.as_deref()).unwrap_or("");
    let diffs = match &run.developer {
        Some(developer) if width < LEAST => {
            format!("found:\n{}\ndeveloper's:\n{}", coloured_diff(item.patch), coloured_diff(developer))
        }
        Some(developer) => side_by_side(("found", item.patch), ("developer", developer), width),
        None => format!("{}(the developer's repair is not known)\n", coloured_diff(item.patch)),
    };
    format!("{}{diffs}{}\n", visible(&head), visible(why))
}

/// Asks until the answer can be understood; no more input ends the review.
fn ask(answers: &mut dyn BufRead) -> Result<Answer, Failure> {
    loop {
        let Some(word) = line("correct? y(es), n(o), s(kip), q(uit): ", answers)? else { return Ok(Answer::Quit) };
        let correct = match word.to_lowercase().as_str() {
            "y" | "yes" => true,
            "n" | "no" => false,
            "s" | "skip" => return Ok(Answer::Skip),
            "q" | "quit" => return Ok(Answer::Quit),
            _ => continue,
        };
        loop {
            match line("why: ", answers)? {
                None => return Ok(Answer::Quit),
                Some(reason) if reason.is_empty() => crate::cli::tell("a verdict without a reason convinces nobody"),
                Some(reason) => return Ok(Answer::Word { correct, reason }),
            }
        }
    }
}

/// One line of input, without blanks around it; `None` at its end.
fn line(question: &str, answers: &mut dyn BufRead) -> Result<Option<String>, Failure> {
    // Who closed stderr does not want to be asked, and may answer all the same. It is not held while one waits: an
    // interruption must be able to speak.
    let mut err = anstream::stderr();
    let _ = write!(err, "{question}").and_then(|()| err.flush());
    let mut text = String::new();
    let read = answers.read_line(&mut text).map_err(|error| Failure::io("reading the answer", &error))?;
    Ok((read > 0).then(|| text.trim().to_owned()))
}
