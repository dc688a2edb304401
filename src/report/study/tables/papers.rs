//! The papers' tables from own runs, each with configurations beside published lists: RepairAgent's Tables III, IV and VI,
//! FixAgent's Tables 1, 2 and 4, and the sizes of patches beside the ground truth's.

use super::tokens;
use crate::report::study::published::whole_ids;
use crate::report::study::{Cell, Counts, LocationType, PatchSize, Published, Quality, RunFacts, Study, Table};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Most configurations that stand side by side.
const MOST_COLUMNS: usize = 8;
/// FixAgent's agents, in the order of its Table 2.
const AGENTS: [(&str, &str); 7] = [
    ("helper", "Helper"),
    ("repo_focus", "RepoFocus"),
    ("summarizer", "Summarizer"),
    ("slicer", "Slicer"),
    ("locator", "Locator"),
    ("fixer", "Fixer"),
    ("fixer_pro", "FixerPro"),
];
/// What stands for a part that takes part, and for one that does not.
const WITH: &str = "yes";
const NOT: &str = "no";
/// How the columns count.
const BUGS_NOT_RUNS: &str = "Bugs are counted: one is repaired when any repetition repaired it.";

/// One column: a quality of a configuration or of a list, with its bugs.
struct Column {
    title: String,
    bugs: BTreeSet<String>,
}

/// Bugs of runs that are over.
fn tried(study: &Study) -> BTreeSet<String> {
    study.runs.iter().filter(|run| run.report.is_some()).map(|run| run.bug.to_string()).collect()
}

/// Bugs that runs of a configuration repaired in a quality.
fn repaired<'r>(runs: impl IntoIterator<Item = &'r RunFacts>, quality: Quality) -> BTreeSet<String> {
    runs.into_iter().filter(|run| run.repaired(quality)).map(|run| run.bug.to_string()).collect()
}

fn of_line<'s>(study: &'s Study, line: &'s str) -> impl Iterator<Item = &'s RunFacts> {
    study.runs.iter().filter(move |run| run.setting.line == line)
}

/// Configurations first, then what lists tell of the bugs that were tried; none where nothing stands beside another.
fn columns(study: &Study, qualities: &[Quality]) -> Vec<Column> {
    let names: Vec<&String> = study.configurations.keys().collect();
    if names.len() > MOST_COLUMNS || names.len() + study.published.len() < 2 {
        return Vec::new();
    }
    let title = |name: &str, quality: Quality| match quality {
        Quality::Plausible => format!("{name}: plausible"),
        Quality::Correct => format!("{name}: correct"),
    };
    let tried = tried(study);
    let own = names.iter().flat_map(|name| {
        let bugs = |quality: &Quality| repaired(of_line(study, name), *quality);
        qualities.iter().map(move |quality| Column { title: title(name, *quality), bugs: bugs(quality) })
    });
    let lists = study.published.iter().flat_map(|list: &Published| {
        qualities.iter().filter_map(|quality| {
            let bugs = whole_ids(list.bugs(*quality)?, &tried);
            Some(Column { title: title(&list.name, *quality), bugs })
        })
    });
    own.chain(lists).collect()
}

/// Rows of groups of tried bugs with their sum at the end, for every column the bugs that it has of them.
fn by_group(
    study: &Study,
    mut table: Table,
    columns: Vec<Column>,
    group: impl Fn(&RunFacts) -> Option<String>,
) -> Table {
    let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for run in study.runs.iter().filter(|run| run.report.is_some()) {
        if let Some(name) = group(run) {
            groups.entry(name).or_default().insert(run.bug.to_string());
        }
    }
    if columns.is_empty() || groups.is_empty() {
        return table;
    }
    let row = |name: &str, bugs: &BTreeSet<String>| {
        let counts = columns.iter().map(|column| Cell::Count(column.bugs.intersection(bugs).count() as u64));
        [Cell::from(name), (bugs.len() as u64).into()].into_iter().chain(counts).collect::<Vec<_>>()
    };
    let mut rows: Vec<_> = groups.iter().map(|(name, bugs)| row(name, bugs)).collect();
    if groups.len() > 1 {
        rows.extend(by_release(&groups).iter().map(|(name, bugs)| row(name, bugs)));
        rows.push(row("all", &groups.values().flatten().cloned().collect()));
    }
    table.columns.extend(columns.iter().map(|column| Cow::Owned(column.title.clone())));
    table.rows(rows)
}

