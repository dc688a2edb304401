//! Which candidate next: all templates at all suspicious statements, best first, without repetition.

mod spelling;
mod take_back;
mod unplanned;
mod vocabulary;

use super::clues::Clues;
use super::edit::{Change, applied, normal_form};
use super::learn::Experience;
use super::names::{names, set_by};
use super::plan::{Candidate, Focus, Options, Place, Plan};
use super::search::Parts;
use super::stores::IngredientCache;
use super::syntax::Unit;
use super::{Edit, Site, Template, catalogue};
use crate::benchmark::ProductChange;
use crate::code::CodeIndex;
use crate::domain::{FileChange, Location, Patch, Ranking, Validation};
use crate::language;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
pub(super) use take_back::TAKE_BACK;
use tree_sitter::Node;

/// Statements looked at before the first candidate; more follow as the best candidates run out.
const FIRST_PLACES: usize = 40;
/// Statements added each time.
const MORE_PLACES: usize = 20;
/// Each further proposal of one template at one statement counts for a little less than the one before.
const CROWDING: f64 = 0.06;
/// Weight of a two-edit candidate against its better half.
const PAIR: f64 = 0.6;
/// Weight of the same edit at another place, against other second edits.
const TWIN: f64 = 20.0;
/// More than the score of any plan at another place.
const NEAR: f64 = 1_000.0;
/// Singles that a promising one is combined with.
const MAX_PARTNERS: usize = 80;

/// Makes candidates in order of promise and learns from what the judge says of them.
pub struct Engine<'a> {
    index: &'a CodeIndex,
    options: Options,
    templates: Vec<Box<dyn Template>>,
    /// Suspicious lines that were not looked at yet: a file is parsed when its turn comes.
    suspects: std::vec::IntoIter<(Location, f64)>,
    units: Vec<Unit>,
    places: Vec<Place>,
    /// Statements that are places, by their file and node.
    known: HashSet<(usize, usize)>,
    expanded: usize,
    plans: Vec<Plan>,
    cache: IngredientCache,
    clues: Clues,
    seen: HashSet<u64>,
    emitted: usize,
    /// Candidates that were made and not judged: the next ones.
    returned: VecDeque<Candidate>,
    experience: Experience,
    tried: BTreeMap<&'static str, usize>,
    /// The method in which the first candidate passed.
    focus: Option<Focus>,
    /// What its searches know of candidates that repair a part of the failing tests.
    pub(crate) parts: Parts,
}

impl<'a> Engine<'a> {
    /// An engine for the suspicious lines of a ranking. Nothing is generated yet but what takes back parts of the change that
    /// broke the tests, and what spells texts as the failing tests want them.
    pub fn new(index: &'a CodeIndex, ranking: &Ranking, options: Options) -> Self {
        let templates = catalogue(index.language());
        let clues = Clues::of(index, &options.failing);
        let experience = Experience::new(&options.failing, &clues, &templates);
        let suspects = ranking.lines.iter().map(|suspect| (suspect.location.clone(), suspect.score));
        let mut suspects = suspects.collect::<Vec<_>>();
        if templates.is_empty() {
            // Nothing is known to do in this language, so no file needs to be read.
            suspects.clear();
        }
        let mut engine = Self {
            index,
            options,
            templates,
            suspects: suspects.into_iter(),
            units: Vec::new(),
            places: Vec::new(),
            known: HashSet::new(),
            expanded: 0,
            plans: Vec::new(),
            cache: IngredientCache::default(),
            clues,
            seen: HashSet::new(),
            emitted: 0,
            returned: VecDeque::new(),
            experience,
            tried: BTreeMap::new(),
            focus: None,
            parts: Parts::default(),
        };
        if let Some(change) = engine.options.broken_by.clone().filter(|_| engine.knows_the_language()) {
            engine.take_back(&change, ranking);
        }
        if engine.knows_the_language() {
            engine.respell(ranking);
            engine.respell_words(ranking);
        }
        engine
    }

    /// The next candidates, best first; fewer than `n` when they run out or the limit is reached.
    pub fn next_batch(&mut self, n: usize) -> Vec<Candidate> {
        let mut batch: Vec<Candidate> = self.returned.drain(..n.min(self.returned.len())).collect();
        let n = n - batch.len();
        if n == 0 {
            return batch;
        }
        let mut new = self.new_batch(n);
        batch.append(&mut new);
        batch
    }

    /// Takes candidates back that nobody judged, in their order: they come first in the next batch.
    pub(crate) fn put_back(&mut self, candidates: impl IntoIterator<Item = Candidate>) {
        self.returned.extend(candidates);
    }

