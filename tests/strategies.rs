//! Strategies and ablations: the same bug on the same bench, and what the endpoint receives when a part is left out. The
//! library is used as users use it; the endpoint speaks real HTTP, the judge is the real one.

use crate::levels::{accomplished, good_fix, patch, usual};
use crate::support::{Endpoint, Reply, Served, unidebug};
use camino::Utf8Path;
use serde_json::json;
use std::sync::Arc;
use unidebug::agent::ablation::Part;
use unidebug::benchmark::{Settings, find, parse_bug};
use unidebug::domain::Level;
use unidebug::escalate::prepare::{self, Wanted};
use unidebug::escalate::{Escalator, RunVerdict, Strategy};
use unidebug::llm::{Endpoint as Place, OpenAi};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::tools::Workbench;
use unidebug::validate::Options;

const BUG: &str = "fixtures:ring-buffer";

/// The ring buffer on the bench, with the folder it lies in.
pub async fn bench(wanted: Wanted) -> (tempfile::TempDir, Workbench) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(scratch.path()).unwrap().canonicalize_utf8().unwrap();
    let (copy, work) = (folder.join("bug"), folder.join("work"));
    std::fs::create_dir_all(&copy).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    let bug = parse_bug(BUG).unwrap();
    let adapter = find(&bug.benchmark, &Settings::default()).unwrap();
    let checkout = adapter.checkout(&bug, &copy).await.unwrap();
    let sandbox = Sandbox::detect(Choice::Auto).await.unwrap();
    let bench = prepare::open(checkout, &sandbox, Options::new(work), wanted, None).await.unwrap();
    (scratch, bench)
}

/// What is left out of the plan, and what of it is changed.
pub struct Way<'w> {
    pub strategy: &'w str,
    pub paper: bool,
    pub without: Vec<Part>,
    pub levels: Option<Vec<Level>>,
}

impl<'w> Way<'w> {
    pub fn of(strategy: &'w str, paper: bool) -> Self {
        Self { strategy, paper, without: Vec::new(), levels: None }
    }
}

/// Repairs with a scripted model and gives the requests.
pub async fn repaired_by(bench: &Workbench, way: &Way<'_>, endpoint: &Endpoint) -> (RunVerdict, Vec<Served>) {
    bench.validator.forget();
    let model = OpenAi::new(Place::new(&endpoint.base_url(), None)).unwrap();
    let mut plan = Strategy::named(way.strategy).unwrap().plan(way.paper);
    plan.crews.remove(&Level::First);
    // The file is so short that level 1 shows it in full: else some agents had nothing to find.
    plan.without = way.without.iter().copied().chain([Part::Skipping]).collect();
    let mut builder = Escalator::builder().strategy(way.strategy, way.paper).plan(plan).model(Arc::new(model), "m");
    if let Some(levels) = &way.levels {
        builder = builder.levels(levels.clone());
    }
    let verdict = builder.build().unwrap().repair(bench).await.unwrap();
    (verdict, endpoint.served())
}

/// Locator looks twice before it answers, Fixer's first patch fails; the rest is as usual.
fn script(agent: &str, nth: usize) -> Reply {
    match (agent, nth) {
        ("Locator", 1) => Reply::command("run_tests", json!({})),
        ("Locator", 2) => Reply::command("extract_tests", json!({})),
        ("Fixer", 1) => Reply::command("write_fix", patch("size > slots.length")),
        _ => usual(agent),
    }
}

