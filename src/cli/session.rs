//! One session of a run: what is opened before anything is paid for, and the work on the bug. A new run, one that goes
//! on and one that is repeated differ in what they know from before and in where their events go.

use super::bench::args::OfBatch;
use super::config::{Config, Dollars};
use super::effect;
use super::endpoint;
use super::error::Failure;
use super::event_sinks::EventSinks;
use super::external;
use super::failpoints;
use super::issue::{self, Issue, Opening};
use super::models::{Contact, Models};
use super::open::{self, Opened};
use super::part;
use super::prices;
use super::retrieval::Retrieval;
use super::run_report::{report, written};
use super::sources;
use super::strategy::{self, Chosen, part_caps};
use crate::agent::policy::EngineBudget;
use crate::agent::profile::Profile;
use crate::domain::{AgentName, Event, Reproduction, TestId};
use crate::escalate::preview::Preview;
use crate::escalate::{Escalator, Plan, RunVerdict};
use crate::journal::{SCHEMA as JOURNAL_SCHEMA, failpoint};
use crate::llm::Account;
use crate::prompt::Library;
use crate::report::RunReport;
use crate::tools::{Registry, Workbench};
use camino::Utf8Path;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Everything that must hold before work begins.
pub(super) struct Session {
    config: Config,
    /// Whether the cap in dollars is the usual one, that nobody asked for.
    usual_cost: bool,
    plan: Plan,
    library: Arc<Library>,
    profiles: Vec<Profile>,
    opened: Opened,
    models: Arc<Models>,
    retrieval: Retrieval,
    account: Option<Arc<Account>>,
    /// What is worked on where no failing test is there.
    issue: Option<Issue>,
    /// Whether a repair of a part of the failing tests is none.
    all_tests: bool,
    started: Instant,
}

/// What a session came to.
pub(super) struct Outcome {
    /// The bug it worked on.
    pub bench: Workbench,
    /// How the work on it ended.
    pub verdict: RunVerdict,
    /// The test that was written for an issue.
    pub test: Option<Box<Reproduction>>,
    /// The same for people and programs.
    pub report: RunReport,
    /// Failing tests of other bugs, one group a bug.
    pub others: Vec<Vec<TestId>>,
    /// Whether it stopped only because its batch has no more to spend.
    pub left_by_batch: bool,
}

impl Session {
    /// Checks the bug, the sandbox, profiles and prompts, and makes contact with the model; `of_batch` is what it has of
    /// the batch which the run belongs to.
    ///
    /// # Errors
    /// Whatever of it cannot be used.
    pub(super) async fn open(
        bug: &str,
        config: Config,
        contact: Contact<'_>,
        of_batch: OfBatch,
    ) -> Result<Self, Failure> {
        let started = Instant::now();
        let account = of_batch.account.clone();
        let library = Arc::new(Library::load(config.prompts.as_deref())?);
        let chosen = Chosen::of(&config)?;
        let profiles = chosen.profiles(config.agents.as_deref(), &Registry::builtin().names())?;
        let names: Vec<AgentName> = profiles.iter().map(|profile| profile.name.clone()).collect();
        let opened = Opened::check(bug, &config).await?;
        // The account of a batch may cap its money; a run that goes on has what it began with.
        let in_dollars = account.as_ref().is_some_and(|account| account.is_in_dollars().unwrap_or(true));
        let usual = matches!(contact, Contact::First) && !in_dollars;
        let usual = if usual { effect::usual_cost(&config, &names)? } else { None };
        let config = Config { max_cost: config.max_cost.or(usual), ..config };
        let retrieval = Retrieval::open(&config, contact)?;
        let models = Arc::new(Models::open(&config, &names, contact, of_batch).await?);
        let plan = chosen.settled(&models, &config);
        Ok(Self {
            usual_cost: usual.is_some(),
            config,
            plan,
            library,
            profiles,
            opened,
            models,
            retrieval,
            account,
            issue: None,
            all_tests: false,
            started,
        })
    }

