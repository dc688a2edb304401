//! Which candidate next: all templates at all suspicious statements, best first, without repetition.

use super::edit::{Change, applied, normal_form};
use super::ingredients::Pantry;
use super::learn::Experience;
use super::syntax::{Unit, enclosing_member, is_site};
use super::{Edit, Site, Template, catalogue};
use crate::code::CodeIndex;
use crate::domain::{FailingTest, FileChange, Location, Patch, Ranking, Validation};
use crate::language;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use tree_sitter::Node;

/// Other members of the file whose code is mined for one statement.
const NEAR_MEMBERS: usize = 8;
/// Statements looked at before the first candidate; more follow as the best candidates run out.
const FIRST_PLACES: usize = 40;
/// Statements added each time.
const MORE_PLACES: usize = 20;
/// Each further proposal of one template at one statement counts for a little less than the one before.
const CROWDING: f64 = 0.06;
/// Weight of a two-edit candidate against its better half.
const PAIR: f64 = 0.6;
/// Singles that a promising one is combined with.
const MAX_PARTNERS: usize = 80;

/// What bounds and seeds the engine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Same seed, same order. It only decides between candidates of equal score.
    pub seed: u64,
    /// Candidates at most.
    pub max_candidates: usize,
    /// The failures of the untouched code: they say which templates are likely, and which candidates moved something.
    pub failing: Vec<FailingTest>,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 1, max_candidates: 10_000, failing: Vec::new() }
    }
}

/// A patch to try.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The patch.
    pub patch: Patch,
    /// The family it came from; for two edits the second one's.
    pub template: &'static str,
    /// The statement it changes.
    pub location: Location,
    /// Suspiciousness of that statement, `0.0..=1.0`.
    pub suspicion: f64,
    /// Its score when it was chosen; comparable inside one engine only.
    pub score: f64,
    /// What was changed, for people.
    pub note: String,
    /// How many single edits it is made of.
    pub edits: usize,
    /// Bytes added and removed, together.
    pub size: usize,
    plan: usize,
}

/// A suspicious statement.
struct Place {
    unit: usize,
    start: usize,
    end: usize,
    location: Location,
    suspicion: f64,
}

/// An edit that can become a candidate.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) place: usize,
    pub(super) template: usize,
    pub(super) changes: Vec<Change>,
    pub(super) note: String,
    pub(super) base: f64,
    edits: usize,
    used: bool,
    /// Decides between equal scores, by the seed alone.
    tie: u64,
}

#[cfg(test)]
impl Plan {
    /// A plan of one template at one place that changes nothing.
    pub(super) fn for_tests(place: usize, template: usize) -> Self {
        Self { place, template, changes: Vec::new(), note: String::new(), base: 1.0, edits: 1, used: false, tie: 0 }
    }
}

/// Makes candidates in order of promise and learns from what the judge says of them.
pub struct Engine<'a> {
    index: &'a CodeIndex,
    options: Options,
    templates: Vec<Box<dyn Template>>,
    units: Vec<Unit>,
    places: Vec<Place>,
    expanded: usize,
    plans: Vec<Plan>,
    pantries: HashMap<(usize, usize), Arc<Pantry>>,
    seen: HashSet<u64>,
    emitted: usize,
    experience: Experience,
}

impl<'a> Engine<'a> {
    /// An engine for the suspicious lines of a ranking. Nothing is generated yet.
    pub fn new(index: &'a CodeIndex, ranking: &Ranking, options: Options) -> Self {
        let templates = catalogue();
        let experience = Experience::new(&options.failing, &templates);
        let mut engine = Self {
            index,
            options,
            templates,
            units: Vec::new(),
            places: Vec::new(),
            expanded: 0,
            plans: Vec::new(),
            pantries: HashMap::new(),
            seen: HashSet::new(),
            emitted: 0,
            experience,
        };
        engine.find_places(ranking);
        engine
    }