/// The bugs of groups by the release that brought them; none where there is only one.
fn by_release(groups: &BTreeMap<String, BTreeSet<String>>) -> BTreeMap<&'static str, BTreeSet<String>> {
    let mut releases: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
    for bug in groups.values().flatten() {
        if let Some(name) = release(bug) {
            releases.entry(name).or_default().insert(bug.clone());
        }
    }
    if releases.len() < 2 { BTreeMap::new() } else { releases }
}

/// Projects whose bugs were all in Defects4J 1.2 already.
const OLD_PROJECTS: [&str; 5] = ["Chart", "Lang", "Math", "Mockito", "Time"];
/// The last bug of Closure that was.
const LAST_OLD_CLOSURE: u32 = 133;

/// The release of Defects4J that brought a bug, as Table III has them.
fn release(bug: &str) -> Option<&'static str> {
    let (project, number) = bug.strip_prefix("defects4j:")?.rsplit_once('-')?;
    let number: u32 = number.parse().ok()?;
    let is_old = OLD_PROJECTS.contains(&project) || project == "Closure" && number <= LAST_OLD_CLOSURE;
    Some(if is_old { "all of Defects4J 1.2" } else { "all that are new in 2.0" })
}

/// RepairAgent's Table III.
pub(super) fn by_project(study: &Study) -> Table {
    let note = format!("{BUGS_NOT_RUNS} Lists that were named with --published count as far as their bugs were tried.");
    let table = Table::new("projects-beside", "Repairs by project, side by side", &["project", "bugs"]).note(note);
    let columns = columns(study, &[Quality::Plausible, Quality::Correct]);
    by_group(study, table, columns, |run| Some(run.project()))
}

/// RepairAgent's Table IV.
pub(super) fn by_location(study: &Study) -> Table {
    let note = format!("{BUGS_NOT_RUNS} Bugs whose repair is not known are in no row.");
    let table = Table::new("location-types-beside", "Repairs by patch type, side by side", &["patch type", "bugs"]);
    let columns = columns(study, &[Quality::Plausible, Quality::Correct]);
    by_group(study, table.note(note), columns, |run| run.location_type.map(|known| known.label().to_owned()))
}

/// RepairAgent's Table VI.
pub(super) fn variants(study: &Study) -> Table {
    let types = [LocationType::SingleLine, LocationType::MultiLine, LocationType::MultiFile];
    let columns = ["configuration", "bugs", "plausible", "correct", "USD", "tokens", "correct, single line"];
    let columns = [&columns[..], &["correct, several lines", "correct, several files"]].concat();
    let mut table = Table::new("variants", "Configurations by what they repair", &columns).note(BUGS_NOT_RUNS);
    if study.configurations.len() > 1 {
        table.rows.extend(study.configurations.iter().map(|(name, counts)| {
            let of = |quality| Cell::Count(repaired(of_line(study, name), quality).len() as u64);
            let spread = types.iter().map(|wanted| {
                let runs = of_line(study, name).filter(|run| run.location_type == Some(*wanted));
                Cell::Count(repaired(runs, Quality::Correct).len() as u64)
            });
            let head = [name.as_str().into(), counts.bugs.into(), of(Quality::Plausible), of(Quality::Correct)];
            let cost = [Cell::money(&counts.usage), tokens(&counts.usage).into()];
            head.into_iter().chain(cost).chain(spread).collect()
        }));
    }
    table
}

