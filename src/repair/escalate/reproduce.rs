//! Before the levels, where there is an issue and no failing test: Reproducer writes one.

use super::caps::Spent;
use super::escalator::{Decider, Escalator, RepairError};
use super::work::Work;
use crate::agent::AgentError;
use crate::agent::evidence::Evidence;
use crate::agent::policy::shared_engine;
use crate::domain::{AgentName, Artifact, CaseFile, Level, Reached, Reproduction, Scope};
use crate::tools::Workbench;
use std::sync::Mutex;

/// The agent that writes a test for an issue.
pub const REPRODUCER: &str = "reproducer";

/// What came of an issue.
#[derive(Debug)]
pub enum Shown {
    /// A test fails as the issue says.
    By(Box<Reproduction>),
    /// No test does; what the agent or the last trial said.
    ByNothing(String),
    /// A cap was reached first.
    StoppedAtCap(Reached),
}

impl Escalator {
    /// Has a test written for the issue of a bench that no failing test is known of.
    ///
    /// # Errors
    /// Faults of the environment, the model and the journal; that nothing is reproduced is no error.
    pub async fn reproduce(&self, bench: &Workbench) -> Result<Shown, RepairError> {
        let agent = AgentName::from(REPRODUCER);
        let engine = shared_engine(bench, (self.engine)(Level::First));
        let work = Work { bench, engine, spent: Spent::nothing(&self.caps), judged: 0, visits: Mutex::default() };
        let scope = Scope { attempt: 1, level: Level::First, agent, cycle: 0, focus: None, visit: 1 };
        let profile = self.profile(&scope)?;
        let evidence = Evidence::to_reproduce(bench);
        let mut policy = self.policy(&scope, &work, 0);
        match self.run(&profile, scope, evidence, &work, &CaseFile::default(), &mut *policy).await {
            Ok((_, _, outcome)) => Ok(match outcome.artifact {
                Artifact::Test(found) => Shown::By(found),
                Artifact::Nothing { explanation } => Shown::ByNothing(explanation),
                _ => Shown::ByNothing(outcome.how),
            }),
            Err(RepairError::Agent(AgentError::StoppedAtCap(cap))) => Ok(Shown::StoppedAtCap(cap)),
            Err(error) => Err(error),
        }
    }

    /// Whether a model writes tests for issues.
    pub fn can_reproduce(&self) -> bool {
        matches!((self.decider)(Level::First, &AgentName::from(REPRODUCER)), Decider::Model { .. })
    }
}