    /// The next candidates, best first; fewer than `n` when they run out or the limit is reached.
    pub fn next_batch(&mut self, n: usize) -> Vec<Candidate> {
        let mut batch = Vec::new();
        let room = self.options.max_candidates.saturating_sub(self.emitted);
        if self.expanded == 0 {
            self.expand(FIRST_PLACES);
        }
        self.combine();
        while batch.len() < n.min(room) {
            let wanted = n.min(room) - batch.len();
            let best = self.best(wanted);
            let lowest = best.last().map_or(0.0, |(_, score)| *score);
            let next = self.places.get(self.expanded).map_or(0.0, |place| place.suspicion * 0.8);
            if (best.len() < wanted || next > lowest) && self.expanded < self.places.len() {
                self.expand(MORE_PLACES);
                continue;
            }
            if best.is_empty() {
                break;
            }
            for (plan, score) in best {
                self.plans[plan].used = true;
                batch.extend(self.candidate(plan, score));
            }
        }
        self.emitted += batch.len();
        batch
    }

    /// Takes the judge's answer on a candidate.
    pub fn learn(&mut self, candidate: &Candidate, validation: &Validation) {
        if let Some(plan) = self.plans.get(candidate.plan) {
            self.experience.learn(candidate.plan, plan, validation);
        }
    }

    /// How many candidates were handed out.
    pub fn emitted(&self) -> usize {
        self.emitted
    }

    fn find_places(&mut self, ranking: &Ranking) {
        let mut known: HashSet<(usize, usize)> = HashSet::new();
        for suspect in &ranking.lines {
            let Some(unit) = self.unit_of(&suspect.location) else { continue };
            let Some(node) = self.units[unit].statement_at(suspect.location.line) else { continue };
            if known.insert((unit, node.id())) {
                let (start, end) = (node.start_byte(), node.end_byte());
                let location = suspect.location.clone();
                self.places.push(Place { unit, start, end, location, suspicion: suspect.score });
            }
        }
    }

    fn unit_of(&mut self, location: &Location) -> Option<usize> {
        if let Some(at) = self.units.iter().position(|unit| unit.path == location.file) {
            return Some(at);
        }
        let file = self.index.file(&location.file).filter(|file| !file.test)?;
        self.units.push(Unit::new(file.path.clone(), file.text.clone())?);
        Some(self.units.len() - 1)
    }

    /// Asks all templates at the next statements.
    fn expand(&mut self, count: usize) {
        let until = (self.expanded + count).min(self.places.len());
        for place in self.expanded..until {
            let plans = self.propose(place);
            self.plans.extend(plans);
        }
        self.expanded = until;
    }