/// FixAgent's Table 1.
pub(super) fn benchmarks(study: &Study) -> Table {
    let columns = ["benchmark", "tool", "bugs", "candidates per bug", "correct", "plausible", "correctness rate, %"];
    let note = format!(
        "{BUGS_NOT_RUNS} Candidates: those that were judged. The rate is that of plausible repairs that are known to be \
         correct, among those that equal the developer's or were reviewed."
    );
    let mut table = Table::new("benchmarks", "By benchmark and tool", &columns).note(note);
    if study.configurations.len() + study.published.len() < 2 {
        return table;
    }
    let mut groups: BTreeMap<(&str, &str), Vec<&RunFacts>> = BTreeMap::new();
    for run in study.runs.iter().filter(|run| run.report.is_some()) {
        groups.entry((&run.bug.benchmark, &run.setting.line)).or_default().push(run);
    }
    let names: BTreeSet<&str> = groups.keys().map(|(benchmark, _)| *benchmark).collect();
    for benchmark in names {
        for ((_, tool), runs) in groups.iter().filter(|((of, _), _)| *of == benchmark) {
            table.rows.push(of_tool(benchmark, tool, runs));
        }
        let tried = tried(study).into_iter().filter(|bug| bug.split(':').next() == Some(benchmark)).collect();
        table.rows.extend(study.published.iter().map(|list| {
            let of = |quality| list.bugs(quality).map(|bugs| whole_ids(bugs, &tried).len() as u64);
            let plausible = of(Quality::Plausible).map_or(Cell::Unknown, Cell::Count);
            let correct = of(Quality::Correct).map_or(Cell::Unknown, Cell::Count);
            let bugs = tried.len() as u64;
            vec![benchmark.into(), list.name.as_str().into(), bugs.into(), "".into(), correct, plausible, "".into()]
        }));
    }
    table
}

fn of_tool(benchmark: &str, tool: &str, runs: &[&RunFacts]) -> Vec<Cell> {
    let counts = Counts::of(runs.iter().copied());
    let of = |quality| Cell::Count(repaired(runs.iter().copied(), quality).len() as u64);
    vec![
        benchmark.into(),
        tool.into(),
        counts.bugs.into(),
        Cell::mean(counts.candidates as f64, counts.bugs, 1),
        of(Quality::Correct),
        of(Quality::Plausible),
        Cell::percent(counts.correct, counts.correct + counts.reviewed_wrong),
    ]
}

/// FixAgent's Table 2: agents that take part, what that repairs, and what a run costs.
pub(super) fn agents(study: &Study) -> Table {
    let mut columns = vec!["configuration"];
    columns.extend(AGENTS.iter().map(|(_, name)| *name));
    columns.extend(["plausible", "correct", "USD per run", "highest level"]);
    let note = format!("{BUGS_NOT_RUNS} Agents: those that the configuration has, not those that a run came to.");
    let mut table = Table::new("parts", "Agents that take part", &columns).note(note);
    for (name, counts) in several(study) {
        let Some(setting) = of_line(study, name).map(|run| &run.setting).find(|setting| !setting.agents.is_empty())
        else {
            continue;
        };
        let has = |agent: &str| Cell::from(if setting.agents.iter().any(|name| name == agent) { WITH } else { NOT });
        let repaired = |quality| Cell::Count(repaired(of_line(study, name), quality).len() as u64);
        let level = setting.levels.iter().max().map_or_else(|| "".into(), |level| Cell::from(format!("L{level}")));
        let ends = [
            repaired(Quality::Plausible),
            repaired(Quality::Correct),
            Cell::money_each(&counts.usage, counts.runs),
            level,
        ];
        let head = std::iter::once(name.as_str().into());
        table.rows.push(head.chain(AGENTS.iter().map(|(agent, _)| has(agent))).chain(ends).collect());
    }
    table
}

/// FixAgent's Table 4: what agents may ask of the world around them.
pub(super) fn interactions(study: &Study) -> Table {
    let columns = ["configuration", "search", "static", "dynamic", "testing", "plausible", "correct"];
    let note = format!("{BUGS_NOT_RUNS} Search: Helper's, on the net (`web`) or in the local corpora alone (`local`).");
    let mut table = Table::new("interactions", "Interactions with the world around", &columns).note(note);
    for (name, _) in several(study) {
        let Some(setting) = of_line(study, name).map(|run| &run.setting).next() else { continue };
        let lacks = |part: &str| setting.value("settings.without").split(' ').any(|word| word == part);
        let has = |part: &str| Cell::from(if lacks(part) { NOT } else { WITH });
        let helps = setting.agents.iter().any(|agent| agent == "helper");
        let search = match (helps && !lacks("web"), setting.value("settings.web").is_empty()) {
            (false, _) => NOT,
            (true, true) => "local",
            (true, false) => "web",
        };
        let repaired = |quality| Cell::Count(repaired(of_line(study, name), quality).len() as u64);
        let parts = ["static", "dynamic", "testing"].map(has);
        let ends = [repaired(Quality::Plausible), repaired(Quality::Correct)];
        table.rows.push([name.as_str().into(), search.into()].into_iter().chain(parts).chain(ends).collect());
    }
    table
}