    /// The same session, which goes on with a cap in dollars that nobody gave.
    pub(super) fn under_the_usual_cost(self, usual_cost: bool) -> Self {
        Self { usual_cost, ..self }
    }

    /// The same session for an issue, where there is one.
    pub(super) fn on(self, issue: Option<Issue>) -> Self {
        Self { issue, ..self }
    }

    /// The same session, for which a repair of a part of the failing tests is none.
    pub(super) fn on_all_tests(self) -> Self {
        Self { all_tests: true, ..self }
    }

    /// The same session with the verdicts of earlier runs, where they are wanted.
    pub(crate) fn with_known_verdicts(self, wanted: bool) -> Self {
        Self { opened: self.opened.with_known_verdicts(wanted), ..self }
    }

    /// The issue that it works on.
    pub(super) fn issue(&self) -> Option<&Issue> {
        self.issue.as_ref()
    }

    /// The bug and its settings.
    pub(super) fn opened(&self) -> &Opened {
        &self.opened
    }

    /// The settings in force.
    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// What is tried, in which order.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What each agent asks: a model, or the built-in engine.
    pub(super) fn models(&self) -> &Models {
        &self.models
    }

    /// Wall time for the bug.
    pub(super) fn time(&self) -> Duration {
        self.config.time(self.models.any_model())
    }

    /// Works on the bug in a run directory, for at most `time`.
    ///
    /// # Errors
    /// Faults of the environment, the model and the journal; a bug that stays without a repair is none.
    pub(super) async fn work(
        &self,
        folder: &Utf8Path,
        event_sinks: &EventSinks,
        time: Duration,
    ) -> Result<Outcome, Failure> {
        clear(folder);
        event_sinks.emit(&self.started_event())?;
        self.notices(event_sinks)?;
        event_sinks.manifest.name_endpoint(self.models.describe().1);
        failpoint::reach("baseline.before");
        let began = Instant::now();
        let (to_open, test) = match &self.issue {
            None => (self.opened.watched(event_sinks.watcher()), None),
            Some(issue) => match self.open_issue(issue, folder, event_sinks, time).await? {
                Opening::Reproduced(opened, test) => (*opened, Some(test)),
                Opening::Ended(bench, verdict) => {
                    return Ok(self.outcome(*bench, verdict, None, folder, event_sinks, Duration::ZERO).await);
                }
            },
        };
        let (opening, wanted) = (Instant::now(), strategy::wanted(&self.plan, &self.config));
        let mut bench = to_open.bench(folder, wanted, &*event_sinks.sink).await?;
        let (time, opened) = (left_after(time, began.elapsed()), opening.elapsed());
        failpoint::reach("baseline.after");
        external::add_to(&mut bench, &self.config, &*event_sinks.sink)?;
        sources::keep(&bench, &self.models.redactor, event_sinks)?;
        self.retrieval.add_to(&mut bench, &self.models.redactor, event_sinks)?;
        failpoints::around_judge(&mut bench);
        let verdict = self.escalator(event_sinks, time)?.repair(&bench).await?;
        let all = bench.validator.baseline().bugs();
        let (bench, verdict) = match self.all_tests {
            true => (bench, verdict),
            false => self.or_on_part((bench, verdict), &to_open, folder, event_sinks).await?,
        };
        let others = part::without(all, &bench.validator.baseline().triggering);
        Ok(Outcome { others, ..self.outcome(bench, verdict, test, folder, event_sinks, opened).await })
    }

    /// What the work came to, which took so long to be opened.
    async fn outcome(
        &self,
        bench: Workbench,
        verdict: RunVerdict,
        test: Option<Box<Reproduction>>,
        folder: &Utf8Path,
        event_sinks: &EventSinks,
        opened: Duration,
    ) -> Outcome {
        let clock = (self.started, opened);
        let mut report =
            report(self.plan.localization, &self.models, &bench, folder, event_sinks, &verdict, clock).await;
        report.jdk = self.opened.jdk_of(&bench.checkout);
        report.test = test.as_deref().map(written);
        let refused = self.account.as_ref().is_some_and(|account| account.has_refused());
        let left_by_batch = refused && matches!(verdict, RunVerdict::StoppedAtCap { .. });
        Outcome { bench, verdict, test, report, others: Vec::new(), left_by_batch }
    }