    fn propose(&mut self, at: usize) -> Vec<Plan> {
        let place = &self.places[at];
        let unit = &self.units[place.unit];
        let Some(statement) = statement_between(unit, place.start, place.end) else { return Vec::new() };
        let cache = &mut self.pantries;
        let mut mine = |member: Node<'_>| {
            let key = (place.unit, member.start_byte());
            cache.entry(key).or_insert_with(|| Arc::new(Pantry::of(unit, self.index, member))).clone()
        };
        let own = enclosing_member(statement).map(&mut mine).unwrap_or_default();
        let near = neighbours(unit, statement).into_iter().map(&mut mine).collect();
        let site = Site::new(unit, self.index, statement, own, near);
        let mut plans = Vec::new();
        for (number, template) in self.templates.iter().enumerate() {
            let mut edits: Vec<Edit> = Vec::new();
            template.propose(&site, &mut edits);
            edits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            plans.extend(edits.into_iter().enumerate().map(|(rank, edit)| Plan {
                place: at,
                template: number,
                base: place.suspicion * template.prior() * edit.weight / (1.0 + CROWDING * rank as f64),
                changes: edit.changes,
                note: edit.note,
                edits: 1,
                used: false,
                tie: draw(self.options.seed, (at, number, rank)),
            }));
        }
        plans
    }

    /// The best unused plans with their scores.
    fn best(&self, count: usize) -> Vec<(usize, f64)> {
        let unused = self.plans.iter().enumerate().filter(|(_, plan)| !plan.used);
        let mut scored: Vec<(usize, f64, u64)> =
            unused.map(|(at, plan)| (at, plan.base * self.experience.factor(plan), plan.tie)).collect();
        let order =
            |a: &(usize, f64, u64), b: &(usize, f64, u64)| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)).then(a.0.cmp(&b.0));
        if scored.len() > count && count > 0 {
            scored.select_nth_unstable_by(count - 1, order);
            scored.truncate(count);
        }
        scored.sort_by(order);
        scored.into_iter().map(|(at, score, _)| (at, score)).collect()
    }

    /// The candidate of a plan, unless it does not parse, changes nothing, or was there before.
    fn candidate(&mut self, at: usize, score: f64) -> Option<Candidate> {
        let plan = &self.plans[at];
        let place = &self.places[plan.place];
        let unit = &self.units[place.unit];
        let key = normal_form(unit, &plan.changes)?;
        if !self.seen.insert(key) {
            return None;
        }
        let file = self.index.file(&unit.path)?;
        let after = applied(&unit.text, 0..unit.text.len(), &plan.changes)?;
        let bytes = |text: &str| language::encode(text, file.encoding).ok().map(Arc::from);
        let change = FileChange { path: unit.path.clone(), before: Some(bytes(&unit.text)?), after: bytes(&after)? };
        Some(Candidate {
            patch: Patch { files: vec![change] },
            template: self.templates[plan.template].name(),
            location: place.location.clone(),
            suspicion: place.suspicion,
            score,
            note: plan.note.clone(),
            edits: plan.edits,
            size: plan.changes.iter().map(|change| change.range.len() + change.text.len()).sum(),
            plan: at,
        })
    }

    /// Joins promising candidates with the best single edits of the same file that do not touch the same bytes.
    fn combine(&mut self) {
        for at in self.experience.take_promising() {
            let first = self.plans[at].clone();
            let unit = self.places[first.place].unit;
            let mut partners: Vec<(usize, f64)> = (0..self.plans.len())
                .filter(|&other| other != at && self.plans[other].edits == 1)
                .filter(|&other| self.places[self.plans[other].place].unit == unit)
                .map(|other| (other, self.plans[other].base * self.experience.factor(&self.plans[other])))
                .collect();
            partners.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            for (other, score) in partners.into_iter().take(MAX_PARTNERS) {
                let second = &self.plans[other];
                let pair = Plan {
                    place: second.place,
                    template: second.template,
                    changes: first.changes.iter().chain(&second.changes).cloned().collect(),
                    note: format!("{}; {}", first.note, second.note),
                    base: PAIR * self.experience.promise(at) * score,
                    edits: first.edits + 1,
                    used: false,
                    tie: draw(self.options.seed, (at, other)),
                };
                self.plans.push(pair);
            }
        }
    }
}

/// A number that follows from the seed and a plan's origin.
fn draw(seed: u64, origin: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, origin).hash(&mut hasher);
    hasher.finish()
}

/// The statement with exactly that range.
fn statement_between(unit: &Unit, start: usize, end: usize) -> Option<Node<'_>> {
    let node = unit.root().descendant_for_byte_range(start, end)?;
    std::iter::successors(Some(node), |n| n.parent())
        .take_while(|n| n.start_byte() == start && n.end_byte() == end)
        .find(|n| is_site(*n))
}

/// The members of the same type that are nearest to the statement's.
fn neighbours<'u>(unit: &'u Unit, statement: Node<'u>) -> Vec<Node<'u>> {
    let Some(member) = enclosing_member(statement) else { return Vec::new() };
    let Some(body) = member.parent() else { return Vec::new() };
    debug_assert!(body.end_byte() <= unit.text.len());
    let mut others: Vec<Node<'u>> = language::children(body)
        .into_iter()
        .filter(|other| *other != member && other.is_named() && !other.is_extra())
        .collect();
    others.sort_by_key(|other| other.start_byte().abs_diff(member.start_byte()));
    others.truncate(NEAR_MEMBERS);
    others
}