/// Configurations, where there is more than one.
fn several(study: &Study) -> impl Iterator<Item = (&String, &Counts)> {
    study.configurations.iter().filter(|_| study.configurations.len() > 1)
}

/// RepairAgent's section V-B4: lines and tokens that patches change, beside what developers changed in the same bugs.
pub(super) fn sizes(study: &Study) -> Table {
    let columns = ["patches", "n", "lines added", "lines removed", "tokens changed", "developer's added"];
    let columns = [&columns[..], &["developer's removed", "developer's tokens"]].concat();
    let note = "Means. A changed token is a word, a number or a sign that comes in or goes. The developer's repairs are \
                those of the same bugs, as far as they are known; the last row is of all bugs that were run, each once.";
    let mut table = Table::new("patch-sizes", "Sizes of patches", &columns).note(note);
    for name in study.configurations.keys() {
        for quality in [Quality::Plausible, Quality::Correct] {
            let runs: Vec<&RunFacts> = of_line(study, name).filter(|run| run.repaired(quality)).collect();
            let ours = means(runs.iter().filter_map(|run| run.size));
            let theirs = means(runs.iter().filter_map(|run| run.developer_size));
            if let Some((n, ours)) = ours {
                let title = match quality {
                    Quality::Plausible => format!("{name}: plausible"),
                    Quality::Correct => format!("{name}: correct"),
                };
                table.rows.push(sized(title.into(), n, &ours, theirs.as_ref().map(|(_, means)| means)));
            }
        }
    }
    let truths: BTreeMap<String, PatchSize> =
        study.runs.iter().filter_map(|run| Some((run.bug.to_string(), run.developer_size?))).collect();
    if let Some((n, truth)) = means(truths.into_values()).filter(|_| !table.rows.is_empty()) {
        let empty = || Cell::from("");
        let head = ["all bugs that were run".into(), n.into(), empty(), empty(), empty()];
        table.rows.push(head.into_iter().chain(truth.map(|mean| Cell::Number(mean, 1))).collect());
    }
    table
}

fn sized(title: Cell, n: u64, ours: &[f64; 3], theirs: Option<&[f64; 3]>) -> Vec<Cell> {
    let numbers = |means: &[f64; 3]| means.map(|mean| Cell::Number(mean, 1));
    let theirs = theirs.map_or_else(|| [Cell::Unknown, Cell::Unknown, Cell::Unknown], numbers);
    [title, n.into()].into_iter().chain(numbers(ours)).chain(theirs).collect()
}

/// How many there are, and the means of lines in, lines out and tokens; `None` of none.
fn means(sizes: impl Iterator<Item = PatchSize>) -> Option<(u64, [f64; 3])> {
    let sizes: Vec<PatchSize> = sizes.collect();
    let mean = |of: fn(&PatchSize) -> u64| sizes.iter().map(of).sum::<u64>() as f64 / sizes.len() as f64;
    (!sizes.is_empty())
        .then(|| (sizes.len() as u64, [mean(|size| size.added), mean(|size| size.removed), mean(|size| size.tokens)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bugs_of_defects4j_are_summed_by_release() {
        let bugs = |names: &[&str]| names.iter().map(|name| format!("defects4j:{name}")).collect::<BTreeSet<_>>();
        let mut groups = BTreeMap::from([("Closure".to_owned(), bugs(&["Closure-133", "Closure-134"]))]);
        groups.insert("Lang".to_owned(), bugs(&["Lang-1"]));
        let summed = by_release(&groups);
        assert_eq!(summed["all of Defects4J 1.2"], bugs(&["Closure-133", "Lang-1"]));
        assert_eq!(summed["all that are new in 2.0"], bugs(&["Closure-134"]));
        groups.insert("Closure".to_owned(), bugs(&["Closure-1"]));
        assert!(by_release(&groups).is_empty(), "one sum is enough where all are of one release");
    }
}
