//! What compilers and sanitizers say of a project in C: it is built once more with all usual warnings and with the sanitizers
//! of addresses and of undefined behaviour, and its triggering tests run. What they find is evidence, never a verdict.

use super::built::triggering_only;
use super::compilers::{Added, Compilers};
use super::{forget_objects, gcc};
use camino::Utf8Path;
use regex::Regex;
use std::sync::LazyLock;
use unidebug_base::domain::Failure;
use unidebug_base::language::trace;
use unidebug_judge::benchmark::Case;
use unidebug_judge::validate::command::{ADDRESSES, Checked, CommandJudge, Testing, output_text, with_input};
use unidebug_judge::validate::{ValidateError, clean, io_error};
use unidebug_sandbox::Job;

const WORDS: &str = "-g -fno-omit-frame-pointer -fsanitize=address,undefined -Wall -Wextra";
/// Nothing needs to be linked to it.
const SOURCE: &str = "int unidebug_sanitized;\n";
/// Reports that are kept.
const REPORTS: usize = 5;
/// Frames of each.
const FRAMES: usize = 6;
/// Cases of a program that are run.
const CASES: usize = 3;

/// `src/ring.c:12:5: runtime error: …`
static UNDEFINED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(\S+\.[ch]:\d+)(?::\d+)?: runtime error: (.+)$").ok());
/// `==7==ERROR: AddressSanitizer: heap-use-after-free on address …`
static ADDRESS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^==\d+==ERROR: AddressSanitizer:? ?(.+?)(?: on (?:unknown )?address.*)?$").ok());
/// Numbers of no meaning to a reader, which differ from run to run.
static NUMBERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"0x[0-9a-f]{6,}").ok());

/// What is said of the untouched project; `None` where it cannot be built so.
pub(super) async fn check(judge: &CommandJudge) -> Result<Option<Checked>, ValidateError> {
    let Some(compilers) =
        Compilers::of(judge, &Added { source: SOURCE, always: WORDS, linked: "", only_gcc: false }).await?
    else {
        return Ok(None);
    };
    let (_keep, tree) = judge.copy()?;
    forget_objects(&tree);
    let mut output = String::new();
    if let Some(build) = &judge.commands.build {
        let done = judge.sandbox.run(compilers.job(judge, build, &tree)?).await?;
        output = output_text(&done);
        if !done.exit.success() {
            tracing::info!("no sanitizers: the project does not build with them");
            return Ok(None);
        }
    }
    match &judge.commands.test {
        Testing::Reports(test, _) => {
            let job = watched(compilers.job(judge, &triggering_only(judge, test), &tree)?, &tree);
            output.push_str(&output_text(&judge.sandbox.run(job).await?));
        }
        Testing::Cases(run, cases) => {
            for case in triggering_cases(judge, cases) {
                let input = compilers.folder.join("input");
                std::fs::write(&input, &case.input).map_err(io_error("writing the input of a case", &input))?;
                let job = with_input(compilers.job(judge, run, &tree)?, &input).write(&tree);
                judge.sandbox.run(watched(job, &tree)).await?;
            }
        }
    }
    let plain = clean::plain(&output);
    Ok(Some(Checked { warnings: gcc::warnings(&plain, &tree), reports: reports(&written(&tree), &tree) }))
}

fn triggering_cases<'c>(judge: &CommandJudge, cases: &'c [Case]) -> Vec<&'c Case> {
    let fails = |case: &&Case| judge.baseline.triggering.iter().any(|id| id.method == case.name);
    cases.iter().filter(fails).take(CASES).collect()
}

/// The job with what sanitizers need: room for their shadow of all memory, and a place for their reports, for a test tool
/// may swallow what a test prints.
fn watched(mut job: Job, tree: &Utf8Path) -> Job {
    let common = format!("log_path={tree}/.unidebug-report");
    job.env.push(("ASAN_OPTIONS".into(), format!("{common}:detect_leaks=0:allocator_may_return_null=1")));
    job.env.push(("UBSAN_OPTIONS".into(), format!("{common}:print_stacktrace=1")));
    job.limits.reserves = true;
    job
}