/// Ingredients for a statement, without a cache.
#[cfg(test)]
pub(super) fn pantries(unit: &Unit, index: &CodeIndex, statement: Node<'_>) -> (Arc<Pantry>, Vec<Arc<Pantry>>) {
    let mine = |member: Node<'_>| Arc::new(Pantry::of(unit, index, member));
    let own = enclosing_member(statement).map(mine).unwrap_or_default();
    (own, neighbours(unit, statement).into_iter().map(mine).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{index_of, ranking_of, text_after};
    use super::*;
    use crate::domain::{Outcome, TestId};

    const TILL: &str = "class Till {
    int total(int[] prices, int rebate) {
        int sum = 0;
        for (int i = 0; i < prices.length - 1; i++) {
            sum += rebate;
        }
        return sum;
    }
}
";

    fn failing() -> Vec<FailingTest> {
        let test = |name: &str| FailingTest {
            id: TestId::new("TillTest", name),
            file: None,
            span: None,
            failing_line: None,
            failure: crate::domain::Failure::default(),
            timed_out: false,
        };
        vec![test("one"), test("two")]
    }

    fn options(seed: u64) -> Options {
        Options { seed, failing: failing(), ..Options::default() }
    }

    fn notes(engine: &mut Engine<'_>, n: usize) -> Vec<String> {
        engine.next_batch(n).into_iter().map(|candidate| candidate.note).collect()
    }

    #[test]
    fn candidates_are_distinct_parse_and_differ() {
        let index = index_of(TILL);
        let mut engine = Engine::new(&index, &ranking_of(&[3, 4, 5, 7]), options(1));
        let mut seen = HashSet::new();
        let batch = engine.next_batch(500);
        assert!(batch.len() > 100, "{} candidates", batch.len());
        for candidate in &batch {
            let text = text_after(candidate);
            assert_ne!(text, TILL);
            assert!(crate::code::syntax_errors(&text, &language::Java).is_empty(), "{}\n{text}", candidate.note);
            assert!(seen.insert(text), "{} was there before", candidate.note);
        }
        assert!(batch.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn same_seed_same_order_however_it_is_asked() {
        let index = index_of(TILL);
        let ranking = ranking_of(&[3, 4, 5, 7]);
        let mut whole = Engine::new(&index, &ranking, options(7));
        let mut pieces = Engine::new(&index, &ranking, options(7));
        let mut by_pieces = notes(&mut pieces, 5);
        by_pieces.extend(notes(&mut pieces, 45));
        assert_eq!(notes(&mut whole, 50), by_pieces);
        let mut other = Engine::new(&index, &ranking, options(8));
        assert_ne!(notes(&mut other, 50), by_pieces, "equal scores are drawn by the seed");
    }

    #[test]
    fn the_limit_holds() {
        let index = index_of(TILL);
        let few = Options { max_candidates: 3, ..options(1) };
        let mut engine = Engine::new(&index, &ranking_of(&[4]), few);
        assert_eq!(engine.next_batch(10).len(), 3);
        assert_eq!(engine.next_batch(10).len(), 0);
        assert_eq!(engine.emitted(), 3);
    }

    #[test]
    fn a_partial_repair_is_combined_with_a_second_edit() {
        let index = index_of(TILL);
        let mut engine = Engine::new(&index, &ranking_of(&[4, 5]), options(1));
        let first = engine.next_batch(20);
        let half = first.iter().find(|c| text_after(c).contains("i < prices.length;")).unwrap();
        let mut answer = Validation::without_tests(Outcome::Failed, "one test still fails");
        answer.fixed = 1;
        engine.learn(half, &answer);
        let pairs: Vec<Candidate> = engine.next_batch(300).into_iter().filter(|c| c.edits == 2).collect();
        assert!(pairs.iter().all(|c| !text_after(c).contains("i < prices.length - 1; i++")));
        assert!(pairs.iter().any(|c| text_after(c).contains("sum = rebate;")), "{} pairs", pairs.len());
    }

    #[test]
    fn other_encodings_are_written_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = camino::Utf8Path::from_path(folder.path()).unwrap();
        std::fs::create_dir(root.join("src")).unwrap();
        let source = b"class A {\r\n  // caf\xe9\r\n  int f(int a) { return a; }\r\n}".to_vec();
        std::fs::write(root.join("src/A.java"), &source).unwrap();
        let src = crate::domain::RepoPath::new("src").unwrap();
        let index = CodeIndex::build(root, &[src], &[], &language::Java);
        let mut engine = Engine::new(&index, &ranking_of(&[3]), options(1));
        let candidate = engine.next_batch(1).remove(0);
        let file = &candidate.patch.files[0];
        assert_eq!(file.before.as_deref(), Some(&*source));
        assert!(file.after.windows(6).any(|bytes| bytes == b"caf\xe9\r\n"));
    }
}