    /// What would be asked, with the bug on the bench; no model is.
    ///
    /// # Errors
    /// Everything that can be wrong with a checkout, a JDK and a baseline.
    pub(super) async fn preview(&self, folder: &Utf8Path, event_sinks: &EventSinks) -> Result<Vec<Preview>, Failure> {
        let wanted = strategy::wanted(&self.plan, &self.config);
        let mut bench = self.opened.watched(event_sinks.watcher()).bench(folder, wanted, &*event_sinks.sink).await?;
        external::add_to(&mut bench, &self.config, &*event_sinks.sink)?;
        Ok(self.escalator(event_sinks, self.time())?.preview(&bench).await?)
    }

    fn started_event(&self) -> Event {
        Event::RunStarted {
            schema: JOURNAL_SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            bug: self.opened.bug.clone(),
            sandbox: self.opened.sandbox.name().to_owned(),
        }
    }

    fn notices(&self, event_sinks: &EventSinks) -> Result<(), Failure> {
        for warning in self.opened.sandbox.warnings() {
            once(event_sinks, &warning)?;
        }
        if self.models.for_lack_of_a_key {
            let notice = "no key is configured, so the built-in engine works alone (`unidebug init` changes that)";
            once(event_sinks, notice)?;
        }
        if let (true, Some(Dollars(usd))) = (self.usual_cost, self.config.max_cost) {
            event_sinks.notice(&format!("at most ${usd} are spent on this bug; `--max-cost` sets another cap"))?;
        }
        if self.models.any_model() && self.config.max_cost.is_some() {
            let notice = endpoint::price_list(&self.config).ok().and_then(|list| prices::warning(&list));
            notice.map_or(Ok(()), |notice| event_sinks.notice(&notice))?;
        }
        match self.models.note {
            Some(note) => event_sinks.notice(&format!("about this endpoint: {note}")),
            None => Ok(()),
        }
    }

    pub(super) fn escalator(&self, event_sinks: &EventSinks, time: Duration) -> Result<Escalator, Failure> {
        let (models, prompts) = (self.models.clone(), self.library.clone());
        let (sink, past) = (event_sinks.sink.clone(), event_sinks.past.clone());
        let temperature = self.plan.temperature;
        let engine =
            EngineBudget { time, candidates: self.config.max_candidates, seed: self.config.seed, whole: false };
        // A paper's own numbers know no end before their budget's.
        let idle = (!self.plan.paper).then_some(self.config.idle_cycles);
        let escalator = Escalator::builder()
            .plan(self.plan.clone())
            .profiles(self.profiles.clone())
            .library(self.library.clone())
            .sink(sink.clone())
            .past(past.clone())
            .engine(engine)
            .caps(part_caps(&self.config, self.time(), idle)?)
            .decider(Box::new(move |level, agent| models.decider(level, agent, temperature, &prompts, &sink, &past)));
        Ok(escalator.build()?)
    }
}

/// Tells what holds for the machine and not for one bug: once, however many bugs this process works on.
fn once(event_sinks: &EventSinks, text: &str) -> Result<(), Failure> {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let new = REPORTED.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
    if new { event_sinks.notice(text) } else { Ok(()) }
}

/// What a baseline leaves of a bug's time: it counts, but at least half of the time is for the repair.
fn left_after(time: Duration, baseline: Duration) -> Duration {
    time.saturating_sub(baseline).max(time / 2)
}

/// Removes what can be made again: a run directory keeps what cannot.
pub(super) fn clear(folder: &Utf8Path) {
    open::clear(folder);
    for scratch in [issue::SCRATCH, part::SCRATCH] {
        let _ = std::fs::remove_dir_all(folder.join(scratch));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_counts_and_leaves_half_of_the_time() {
        let left = |baseline| left_after(Duration::from_secs(60), Duration::from_secs(baseline)).as_secs();
        assert_eq!([left(0), left(20), left(30), left(500)], [60, 40, 30, 30]);
    }
}