/// All reports in a copy, of one process after the other.
fn written(tree: &Utf8Path) -> String {
    const MOST: u64 = 1 << 20;
    let entries = tree.read_dir_utf8().into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .filter(|entry| entry.file_name().starts_with(".unidebug-report"))
        .map(|entry| entry.path().to_owned())
        .filter(|path| std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() < MOST))
        .collect();
    files.sort();
    files.iter().map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).into_owned()).collect()
}

/// Reads reports: each kind at each place once.
fn reports(text: &str, tree: &Utf8Path) -> Vec<Failure> {
    let text = text.replace(&format!("{tree}/"), "");
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Failure> = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let Some(mut report) = begun(line) else { continue };
        // Where memory was allocated comes later, after a line without a frame.
        let rest = lines[nth + 1..].iter().skip_while(|line| !line.trim_start().starts_with("#0"));
        let stack: Vec<&str> = rest.take_while(|line| line.trim_start().starts_with('#')).copied().collect();
        let about = lines.get(nth + 1).filter(|line| line.starts_with("READ") || line.starts_with("WRITE"));
        if let Some(about) = about {
            let access = about.split(" at ").next().unwrap_or(about);
            report.message = format!("{}: {access}", report.message);
        }
        let own = trace::frames(&stack.join("\n")).into_iter().filter(|frame| !frame.class.starts_with('.'));
        report.frames.extend(own.take(FRAMES));
        report.frames.dedup();
        let is_new = !found.iter().any(|known| known.frames.first() == report.frames.first());
        if is_new && found.len() < REPORTS {
            found.push(report);
        }
    }
    found
}

/// The first line of a report.
fn begun(line: &str) -> Option<Failure> {
    let bare = |text: &str| match NUMBERS.as_ref() {
        Some(numbers) => numbers.replace_all(text, "(address)").into_owned(),
        None => text.to_owned(),
    };
    if let Some(undefined) = UNDEFINED.as_ref()?.captures(line) {
        let frames = trace::frames(&format!("{}:", &undefined[1]));
        return Some(Failure { kind: "undefined behaviour".into(), message: bare(&undefined[2]), frames });
    }
    let address = ADDRESS.as_ref()?.captures(line)?;
    Some(Failure { kind: ADDRESSES.into(), message: bare(&address[1]), frames: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_sanitizers_are_read_without_what_differs_from_run_to_run() {
        let text = "/copy/src/sum.c:4:84: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented\n    \
                    #0 0x55e0 in total /copy/src/sum.c:4\n    #1 0x55e1 in main /copy/test.c:9\n\n\
                    =====\n==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000020 at pc 0x56\n\
                    READ of size 4 at 0x602000000020 thread T0\n    #0 0x562db8a702b5 in sum /copy/src/sum.c:3\n    \
                    #1 0x562db8a704e4 in main /copy/test.c:12\n    #2 0x7f in __libc_start_main ../csu/libc-start.c:360\n\n\
                    allocated by thread T0 here:\n    #0 0x7f in malloc\n    #1 0x56 in main /copy/test.c:2\n\
                    ==8==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x56)\n    \
                    #0 0x562db8a702b5 in last /copy/src/list.c:7\n";
        let found = reports(text, "/copy".into());
        let listed: Vec<(&str, &str, &str, Option<u32>)> = found
            .iter()
            .map(|report| {
                let first = &report.frames[0];
                (report.kind.as_str(), report.message.as_str(), first.class.as_str(), first.line)
            })
            .collect();
        assert_eq!(
            listed,
            [
                (
                    "undefined behaviour",
                    "signed integer overflow: 2147483647 + 1 cannot be represented",
                    "src.sum",
                    Some(4)
                ),
                ("AddressSanitizer", "heap-buffer-overflow: READ of size 4", "src.sum", Some(3)),
                ("AddressSanitizer", "SEGV", "src.list", Some(7)),
            ]
        );
        assert_eq!(found[1].frames.len(), 2, "{:?}", found[1].frames);
    }
}