    fn new_batch(&mut self, n: usize) -> Vec<Candidate> {
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
            self.find_places(self.expanded + 1);
            let next = self.places.get(self.expanded).map_or(0.0, |place| place.suspicion * 0.8);
            if (best.len() < wanted || next > lowest) && self.expanded < self.places.len() {
                self.expand(MORE_PLACES);
                continue;
            }
            if best.is_empty() {
                break;
            }
            for (plan, _) in best {
                self.plans[plan].used = true;
                batch.extend(self.candidate(plan));
            }
        }
        self.emitted += batch.len();
        batch
    }

    /// Takes the judge's answer on a candidate.
    pub(crate) fn learn(&mut self, candidate: &Candidate, validation: &Validation) {
        let tried = self.tried.entry(candidate.template).or_default();
        *tried += 1;
        if let Some((at, plan)) = candidate.plan.and_then(|at| Some((at, self.plans.get(at)?))) {
            self.experience.learn(at, plan, validation);
            let place = &self.places[plan.place];
            let statement = &self.units[place.unit].text[place.start..place.end];
            self.experience.learn_names(plan, validation, names(statement.lines().next().unwrap_or_default()));
        }
        if self.focus.is_none() && validation.outcome.passes() {
            self.focus_on(&candidate.location);
        }
    }

    /// Looks at the statements of the method around a place next.
    fn focus_on(&mut self, place: &Location) {
        let Some(focus) = Focus::around(place, self.index) else { return };
        let (near, far): (Vec<_>, Vec<_>) = self.suspects.by_ref().partition(|(at, _)| focus.holds(at));
        let open = self.places.len() - self.expanded;
        let wanted = open + near.len().min(MORE_PLACES);
        self.suspects = [near, far].concat().into_iter();
        self.focus = Some(focus);
        self.expand(wanted);
    }

    /// Families whose candidates were judged, and how many of each; the most tried first.
    pub(crate) fn families_tried(&self) -> Vec<(&'static str, usize)> {
        let mut tried: Vec<_> = self.tried.iter().map(|(name, count)| (*name, *count)).collect();
        tried.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        tried
    }

    /// The change without which the failing tests pass, where it is known.
    pub(super) fn broken_by(&self) -> Option<&ProductChange> {
        self.options.broken_by.as_ref()
    }

    /// The language of the code.
    pub(super) fn language(&self) -> &'static dyn language::Language {
        self.index.language()
    }

    /// Whether any family is written for the language of the code.
    pub(crate) fn knows_the_language(&self) -> bool {
        !self.templates.is_empty()
    }

    /// Looks at suspicious lines until there are so many places, or no more lines.
    fn find_places(&mut self, wanted: usize) {
        while self.places.len() < wanted {
            let Some((location, suspicion)) = self.suspects.next() else { return };
            let Some(unit) = self.unit_of(&location) else { continue };
            for node in self.units[unit].statements_at(location.line) {
                if self.known.insert((unit, node.id())) {
                    let (start, end) = (node.start_byte(), node.end_byte());
                    self.places.push(Place { unit, start, end, location: location.clone(), suspicion });
                }
            }
        }
    }

    fn unit_of(&mut self, location: &Location) -> Option<usize> {
        if let Some(at) = self.units.iter().position(|unit| unit.path == location.file) {
            return Some(at);
        }
        let file = self.index.file(&location.file).filter(|file| !file.test)?;
        self.units.push(Unit::new(file.path.clone(), file.text.clone(), self.index.language())?);
        Some(self.units.len() - 1)
    }

    /// Asks all templates at the next statements.
    fn expand(&mut self, count: usize) {
        self.find_places(self.expanded + count);
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
        let stores = self.cache.stores(unit, self.index, statement);
        let site = Site::new(unit, self.index, statement, stores, &self.clues);
        let mut plans = Vec::new();
        for (number, template) in self.templates.iter().enumerate() {
            let mut edits: Vec<Edit> = Vec::new();
            template.propose(&site, &mut edits);
            edits.sort_by(|a, b| b.weight.total_cmp(&a.weight));
            plans.extend(edits.into_iter().enumerate().map(|(rank, edit)| Plan {
                place: at,
                template: number,
                likelihood: template.prior() * edit.weight / (1.0 + CROWDING * rank as f64),
                sets: set_by(unit, &edit.changes).map(str::to_owned),
                changes: edit.changes,
                note: edit.note,
                edits: 1,
                by_part: 0.0,
                used: false,
                tie: draw(self.options.seed, (at, number, rank)),
            }));
        }
        plans
    }

    /// How likely a plan's kind of change is after what was learnt.
    fn likelihood(&self, plan: &Plan) -> f64 {
        plan.likelihood * self.experience.factor(plan)
    }

    /// By which plans are taken in order: their likelihood and their place. In the method where a candidate passed the
    /// tests say nothing more of places, and it comes before all others.
    fn score(&self, plan: &Plan) -> f64 {
        let place = &self.places[plan.place];
        match &self.focus {
            Some(focus) if focus.holds(&place.location) => NEAR + self.likelihood(plan) * self.experience.hurry(plan),
            _ => place.suspicion * self.likelihood(plan),
        }
    }

    /// The best unused plans with their scores.
    fn best(&self, count: usize) -> Vec<(usize, f64)> {
        let unused = self.plans.iter().enumerate().filter(|(_, plan)| !plan.used);
        let mut scored: Vec<(usize, f64, u64)> = unused.map(|(at, plan)| (at, self.score(plan), plan.tie)).collect();
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
    fn candidate(&mut self, at: usize) -> Option<Candidate> {
        let plan = &self.plans[at];
        let likelihood = self.likelihood(plan);
        let place = &self.places[plan.place];
        let unit = &self.units[place.unit];
        if !self.seen.insert(normal_form(unit, &plan.changes)?) {
            return None;
        }
        Some(Candidate {
            patch: Patch { files: vec![self.written(unit, &plan.changes)?] },
            template: self.templates[plan.template].name(),
            location: place.location.clone(),
            exposure: self.options.exposure.get(&place.location).copied().unwrap_or(0.0),
            likelihood,
            note: plan.note.clone(),
            edits: plan.edits,
            size: plan.changes.iter().map(|change| change.range.len() + change.text.len()).sum(),
            plan: Some(at),
        })
    }

    /// A file with changes, in its encoding.
    fn written(&self, unit: &Unit, changes: &[Change]) -> Option<FileChange> {
        let file = self.index.file(&unit.path)?;
        let after = applied(&unit.text, 0..unit.text.len(), changes)?;
        let bytes = |text: &str| language::encode(text, file.encoding).ok().map(Arc::from);
        Some(FileChange { path: unit.path.clone(), before: Some(bytes(&unit.text)?), after: bytes(&after)? })
    }

    /// Whether two plans of one file make the same edit at different places.
    fn is_twin(&self, first: &Plan, second: &Plan) -> bool {
        let unit = &self.units[self.places[first.place].unit];
        first.template == second.template
            && first.place != second.place
            && is_same_edit(&unit.text, &first.changes, &second.changes)
    }

    /// Joins promising candidates with the best single edits of the same file that do not touch the same bytes.
    fn combine(&mut self) {
        for at in self.experience.take_promising() {
            let first = self.plans[at].clone();
            let unit = self.places[first.place].unit;
            let mut partners: Vec<(usize, f64, f64)> = (0..self.plans.len())
                .filter(|&other| other != at && self.plans[other].edits == 1)
                .filter(|&other| self.places[self.plans[other].place].unit == unit)
                .map(|other| {
                    let second = &self.plans[other];
                    // What helped in one place is likely to be missing in its twin.
                    let twin = if self.is_twin(&first, second) { TWIN } else { 1.0 };
                    let worth = twin * self.likelihood(second);
                    // What was learnt of the second one counts when the pair is scored.
                    (other, twin * second.likelihood, self.places[second.place].suspicion * worth)
                })
                .collect();
            partners.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
            for (other, likelihood, _) in partners.into_iter().take(MAX_PARTNERS) {
                let second = &self.plans[other];
                let pair = Plan {
                    place: second.place,
                    template: second.template,
                    changes: first.changes.iter().chain(&second.changes).cloned().collect(),
                    note: format!("{}; {}", first.note, second.note),
                    sets: None,
                    likelihood: PAIR * self.experience.promise(at) * likelihood,
                    edits: first.edits + 1,
                    by_part: self.experience.promise(at).max(self.experience.promise(other)),
                    used: false,
                    tie: draw(self.options.seed, (at, other)),
                };
                self.plans.push(pair);
            }
        }
    }
}

/// Whether two lists of changes are the same edit, at different places of a text.
fn is_same_edit(text: &str, a: &[Change], b: &[Change]) -> bool {
    let replaced = |change: &Change| text.get(change.range.clone());
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.text.trim() == b.text.trim() && replaced(a) == replaced(b))
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
        .find(|n| (unit.rules.is_site)(*n))
}

#[cfg(test)]
mod tests;
