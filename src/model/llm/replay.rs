//! A model that answers from a recording.

use super::recording::{FILE, read};
use super::{Answer, ChatModel, Exchange, ModelError, Query, RecordingError, answer_from, key};
use crate::domain::Problem;
use crate::domain::words::clipped;
use camino::Utf8Path;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Lines of difference shown for a request that was not recorded.
const DIFF_LINES: usize = 16;
/// Characters of such a line.
const LINE_LENGTH: usize = 160;

/// A model that answers what was recorded, and nothing else.
pub struct Replay {
    exchanges: Vec<Exchange>,
    /// Indexes of exchanges by key, and by the key without the model's name.
    by_key: Mutex<HashMap<String, VecDeque<usize>>>,
}

impl Replay {
    /// Opens a recording: its folder or the file itself.
    ///
    /// # Errors
    /// It cannot be read, is malformed or was made by a newer program.
    pub fn open(path: &Utf8Path) -> Result<Self, RecordingError> {
        let path = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
        let bytes = std::fs::read(&path).map_err(|cause| RecordingError::Io { path: path.clone(), cause })?;
        Ok(Self::new(read(&path, &bytes)?.0))
    }

    /// A replay of these exchanges. One request that was recorded several times is answered in that order, and then
    /// by the last answer.
    pub fn new(exchanges: Vec<Exchange>) -> Self {
        let mut by_key: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (at, exchange) in exchanges.iter().enumerate() {
            let keys: HashSet<String> =
                [exchange.key.clone(), key(&exchange.request), nameless(&exchange.request)].into();
            for key in keys {
                by_key.entry(key).or_default().push_back(at);
            }
        }
        Self { exchanges, by_key: Mutex::new(by_key) }
    }

    /// How many exchanges there are.
    pub fn len(&self) -> usize {
        self.exchanges.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.exchanges.is_empty()
    }

    fn find(&self, query: &Query) -> Option<&Exchange> {
        let mut by_key = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        for key in [key(query), nameless(query)] {
            if let Some(indexes) = by_key.get_mut(&key) {
                let at = if indexes.len() > 1 { indexes.pop_front() } else { indexes.front().copied() };
                return at.map(|at| &self.exchanges[at]);
            }
        }
        None
    }

    /// What is missing, and how the most similar recorded request of the same agent differs.
    fn miss(&self, query: &Query) -> Problem {
        let wanted = text_of(query);
        let agent = first_line(query);
        let lines: HashSet<&str> = wanted.lines().collect();
        let shared = |exchange: &&Exchange| {
            let same_agent = first_line(&exchange.request) == agent;
            let text = text_of(&exchange.request);
            (same_agent, text.lines().filter(|line| lines.contains(line)).count())
        };
        let total = self.exchanges.len();
        let head = format!("the recording holds no answer to this request of `{agent}` ({total} recorded)");
        let Some(nearest) = self.exchanges.iter().max_by_key(shared) else { return head.into() };
        let text = text_of(&nearest.request);
        let diff = similar::TextDiff::from_lines(&text, &wanted).unified_diff().context_radius(0).to_string();
        let changed: Vec<&str> = diff.lines().filter(|line| line.starts_with(['+', '-'])).collect();
        let shown =
            changed.iter().take(DIFF_LINES).map(|line| clipped(line, LINE_LENGTH)).collect::<Vec<_>>().join("\n");
        let more = changed.len().saturating_sub(DIFF_LINES);
        let more = if more > 0 { format!("\n({more} more lines differ)") } else { String::new() };
        Problem::with_hint(
            format!("{head}\nthe nearest recorded request differs (- recorded, + asked):\n{shown}{more}"),
            "the prompt, the code or a setting changed since; record again with --record",
        )
    }
}

/// The key of a request whatever the model is called, with what follows from its name left out.
fn nameless(query: &Query) -> String {
    key(&Query { model: String::new(), temperature: None, max_tokens: None, ..query.clone() })
}

fn first_line(query: &Query) -> &str {
    query.messages.first().and_then(|message| message.content.lines().next()).unwrap_or("")
}

/// A request as text, for comparison.
fn text_of(query: &Query) -> String {
    let mut text = format!("model: {}\nsample: {}\n", query.model, query.sample);
    text += &format!("temperature: {:?}\nmax_tokens: {:?}\n", query.temperature, query.max_tokens);
    for tool in &query.tools {
        text += &format!("tool: {} {}\n", tool.name, tool.parameters);
    }
    for message in &query.messages {
        text += &format!("[{}]\n{}\n", message.role, message.content);
    }
    text
}