fn prompts(served: &[Served], agent: &str) -> String {
    let of_agent = served.iter().filter(|request| request.agent == agent);
    of_agent.map(|request| request.body["messages"].to_string()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_part_that_is_left_out_is_missed_by_the_endpoint() {
    let (_scratch, bench) = bench(Wanted::default()).await;
    let run = async |without: Vec<Part>| {
        let endpoint = Endpoint::start(|agent, nth, _| script(agent, nth));
        let way = Way { without, ..Way::of("unified", false) };
        repaired_by(&bench, &way, &endpoint).await.1
    };
    let whole = run(Vec::new()).await;
    let shows: [(Part, &str, &str); 7] = [
        (Part::Search, "Fixer", "search_code_base"),
        (Part::Fsm, "Locator", "## State"),
        (Part::Memory, "Locator", "## Gathered information"),
        (Part::Static, "Slicer", "static_analysis(file_path?)"),
        (Part::Dynamic, "Slicer", "test_coverage(file_path?)"),
        (Part::Testing, "FixerPro", "failed: 2 of 2"),
        (Part::Web, "Helper", "## Repairs of similar bugs"),
    ];
    for (part, agent, text) in shows {
        assert!(prompts(&whole, agent).contains(text), "{text} stands in the whole run");
        let left = run(vec![part]).await;
        let prompts = prompts(&left, agent);
        assert!(!prompts.is_empty(), "{agent} still works without {}", part.label());
        assert!(!prompts.contains(text), "without {} there is no {text}: {prompts}", part.label());
    }
    for (part, agent) in [
        (Part::Helper, "Helper"),
        (Part::RepoFocus, "RepoFocus"),
        (Part::Summarizer, "Summarizer"),
        (Part::Slicer, "Slicer"),
        (Part::Locator, "Locator"),
        (Part::FixerPro, "FixerPro"),
    ] {
        assert!(whole.iter().any(|request| request.agent == agent));
        let left = run(vec![part]).await;
        assert!(left.iter().all(|request| request.agent != agent), "{agent} is left out");
        assert!(left.iter().any(|request| request.agent == "Fixer"), "the others go on without {agent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_coverage_agents_see_none_and_the_judge_is_the_same() {
    let (_scratch, bench) = bench(Wanted { coverage: false, ..Wanted::default() }).await;
    assert!(bench.coverage.is_none() && !bench.ranking.source.contains("ochiai"), "{}", bench.ranking.source);
    let endpoint = Endpoint::start(|agent, _, _| if agent == "Fixer" { good_fix() } else { usual(agent) });
    let without = vec![Part::Dynamic];
    let (verdict, _) = repaired_by(&bench, &Way { without, ..Way::of("unified", false) }, &endpoint).await;
    assert!(matches!(verdict, RunVerdict::Plausible(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_strategy_asks_in_its_own_way() {
    let (_scratch, bench) = bench(Wanted::default()).await;
    fixagent(&bench).await;
    lite(&bench).await;
    repairagent(&bench).await;
    direct(&bench).await;
}

/// One answer each, no states, and the levels as the unified one has it.
async fn fixagent(bench: &Workbench) {
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("Fixer", 1) => Reply::text("```diff\n--- a/src/buffers/Nothing.java\n@@\n-int x;\n+int y;\n```"),
        ("Fixer", 2) => Reply::command("write_fix", patch("size > slots.length")),
        ("FixerPro", 1) => good_fix(),
        _ => usual(agent),
    });
    let (verdict, served) = repaired_by(bench, &Way::of("fixagent", false), &endpoint).await;
    let RunVerdict::Plausible(repair) = verdict else { panic!("repaired on level 2") };
    assert_eq!((repair.level, repair.agent.as_str()), (Level::L2, "fixer_pro"));
    let order: Vec<&str> = served.iter().map(|request| request.agent.as_str()).collect();
    assert_eq!(
        order[..3],
        ["Locator", "Fixer", "Fixer"],
        "a patch that does not apply is asked for again, a failed one not"
    );
    assert_eq!(served.iter().filter(|request| request.agent == "Fixer").count(), 3);
    let locator = prompts(&served[..1], "Locator");
    assert!(locator.contains("## Skills") && locator.contains("## Example"), "{locator}");
    assert!(!locator.contains("## State") && !locator.contains("search_code_base") && !locator.contains("## Tools"));
    let second = prompts(&served[3..], "Locator");
    assert!(second.contains("static_analysis") && !second.contains("search_code_base"), "the toolbox opens on level 2");
    // The paper's first prompt: whole file, no ranking; each attempt from an empty case file.
    let endpoint = Endpoint::start(|agent, nth, _| script_once(agent, nth));
    let way = Way { levels: Some(vec![Level::L1]), ..Way::of("fixagent", true) };
    let (_, served) = repaired_by(bench, &way, &endpoint).await;
    assert_eq!(served.len(), 40, "20 attempts of Locator and Fixer");
    let bodies: std::collections::BTreeSet<String> = served.iter().map(|request| request.body.to_string()).collect();
    assert_eq!(bodies.len(), 40, "no request repeats another");
    assert!(served.iter().all(|request| request.body["temperature"] == 1.0));
    assert!(!prompts(&served, "Locator").contains("Tried before"), "nothing is carried over");
}

fn script_once(agent: &str, nth: usize) -> Reply {
    match (agent, nth) {
        ("Fixer", 1) => Reply::command("write_fix", patch("size > slots.length")),
        _ => usual(agent),
    }
}

async fn lite(bench: &Workbench) {
    let endpoint = Endpoint::start(|agent, _, _| usual(agent));
    let (_, served) = repaired_by(bench, &Way::of("lite", false), &endpoint).await;
    let count = |agent: &str| served.iter().filter(|request| request.agent == agent).count();
    assert_eq!((count("Locator"), count("Fixer"), count("FixerPro"), served.len()), (10, 10, 5, 25));
}

/// The whole machine of Figure 2, the paper's order of sections, 30 variants, and no end before a patch is plausible.
async fn repairagent(bench: &Workbench) {
    let fix = |condition: &str| {
        let line = json!({"line_number": 48, "modified_line": format!("        return {condition};")});
        let file = "src/buffers/RingBuffer.java";
        json!({"edits": [{"file_path": file, "insertions": [], "deletions": [], "modifications": [line]}]})
    };
    let wrong = fix("size > slots.length");
    let right = fix("size >= slots.length");
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        ("RepairAgent", 1) => accomplished(json!({"reason": "done"})),
        ("RepairAgent", 2) => Reply::command("express_hypothesis", json!({"hypothesis": "one slot is lost"})),
        ("RepairAgent", 3) => Reply::command("write_fix", wrong.clone()),
        ("RepairAgent", 4) => accomplished(json!({"reason": "done"})),
        ("RepairAgent", 5) => Reply::command("write_fix", right.clone()),
        ("RepairAgent", 6) => {
            Reply::command("read_range", json!({"file_path": "RingBuffer.java", "start_line": 1, "end_line": 3}))
        }
        ("RepairAgent", _) => accomplished(json!({"reason": "done"})),
        ("Variants", _) => Reply::text("[]"),
        other => panic!("{other:?} does not belong here"),
    });
    let line = bench.index.file(bench.bug.located.as_ref().unwrap()).unwrap();
    let at = (1..=line.line_count()).find(|n| line.line(*n).unwrap().contains("slots.length - 1;")).unwrap();
    assert_eq!(at, 48, "the edits above name this line");
    let (verdict, served) = repaired_by(bench, &Way::of("repairagent", true), &endpoint).await;
    let RunVerdict::Plausible(repair) = verdict else { panic!("repaired") };
    assert_eq!(repair.agent.as_str(), "repair_agent");
    let own: Vec<&Served> = served.iter().filter(|request| request.agent == "RepairAgent").collect();
    assert_eq!(own.len(), 7, "it goes on after a plausible patch until it says so");
    assert_eq!(served.len(), 8, "one query for variants");
    let text = |n: usize| own[n].body["messages"][1]["content"].as_str().unwrap().to_owned();
    let first = text(0);
    insta::assert_snapshot!("repairagent-first", first);
    assert!(!first.contains("slots.length - 1"), "the failing tests and their results, and no code of the product");
    assert!(text(4).starts_with(first.split("## State").next().unwrap()), "they stay in view");
    let order = ["## State", "## Available tools", "## Gathered information", "## Output format", "## Last command"];
    let places: Vec<usize> = order.iter().map(|section| first.find(section).unwrap()).collect();
    assert!(places.is_sorted(), "the paper's order");
    assert!(first.contains("run_fault_localization()") && !first.contains("write_fix(…)"));
    assert!(text(1).contains("not available in the state `understand`"));
    assert!(text(4).contains("no patch has passed all tests yet"), "{}", text(4));
    let variants = served.iter().find(|request| request.agent == "Variants").unwrap();
    assert!(variants.prompt().contains("30"));
}

/// Thirty variants of a candidate that fails, from a model that gives fewer at a time and is cut once.
#[tokio::test(flavor = "multi_thread")]
async fn variants_come_in_as_many_answers_as_they_need() {
    let (_scratch, bench) = bench(Wanted::default()).await;
    let variants = |numbers: std::ops::Range<usize>| {
        let list: Vec<String> = numbers
            .map(|n| json!({"diff": patch(&format!("size > slots.length + {n}"))["diff"]}).to_string())
            .collect();
        format!("[{}]", list.join(", "))
    };
    let cut = |text: String| {
        let end = text.len() - 60;
        let message = json!({"role": "assistant", "content": text[..end]});
        Reply::Json(json!({"choices": [{"finish_reason": "length", "message": message}]}))
    };
    let endpoint = Endpoint::start(move |agent, nth, _| match (agent, nth) {
        ("RepairAgent", 1) => Reply::command("express_hypothesis", json!({"hypothesis": "one slot is lost"})),
        ("RepairAgent", 2) => Reply::command("write_fix", patch("size > slots.length")),
        ("RepairAgent", 3) => Reply::command("write_fix", patch("size >= slots.length")),
        ("RepairAgent", _) => accomplished(json!({"reason": "done"})),
        ("Variants", 1) => cut(variants(1..14)),
        ("Variants", 2) => Reply::text(variants(13..25)),
        ("Variants", _) => Reply::text(variants(25..40)),
        other => panic!("{other:?} does not belong here"),
    });
    let (verdict, served) = repaired_by(&bench, &Way::of("repairagent", true), &endpoint).await;
    assert!(matches!(verdict, RunVerdict::Plausible(_)));
    let queries: Vec<String> =
        served.iter().filter(|request| request.agent == "Variants").map(Served::prompt).collect();
    assert_eq!(queries.len(), 3);
    insta::assert_snapshot!("variants", queries[0]);
    assert!(queries[1].contains("Propose 18 variants") && queries[2].contains("Propose 6 variants"), "{}", queries[1]);
    assert!(queries[1].contains("size > slots.length + 12") && !queries[1].contains("slots.length + 13"));
    let prompt = served.iter().filter(|request| request.agent == "RepairAgent").nth(2).unwrap().prompt();
    assert!(prompt.contains("30 variants of it were tried: 30 failed"), "{prompt}");
}

async fn direct(bench: &Workbench) {
    let text = format!("The bound is wrong.\n```diff\n{}```", patch("size >= slots.length")["diff"].as_str().unwrap());
    let endpoint = Endpoint::start(
        move |_, nth, _| if nth == 1 { Reply::text("I do not know") } else { Reply::text(text.clone()) },
    );
    let (verdict, served) = repaired_by(bench, &Way::of("direct", true), &endpoint).await;
    assert!(matches!(verdict, RunVerdict::Plausible(repair) if repair.number == 2), "the second sample");
    assert_eq!(served.len(), 2);
    assert!(served[0].prompt().contains("step by step") && !served[0].prompt().contains("## State"));
    assert_eq!(served[0].body["messages"], served[1].body["messages"], "samples of one question");
    assert_eq!(served[0].body["temperature"], 1.0);
}

#[test]
fn the_papers_mode_uses_the_developers_lines_and_says_so() {
    let endpoint = Endpoint::start(|_, _, _| Reply::text("I do not know"));
    let (url, home) = (endpoint.base_url(), tempfile::tempdir().unwrap());
    let out = home.path().join("run");
    let model = ["--model", "m", "--base-url", &url, "--json", "--out", out.to_str().unwrap()];
    let done = unidebug(
        &[&["run", BUG, "--strategy", "direct", "--paper", "--without", "memory", "--attempts", "2"], &model[..]]
            .concat(),
    );
    done.expect_code(1);
    assert_eq!(done.json()["localization"], "perfect");
    assert_eq!(endpoint.served().len(), 2, "no engine goes first, and the number of samples can be changed");
    assert!(endpoint.served()[0].prompt().contains("## Lines that have to change"));
    let config: serde_json::Value = serde_json::from_slice(&std::fs::read(out.join("config.json")).unwrap()).unwrap();
    let settings = &config["settings"];
    assert_eq!((&settings["strategy"], &settings["paper"]), (&json!("direct"), &json!(true)));
    assert_eq!(settings["without"], json!(["memory"]), "the frozen configuration names what was off");
    assert_eq!(settings["max_time"], "86400s", "the papers know no cap of a quarter of an hour");
    let differs = config["plan"]["differs_from_the_paper"].to_string();
    assert!(differs.contains("24 hours") && differs.contains("at most 20 failing tests"), "{differs}");
}

#[test]
fn wrong_strategies_parts_and_levels_are_named() {
    for (args, wanted) in [
        (["--strategy", "fixagnt"], "unified, chatrepair, direct, fixagent, lite, repairagent"),
        (["--without", "hleper"], "helper, repo_focus"),
        (["--strategy", "direct"], "the strategy `direct` has no level L2"),
    ] {
        let done = unidebug(&[&["run", BUG, "--model", "builtin", "--levels", "L2"], &args[..]].concat());
        done.expect_code(2);
        assert!(done.stderr.contains(wanted), "{done}");
    }
}

/// An agent and a tool from outside the crate, working on a level of their own making.
#[tokio::test(flavor = "multi_thread")]
async fn own_agents_and_tools_work_beside_the_built_in_ones() {
    use unidebug::escalate::level::Stage;
    use unidebug::tools::{Observation, ToolContext, ToolError, TypedTool};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    struct AskTheAuthor;
    #[async_trait::async_trait]
    impl TypedTool for AskTheAuthor {
        const NAME: &'static str = "ask_the_author";
        const ABOUT: &'static str = "what the author meant";
        type Args = Nothing;
        async fn run(&self, _: Nothing, _: &ToolContext<'_>) -> Result<Observation, ToolError> {
            Ok(Observation::plain("every slot may be used"))
        }
    }

    let (_scratch, bench) = bench(Wanted::default()).await;
    let endpoint = Endpoint::start(|_, nth, body| match nth {
        1 => Reply::command("ask_the_author", json!({})),
        _ if body.to_string().contains("every slot may be used") => good_fix(),
        _ => panic!("the tool's answer is missing"),
    });
    let model = OpenAi::new(Place::new(&endpoint.base_url(), None)).unwrap();
    let profile = "name = 'mender'\ntitle = 'Mender'\nlevel = 1\ngoal = 'mend'\nprompt = 'mender.md'\ncontract = 'patch'\n\
                   model = 'default'\nstart = 'collect'\nbudget = { cycles = 3, answers = 1 }\n\
                   [states.collect]\ntools = ['write_fix', 'ask_the_author']";
    let escalator = Escalator::builder()
        .tool(Box::new(AskTheAuthor))
        .agent(profile)
        .prompt("mender.md", "# Mender\n\n{% include \"partials/output_format.md\" %}")
        .crew(Level::L1, vec![Stage::together(&["mender"])])
        .levels([Level::L1])
        .model(Arc::new(model), "m");
    let mut escalator = escalator.build().unwrap();
    escalator.plan.crews.remove(&Level::First);
    let RunVerdict::Plausible(repair) = escalator.repair(&bench).await.unwrap() else { panic!("repaired") };
    assert_eq!(repair.agent.as_str(), "mender");
    assert!(endpoint.served()[0].body.to_string().contains("ask_the_author()`: what the author meant"));
}

/// A patch as ChatRepair's model writes it: words, then a diff.
fn answer(condition: &str) -> Reply {
    let diff = patch(condition)["diff"].as_str().unwrap().to_owned();
    Reply::text(format!("The buffer keeps one slot free, so I try `{condition}`.\n\n```diff\n{diff}```\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn chatrepair_talks_about_what_the_tests_say_and_asks_for_alternatives() {
    let (_scratch, bench) = bench(Wanted::default()).await;
    let endpoint = Endpoint::start(|agent, nth, _| match (agent, nth) {
        ("ChatRepair", 1) => answer("size > slots.length"),
        ("ChatRepair", 2) => answer("size == slots.length + 1"),
        ("ChatRepair", 3) => answer("size > slots.length + 2"),
        ("ChatRepair", _) => answer("size >= slots.length"),
        ("ChatRepair Alternatives", 1) => answer("size == slots.length"),
        ("ChatRepair Alternatives", 2) => answer("size != 0"),
        _ => answer("slots.length <= size"),
    });
    let (verdict, served) = repaired_by(&bench, &Way::of("chatrepair", true), &endpoint).await;
    let RunVerdict::Plausible(repair) = verdict else { panic!("no patch passed: {verdict:?}") };
    assert_eq!((repair.agent.as_str(), repair.number), ("chat", 2), "the second conversation");
    let others: Vec<String> = repair.others.iter().map(|other| unidebug::patch::render(&other.patch)).collect();
    assert_eq!(others.len(), 2, "two alternatives pass, one does not: {others:?}");
    assert!(others[0].contains("size == slots.length") && others[1].contains("slots.length <= size"), "{others:?}");

    let prompt = |agent: &str, nth: usize| served.iter().filter(|of| of.agent == agent).nth(nth - 1).unwrap().prompt();
    let talk = prompt("ChatRepair", 3);
    assert!(talk.contains("## The conversation until now"), "{talk}");
    assert!(talk.contains("size > slots.length;") && talk.contains("size == slots.length + 1"), "both patches: {talk}");
    assert!(talk.contains("failed: "), "and what the tests said: {talk}");
    let anew = prompt("ChatRepair", 4);
    assert!(!anew.contains("size > slots.length;") && anew.contains("Give the first patch."), "{anew}");
    let alternative = prompt("ChatRepair Alternatives", 1);
    assert!(alternative.contains("## This patch passes all tests: give another one that does"), "{alternative}");
    assert!(prompt("ChatRepair Alternatives", 3).contains("size != 0"), "what failed among the alternatives");
    insta::assert_snapshot!("chatrepair-third", talk);
}
