//! Several plausible patches beside each other: which behave alike, which changes least, and on which input they part.

use super::compare::{changed, warnings_beside};
use super::pairs::{Key, is_of_fault, key};
use super::{Call, Origin};
use crate::domain::{Choice, Group, Split, TestId};
use crate::validate::BySource;
use std::collections::{BTreeMap, BTreeSet};

/// Inputs that are shown where groups part.
const SHOWN: usize = 3;

/// What a group is ranked by, beside what is told of it.
struct Ranked {
    /// What speaks against it.
    weight: usize,
    /// Arguments that may be absent by what the code says, and on whose absence it faults.
    faults: usize,
    /// Characters of the changed results that differ from those before.
    apart: usize,
}

/// Groups patches by what they do with the inputs that all versions have, and ranks the groups: by what speaks against
/// them, then by how little they change that the failing tests do not ask for: few inputs, of equally many the fewest faults on
/// absent arguments, then a result near the one before. `sources` is what the source of each patch says.
pub fn ranked(before: &[Call], versions: &[Vec<Call>], triggering: &[TestId], sources: &[BySource]) -> Choice {
    let tables: Vec<BTreeMap<(&str, &str), &str>> = std::iter::once(before)
        .chain(versions.iter().map(Vec::as_slice))
        .map(|calls| calls.iter().map(|call| ((call.function.as_str(), call.input.as_str()), &*call.result)).collect())
        .collect();
    let Some((old, tables)) = tables.split_first() else { return Choice::default() };
    let mut known = BTreeSet::new();
    let shared: Vec<&Call> = before
        .iter()
        .filter(|call| known.insert((&call.function, &call.input)))
        .filter(|call| tables.iter().all(|table| table.contains_key(&(call.function.as_str(), call.input.as_str()))))
        .collect();
    let result = |table: &BTreeMap<(&str, &str), &str>, call: &Call| {
        table.get(&(call.function.as_str(), call.input.as_str())).map_or_else(String::new, |text| (*text).to_owned())
    };
    let agree = |call: &&&Call| tables.iter().all(|table| result(table, call) == result(&tables[0], call));
    let agreed: BTreeSet<Key<'_>> = shared.iter().filter(agree).map(|call| key(call)).collect();
    let mut groups: Vec<(Ranked, Vec<String>, Group)> = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        let behaviour: Vec<String> = shared.iter().map(|call| result(table, call)).collect();
        if let Some((.., group)) = groups.iter_mut().find(|(_, known, _)| *known == behaviour) {
            group.patches.push(number);
            continue;
        }
        let after = &versions[number];
        let (changed, apart) = changed(before, after, triggering);
        let exchange = sources.get(number).and_then(|source| source.exchange);
        let found = warnings_beside(before, after, triggering, exchange, &agreed);
        let weight: usize = found.iter().map(|warning| warning.weight).sum();
        let warnings = found.into_iter().map(|warning| warning.reason).collect();
        let is_fault = |call: &&&Call| call.origin == Origin::Absent && is_of_fault(&result(table, call));
        let faults = shared.iter().filter(is_fault).count();
        groups.push((Ranked { weight, faults, apart }, behaviour, Group { patches: vec![number], changed, warnings }));
    }
    let of = |number: &usize| sources.get(*number).map_or(0, |source| source.against);
    for (.., group) in &mut groups {
        group.patches.sort_by_key(of);
    }
    groups.sort_by_key(|(ranked, _, group)| {
        (ranked.weight + group.patches.first().map_or(0, of), group.changed, ranked.faults, ranked.apart)
    });
    let mut splits = Vec::new();
    for (at, call) in shared.iter().enumerate() {
        let results: Vec<String> = groups.iter().map(|(_, behaviour, _)| behaviour[at].clone()).collect();
        if splits.len() < SHOWN && results.iter().any(|result| *result != results[0]) {
            splits.push(Split { input: call.written(), before: result(old, call), results });
        }
    }
    let compared = shared.len();
    let groups = groups.into_iter().map(|(.., group)| group).collect();
    Choice { patches: Vec::new(), compared, groups, splits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Exchange;

    fn calls(results: &[(&str, &str)]) -> Vec<Call> {
        let test = TestId::new("t", "test_f");
        let call = |(input, result): &(&str, &str)| Call {
            file: "a.py".into(),
            function: "f".into(),
            test: test.clone(),
            origin: if *input == "18" { Origin::Test } else { Origin::Arguments },
            input: (*input).into(),
            result: format!("returns {result}"),
        };
        results.iter().map(call).collect()
    }

    #[test]
    fn patches_that_behave_alike_are_one_group_and_the_one_that_changes_least_is_first() {
        let before = calls(&[("18", "no"), ("17", "no"), ("19", "yes"), ("0", "no")]);
        let wide = calls(&[("18", "yes"), ("17", "yes"), ("19", "yes"), ("0", "yes")]);
        let right = calls(&[("18", "yes"), ("17", "no"), ("19", "yes"), ("0", "no")]);
        let sources = [0, 1, 0].map(|against| BySource { against, exchange: None });
        let choice = ranked(&before, &[wide, right.clone(), right], &[TestId::new("t", "test_f")], &sources);
        assert_eq!(choice.groups[0].patches, [2, 1]);
        assert_eq!((choice.groups[0].changed, choice.groups[1].changed), (0, 2));
        let split = Split {
            input: "f(17)".into(),
            before: "returns no".into(),
            results: vec!["returns no".into(), "returns yes".into()],
        };
        assert_eq!((choice.compared, &choice.splits[0]), (4, &split));
    }

    #[test]
    fn what_all_patches_change_alike_speaks_against_none_of_them() {
        let mut before = calls(&[("18", "no"), ("17", "no"), ("19", "no"), ("0", "no")]);
        before[1].origin = Origin::Test;
        before[1].test = TestId::new("t", "test_that_passed");
        let with = |results: [&str; 4]| {
            let result = |(call, result): (&Call, &str)| Call { result: format!("returns {result}"), ..call.clone() };
            before.iter().zip(results).map(result).collect::<Vec<_>>()
        };
        let (turned, right) = (with(["yes", "yes", "yes", "yes"]), with(["yes", "yes", "no", "no"]));
        let sources = [Some(Exchange::Negation), None].map(|exchange| BySource { against: 0, exchange });
        let choice = ranked(&before, &[turned, right], &[TestId::new("t", "test_f")], &sources);
        assert_eq!((choice.groups[0].patches[0], choice.groups[0].changed), (1, 1), "{:?}", choice.groups);
    }

    #[test]
    fn inputs_that_no_longer_meet_what_the_failing_test_met_are_not_counted() {
        let with = |results: [&str; 4]| {
            let mut all = calls(&[("18", ""), ("[]", ""), ("[3]", ""), ("[3, 3]", "")]);
            all.iter_mut().zip(results).for_each(|(call, result)| call.result = result.to_owned());
            all
        };
        let error = "raises IndexError: list index out of range";
        let before = with([error, error, error, "returns 2"]);
        let right = with(["returns -1", "returns -1", "returns -1", "returns 2"]);
        let beside = with(["returns -1", error, error, "returns 1"]);
        let sources = [0, 0].map(|against| BySource { against, exchange: None });
        let choice = ranked(&before, &[beside.clone(), right.clone()], &[TestId::new("t", "test_f")], &sources);
        assert_eq!((choice.groups[0].patches[0], choice.groups[0].changed), (1, 0));
        let on_purpose = |calls: Vec<Call>| -> Vec<Call> {
            let other = |call: Call| Call { result: call.result.replace("IndexError", "ValueError"), ..call };
            calls.into_iter().map(other).collect()
        };
        let [before, right, beside] = [before, right, beside].map(on_purpose);
        let choice = ranked(&before, &[beside, right], &[TestId::new("t", "test_f")], &sources);
        assert_eq!((choice.groups[0].patches[0], choice.groups[0].changed), (0, 1));
    }

    #[test]
    fn of_patches_that_change_as_many_the_one_that_bears_absent_arguments_is_first() {
        let with = |result: &str| {
            let mut all = calls(&[("18", "yes"), ("None", "")]);
            (all[1].origin, all[1].result) = (Origin::Absent, result.to_owned());
            all
        };
        let [before, same] = [with("raises AttributeError"), with("raises AttributeError")];
        let right = with("returns no");
        let sources = [0, 0].map(|against| BySource { against, exchange: None });
        let choice = ranked(&before, &[same, right], &[TestId::new("t", "test_f")], &sources);
        assert_eq!((choice.groups[0].patches[0], choice.groups[0].changed), (1, 0));
        assert!(choice.groups[0].warnings.is_empty(), "{:?}", choice.groups[0]);
    }

    #[test]
    fn of_patches_that_change_as_many_inputs_the_one_with_results_near_those_before_is_first() {
        let before = calls(&[("18", "'a.tar.gz'"), ("17", "'b.tar.gz.gz'")]);
        let far = calls(&[("18", "'a'"), ("17", "'b'")]);
        let near = calls(&[("18", "'a'"), ("17", "'b.tar'")]);
        let sources = [0, 0].map(|against| BySource { against, exchange: None });
        let choice = ranked(&before, &[far, near], &[TestId::new("t", "test_f")], &sources);
        assert_eq!(
            choice.groups.iter().map(|group| (group.patches[0], group.changed)).collect::<Vec<_>>(),
            [(1, 1), (0, 1)]
        );
    }
}
