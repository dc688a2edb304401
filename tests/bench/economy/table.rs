//! What was measured, for people.

use crate::measure::{Ask, Measured, SECTIONS};
use std::fmt::Write;

const AGENTS: [&str; 2] = ["Locator", "Fixer"];

/// One bug on one line: tokens of both agents, requests, verdict, whether the shown code was enough.
pub fn row(bug: &Measured) -> String {
    let mut text = format!("{:<44} {:>6} tokens", bug.name, bug.tokens());
    for agent in AGENTS {
        match bug.first(agent) {
            Some(ask) => {
                let holds = if ask.holds { "" } else { ", LACKS A METHOD OF THE REPAIR" };
                let _ = write!(text, "  {agent} {}+{}{holds}", ask.prompt, ask.answer);
            }
            None => {
                let _ = write!(text, "  {agent} never asked");
            }
        }
    }
    let correct = if bug.correct == true { ", correct" } else { "" };
    let _ = write!(
        text,
        "  {} failing  {} requests  {}{correct}  {:.0} s",
        bug.failing, bug.requests, bug.verdict, bug.seconds
    );
    text
}

/// Median and ninth decile, in all and by prompt section, for each agent; recall; requests; verdicts.
pub fn summary(title: &str, bugs: &[Measured]) -> String {
    let mut text = format!("\n{title}\n");
    let totals: Vec<usize> = bugs.iter().map(Measured::tokens).collect();
    let _ = writeln!(text, "tokens a bug (prompts and answers): {}", spread(totals));
    let _ = writeln!(text, "requests a bug: {}", spread(bugs.iter().map(|bug| bug.requests).collect()));
    let plausible = bugs.iter().filter(|bug| bug.verdict == "plausible").count();
    let _ = writeln!(text, "plausible: {plausible} of {}", bugs.len());
    for agent in AGENTS {
        let asks: Vec<&Ask> = bugs.iter().filter_map(|bug| bug.first(agent)).collect();
        let holding = asks.iter().filter(|ask| ask.holds).count();
        let _ =
            writeln!(text, "\n{agent}: shown code holds every method of the repair for {holding} of {}", bugs.len());
        for (at, (section, _)) in SECTIONS.iter().enumerate() {
            let _ = writeln!(text, "  {section:<14} {}", spread(asks.iter().map(|ask| ask.sections[at]).collect()));
        }
        let _ = writeln!(text, "  {:<14} {}", "answer", spread(asks.iter().map(|ask| ask.answer).collect()));
        let whole = asks.iter().map(|ask| ask.prompt + ask.answer).collect();
        let _ = writeln!(text, "  {:<14} {}", "all", spread(whole));
    }
    text
}

/// Median, the value that 9 of 10 do not exceed, and the largest.
fn spread(mut values: Vec<usize>) -> String {
    values.sort_unstable();
    let Some(largest) = values.last() else { return "nothing was measured".to_owned() };
    let at = |share: usize| values[(values.len() * share).div_ceil(100).max(1) - 1];
    format!("median {:>6}   9 of 10 {:>6}   largest {:>6}", at(50), at(90), largest)
}
