//! Suspiciousness formulas of spectrum-based fault localization.
//!
//! Each maps the four counts of a program element to a score in `0.0..=1.0`. Scores of different formulas are not
//! comparable with each other.

use serde::{Deserialize, Serialize};

/// How many tests ran an element and how they ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Failing tests that ran it.
    pub failed_covered: u32,
    /// Passing tests that ran it.
    pub passed_covered: u32,
    /// All failing tests.
    pub failed: u32,
    /// All passing tests.
    pub passed: u32,
}

impl Counts {
    /// As if no more than `most` tests failed, with the same share of them running the element (rounded up).
    pub(super) fn with_failed_at_most(self, most: u32) -> Self {
        if self.failed <= most {
            return self;
        }
        let covered = u64::from(self.failed_covered) * u64::from(most);
        let failed_covered = covered.div_ceil(u64::from(self.failed)) as u32;
        Self { failed_covered, failed: most, ..self }
    }
}

/// Which formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formula {
    /// `ef / sqrt(F * (ef + ep))` (Ochiai; Abreu et al., 2006).
    #[default]
    Ochiai,
    /// `ef² / (ep + nf)`, squashed into `0..=1` by `x / (1 + x)`, which keeps its order (Wong et al., 2014).
    DStar,
    /// `(ef/F) / (ef/F + ep/P)` (Jones and Harrold, 2005).
    Tarantula,
    /// `ef - ep / (P + 1)`, divided by F (Naish et al., 2011); negative values count as 0.
    Op2,
    /// `1 - ep / (ep + ef)` (Abreu et al., 2009).
    Barinel,
}

impl Formula {
    /// All formulas, in the order in which reports list them.
    pub const ALL: [Self; 5] = [Self::Ochiai, Self::DStar, Self::Tarantula, Self::Op2, Self::Barinel];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ochiai => "ochiai",
            Self::DStar => "dstar",
            Self::Tarantula => "tarantula",
            Self::Op2 => "op2",
            Self::Barinel => "barinel",
        }
    }

    /// The formula of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|formula| formula.name() == name)
    }

    /// The score in `0.0..=1.0`; an element that no failing test ran scores 0.
    pub fn score(self, counts: Counts) -> f64 {
        let [ef, ep] = [counts.failed_covered, counts.passed_covered].map(f64::from);
        let [all_failed, all_passed] = [counts.failed, counts.passed].map(f64::from);
        if ef == 0.0 || all_failed == 0.0 {
            return 0.0;
        }
        let score = match self {
            Self::Ochiai => ef / (all_failed * (ef + ep)).sqrt(),
            Self::DStar => {
                let rest = ep + (all_failed - ef);
                if rest == 0.0 { 1.0 } else { squash(ef * ef / rest) }
            }
            Self::Tarantula => {
                let failed_share = ef / all_failed;
                let passed_share = if all_passed == 0.0 { 0.0 } else { ep / all_passed };
                failed_share / (failed_share + passed_share)
            }
            Self::Op2 => (ef - ep / (all_passed + 1.0)) / all_failed,
            Self::Barinel => 1.0 - ep / (ep + ef),
        };
        score.clamp(0.0, 1.0)
    }
}

/// Maps `0..inf` to `0..1` without changing the order.
fn squash(value: f64) -> f64 {
    value / (1.0 + value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(failed_covered: u32, passed_covered: u32, failed: u32, passed: u32) -> Counts {
        Counts { failed_covered, passed_covered, failed, passed }
    }

    #[test]
    fn scores_of_a_textbook_example() {
        // 2 of 2 failing and 1 of 4 passing tests ran the line.
        let line = counts(2, 1, 2, 4);
        let near = |formula: Formula, wanted: f64| {
            let got = formula.score(line);
            assert!((got - wanted).abs() < 1e-9, "{}: {got} instead of {wanted}", formula.name());
        };
        near(Formula::Ochiai, 2.0 / 6.0_f64.sqrt());
        near(Formula::DStar, 4.0 / 5.0);
        near(Formula::Tarantula, 1.0 / 1.25);
        near(Formula::Op2, (2.0 - 0.2) / 2.0);
        near(Formula::Barinel, 2.0 / 3.0);
    }

    #[test]
    fn so_many_failing_tests_count_as_fewer() {
        let fewer = |counts: Counts| counts.with_failed_at_most(10);
        assert_eq!(fewer(counts(1_000, 300, 1_000, 400)), counts(10, 300, 10, 400));
        assert_eq!(fewer(counts(1, 300, 1_000, 400)), counts(1, 300, 10, 400));
        assert_eq!(fewer(counts(7, 1, 9, 4)), counts(7, 1, 9, 4));
    }

    #[test]
    fn names_find_their_formula() {
        for formula in Formula::ALL {
            assert_eq!(Formula::by_name(formula.name()), Some(formula));
        }
        assert_eq!(Formula::by_name("zoltar"), None);
    }

    proptest! {
        #[test]
        fn scores_stay_in_range_and_passing_runs_never_raise_them(
            ef in 0u32..50, nf in 0u32..50, ep in 0u32..50, np in 1u32..50,
        ) {
            for formula in Formula::ALL {
                let score = formula.score(counts(ef, ep, ef + nf, ep + np));
                prop_assert!((0.0..=1.0).contains(&score), "{} gave {score}", formula.name());
                let more = formula.score(counts(ef, ep + 1, ef + nf, ep + np));
                prop_assert!(more <= score + 1e-12, "{} rose from {score} to {more}", formula.name());
            }
        }
    }
}
