//! How a model is asked: the request is journaled before it leaves, the response before anybody reads it.

use crate::agent::error::AgentError;
use crate::domain::{Event, EventSink, Problem, Reached, Scope, Unanswered};
use crate::journal::{Paid, Past};
use crate::llm::{Answer, ChatModel, Family, Form, Message, ModelError, PricedBudget, Query, answer_from, key};
use crate::prompt::Library;
use std::sync::Arc;
use std::time::Instant;
use tracing::Instrument;

/// How one model is asked on behalf of one agent.
#[derive(Clone)]
pub struct ModelSettings {
    /// Who is asked.
    pub model: Arc<dyn ChatModel>,
    /// Its name at the endpoint.
    pub name: String,
    /// Sampling temperature of a first question; the endpoint decides when absent.
    pub temperature: Option<f64>,
    /// Sampling temperature when the agent is asked again, in a later attempt or in refinement.
    pub again: Option<f64>,
    /// Tokens of one answer at most, thinking included.
    pub answer_tokens: u32,
    /// Another model that generates code for the agent's tool, with its name at the endpoint.
    pub coder: Option<(Arc<dyn ChatModel>, String)>,
    /// In which form commands are asked for; text when absent.
    pub form: Option<Form>,
    /// How long the model thinks before it answers.
    pub effort: Option<String>,
    /// What the agent may spend.
    pub priced_budget: PricedBudget,
    /// The templates that questions are rendered from.
    pub library: Arc<Library>,
    /// Where its requests and answers are kept.
    pub sink: Arc<dyn EventSink>,
    /// What it held when this session began.
    pub past: Arc<Past>,
}

impl ModelSettings {
    /// The same for an agent that works in that place: what is asked again is sampled otherwise.
    #[must_use]
    pub(crate) fn at(self, scope: &Scope) -> Self {
        let temperature = if scope.is_again() { self.again } else { self.temperature };
        Self { temperature, ..self }
    }

    /// Whether the model's answers differ when it is asked the same again: a model that is not sampled needs another
    /// view of the evidence.
    pub(crate) fn is_sampled(&self) -> bool {
        self.again.is_some_and(|temperature| temperature > 0.0) && Family::of(&self.name).temperature
    }

    /// The model that generates code.
    #[must_use]
    pub(crate) fn for_code(&self) -> Self {
        match self.coder.clone() {
            Some((model, name)) => {
                let answer_tokens = self.answer_tokens.max(Family::of(&name).answer_tokens);
                Self { model, name, answer_tokens, coder: None, ..self.clone() }
            }
            None => self.clone(),
        }
    }

    /// Asks once for text.
    ///
    /// # Errors
    /// The model's, the journal's; a prompt larger than the model's context.
    pub(crate) async fn ask(
        &self,
        scope: &Scope,
        system: String,
        user: String,
        sample: u32,
    ) -> Result<Answer, AgentError> {
        let answer = self.exchange(scope, self.query(system, user, sample)).await?;
        match answer.overflowed() {
            Some(what) => Err(AgentError::Model(ModelError::ContextLength(what.into()))),
            None => Ok(answer),
        }
    }

    /// A request for text.
    pub(crate) fn query(&self, system: String, user: String, sample: u32) -> Query {
        let message = |role: &str, content: String| Message { role: role.to_owned(), content };
        Query {
            model: self.name.clone(),
            messages: vec![message("system", system), message("user", user)],
            tools: Vec::new(),
            form: None,
            effort: self.effort.clone(),
            temperature: self.temperature,
            max_tokens: Some(self.answer_tokens),
            sample,
        }
    }

    /// One exchange: `Sent` is journaled before, `Received` before anybody reads the answer. What was paid already is
    /// taken from the journal. An answer can say that the prompt was larger than the context.
    ///
    /// # Errors
    /// The model's, the journal's.
    pub(crate) async fn exchange(&self, scope: &Scope, query: Query) -> Result<Answer, AgentError> {
        let permit = self.priced_budget.reserve(&query).map_err(|error| AgentError::Spent(error.into_problem()))?;
        let key = key(&query);
        let request = serde_json::to_value(&query).map_err(std::io::Error::other)?;
        self.sink.emit(&Event::Sent { scope: scope.clone(), key: key.clone(), request })?;
        let paid = match self.past.response(scope, &key) {
            Some(paid) => paid,
            None => self.buy(scope, &key, &query).await?,
        };
        let Paid { response, usage, seconds } = paid;
        let received = Event::Received { scope: scope.clone(), key, response: response.clone(), usage, seconds };
        self.sink.emit(&received)?;
        if let Some(permit) = permit {
            permit.settle(&usage);
        }
        Ok(answer_from(response, usage))
    }

    /// Asks the model. Why there is no response is journaled too: a repetition fails in the same way.
    async fn buy(&self, scope: &Scope, key: &str, query: &Query) -> Result<Paid, AgentError> {
        if let Some(Event::Failed { how, why, cap, .. }) = self.past.failure(scope, key) {
            return Err(failure(how, why, cap));
        }
        let started = Instant::now();
        match self.model.ask(query).instrument(tracing::info_span!("call", model = query.model, key = &key[..12])).await
        {
            Ok(Answer { raw, usage, .. }) => {
                Ok(Paid { response: raw, usage, seconds: started.elapsed().as_secs_f64() })
            }
            Err(error) => {
                let how = match error {
                    // Nothing was sent: as at a cap, it is asked anew when the run goes on.
                    ModelError::OverBudget(_) | ModelError::Deferred(_) => Unanswered::Cap,
                    ModelError::Failed(_) => Unanswered::Lost,
                    _ => Unanswered::Refused,
                };
                let cap = match &error {
                    ModelError::OverBudget(cap) => Some(cap.clone()),
                    _ => None,
                };
                let why = error.clone().into_problem();
                self.sink.emit(&Event::Failed { scope: scope.clone(), key: key.to_owned(), how, why, cap })?;
                Err(match error {
                    ModelError::OverBudget(cap) => AgentError::StoppedAtCap(cap),
                    ModelError::Deferred(why) => AgentError::Deferred(why),
                    other => AgentError::Model(other),
                })
            }
        }
    }
}

/// A failure as it was.
fn failure(how: Unanswered, why: Problem, cap: Option<Reached>) -> AgentError {
    match how {
        Unanswered::Cap => {
            AgentError::StoppedAtCap(cap.unwrap_or_else(|| Reached::other(why.what, why.hint.unwrap_or_default())))
        }
        Unanswered::Lost => AgentError::Model(ModelError::Failed(why)),
        Unanswered::Refused => AgentError::Model(ModelError::BadRequest(why)),
    }
}