#[async_trait::async_trait]
impl ChatModel for Replay {
    fn endpoint(&self) -> String {
        "replay".to_owned()
    }

    async fn ask(&self, query: &Query) -> Result<Answer, ModelError> {
        match self.find(query) {
            Some(exchange) => Ok(answer_from(exchange.response.clone(), exchange.usage)),
            None => Err(ModelError::NotRecorded(self.miss(query))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Message, Recorder, Redactor, Secret};
    use super::*;
    use crate::domain::{Cost, Usage};
    use serde_json::json;
    use std::sync::Arc;

    fn query(text: &str) -> Query {
        Query {
            model: "m".into(),
            messages: vec![Message { role: "system".into(), content: format!("# Fixer\nrules\n{text}") }],
            tools: Vec::new(),
            form: None,
            effort: None,
            temperature: None,
            max_tokens: None,
            sample: 0,
        }
    }

    /// Answers with the number of the request and a secret.
    struct Counting(std::sync::atomic::AtomicU64);

    #[async_trait::async_trait]
    impl ChatModel for Counting {
        fn endpoint(&self) -> String {
            "counting".into()
        }
        async fn ask(&self, _: &Query) -> Result<Answer, ModelError> {
            let n = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let raw = json!({"choices": [{"message": {"content": format!("answer {n} canary-secret-1")}}]});
            Ok(answer_from(raw, Usage { requests: 1, prompt_tokens: n, cost_usd: Cost::UNKNOWN, ..Usage::default() }))
        }
    }

    fn recorder(folder: &Utf8Path) -> Recorder {
        let redactor = Redactor::new([Secret::new("canary-secret-1")], []);
        Recorder::create(Arc::new(Counting(0.into())), folder, Arc::new(redactor)).unwrap()
    }

    #[tokio::test]
    async fn what_was_recorded_is_answered_again() {
        let keep = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(keep.path()).unwrap();
        let recorder = recorder(folder);
        for text in ["a", "a", "b"] {
            recorder.ask(&query(text)).await.unwrap();
        }
        assert!(!std::fs::read_to_string(folder.join(FILE)).unwrap().contains("canary-secret-1"));
        let replay = Replay::open(folder).unwrap();
        assert_eq!((replay.len(), replay.endpoint().as_str()), (3, "replay"));
        let mut texts = Vec::new();
        for text in ["b", "a", "a", "a"] {
            let answer = replay.ask(&Query { model: "another name".into(), ..query(text) }).await.unwrap();
            texts.push(answer.text.split(" [").next().unwrap().to_owned());
            assert_eq!(answer.usage.cost_usd, Cost::UNKNOWN);
        }
        assert_eq!(texts, ["answer 2", "answer 0", "answer 1", "answer 1"]);
    }

    #[tokio::test]
    async fn a_miss_names_the_nearest_request_and_what_differs() {
        let keep = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(keep.path()).unwrap();
        recorder(folder).ask(&query("line one\nline two")).await.unwrap();
        let error = Replay::open(folder).unwrap().ask(&query("line one\nline 2")).await.unwrap_err();
        let ModelError::NotRecorded(text) = error else { panic!("{error:?}") };
        assert!(text.what.contains("`# Fixer` (1 recorded)") && text.what.contains("-line two\n+line 2"), "{text}");
        assert!(!text.what.contains("line one"), "{text}");
    }

    #[tokio::test]
    async fn a_recording_goes_on_behind_a_torn_line() {
        let keep = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(keep.path()).unwrap();
        recorder(folder).ask(&query("a")).await.unwrap();
        let path = folder.join(FILE);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(b"{\"key\": \"half");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Replay::open(&path).unwrap().len(), 1);
        recorder(folder).ask(&query("b")).await.unwrap();
        assert_eq!(Replay::open(folder).unwrap().len(), 2);
    }

    #[test]
    fn other_files_are_refused_with_what_is_wrong() {
        let keep = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(keep.path()).unwrap().join(FILE);
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            Replay::open(&path).map(|_| ()).unwrap_err().to_string()
        };
        assert!(refused("hello\n").contains("recording.jsonl`:1:"));
        assert!(refused("{\"schema\": 1}\n{}\n").contains("recording.jsonl`:2:"));
        assert!(refused("{\"schema\": 9, \"made_by\": \"unidebug 7.0\"}\n").contains("unidebug 7.0"));
        assert!(matches!(Replay::open(Utf8Path::new("/nowhere/at/all")), Err(RecordingError::Io { .. })));
    }
}
