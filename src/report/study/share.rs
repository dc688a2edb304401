//! Shares over bugs: what repetitions of a bug say is one bug's word, however often it is said.

use super::wilson_of;
use serde::Serialize;

/// What the finished runs of one bug came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Tries {
    /// Runs that are over.
    pub finished: u64,
    /// Of these, with a plausible patch.
    pub plausible: u64,
    /// Of these, known to be correct.
    pub correct: u64,
}

/// A share with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Share {
    /// The mean over bugs, `0.0..=1.0`.
    pub mean: f64,
    /// Its 95 % interval.
    pub interval: (f64, f64),
    /// Bugs that it is of.
    pub bugs: u64,
}

impl Share {
    /// The mean of one value a bug, each from 0 to 1, which stands on so many runs in all; `None` without bugs.
    ///
    /// Bugs are the sample and repetitions are not independent of each other, so the variance is that between bugs
    /// (the cluster-robust estimate with a bug as the cluster, K.-Y. Liang and S. L. Zeger, 1986). It gives the
    /// effective sample size (L. Kish, 1965) that Wilson's interval is taken of, as for surveys in clusters (C. Franco,
    /// R. J. A. Little, T. A. Louis and E. V. Slud, 2019). With one run a bug this is Wilson's interval over bugs.
    pub(crate) fn of(values: &[f64], runs: u64) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let bugs = values.len() as f64;
        let mean = values.iter().sum::<f64>() / bugs;
        let between = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / bugs;
        let binary = mean * (1.0 - mean);
        // Where all bugs agree on 0 or on 1, nothing is known of how repetitions differ: each counts as one bug.
        let effective = match binary > f64::EPSILON {
            true if between * runs as f64 > binary * bugs => bugs * binary / between,
            true => runs as f64,
            false => bugs,
        };
        Some(Self { mean, interval: wilson_of(mean, effective), bugs: values.len() as u64 })
    }

    /// The share of `hits` in `all` a bug; bugs with nothing to count are left out.
    pub(crate) fn per_bug(counts: impl IntoIterator<Item = (u64, u64)>) -> Option<Self> {
        let counts: Vec<(u64, u64)> = counts.into_iter().filter(|(_, all)| *all > 0).collect();
        let values: Vec<f64> = counts.iter().map(|(hits, all)| *hits as f64 / *all as f64).collect();
        Self::of(&values, counts.iter().map(|(_, all)| all).sum())
    }

    /// The chance that one of `k` runs of a bug hits, over bugs with at least so many runs.
    pub(crate) fn at(k: u64, counts: impl IntoIterator<Item = (u64, u64)>) -> Option<Self> {
        let counts: Vec<(u64, u64)> = counts.into_iter().filter(|(_, all)| *all >= k.max(1)).collect();
        let values: Vec<f64> = counts.iter().map(|(hits, all)| any_of(k, *hits, *all)).collect();
        Self::of(&values, counts.iter().map(|(_, all)| all / k.max(1)).sum())
    }
}

/// The chance that one of `k` runs, drawn from `all` of which `hits` hit, is a hit: the unbiased estimator of pass@k,
/// `1 - C(all - hits, k) / C(all, k)` (M. Chen et al., Evaluating Large Language Models Trained on Code, 2021).
pub(crate) fn any_of(k: u64, hits: u64, all: u64) -> f64 {
    let misses = all.saturating_sub(hits);
    if misses < k {
        return 1.0;
    }
    1.0 - (0..k).map(|i| (misses - i) as f64 / (all - i) as f64).product::<f64>()
}

/// Mean and sample standard deviation; the latter is 0 of a single value. `None` without values.
pub(crate) fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = (!values.is_empty()).then(|| values.iter().sum::<f64>() / n)?;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    Some((mean, if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plausible runs of 24 bugs with five repetitions each, drawn from a beta-binomial distribution by numpy 2.
    const HITS: [u64; 24] = [0, 1, 5, 3, 4, 4, 0, 5, 3, 1, 5, 3, 5, 0, 0, 5, 4, 4, 2, 1, 5, 2, 0, 1];
    /// The same with one to six repetitions: how many, and how many hit.
    const UNEVEN: [(u64, u64); 24] = [
        (1, 0),
        (2, 0),
        (6, 3),
        (3, 1),
        (6, 4),
        (5, 3),
        (1, 0),
        (4, 4),
        (3, 2),
        (5, 2),
        (2, 2),
        (4, 3),
        (2, 2),
        (2, 0),
        (1, 0),
        (3, 3),
        (4, 4),
        (3, 2),
        (6, 6),
        (5, 3),
        (4, 4),
        (2, 1),
        (3, 0),
        (5, 2),
    ];

    fn close(share: Option<Share>, mean: f64, low: f64, high: f64) {
        let share = share.unwrap();
        for (ours, theirs) in [(share.mean, mean), (share.interval.0, low), (share.interval.1, high)] {
            assert!((ours - theirs).abs() < 1e-9, "{ours} instead of {theirs}");
        }
    }

    /// Origin of the figures: statsmodels, `WLS` on a constant with weights `1 / repetitions` and
    /// `cov_type="cluster"` by bug, without its correction for small samples; `proportion_confint(…, "wilson")` of
    /// `mean * (1 - mean) / variance` observations.
    #[test]
    fn intervals_agree_with_cluster_robust_ones() {
        let even = HITS.map(|hits| (hits, 5));
        close(Share::per_bug(even), 0.525, 0.376_649_422_915_681_26, 0.669_065_426_379_330_3);
        let uneven = UNEVEN.map(|(all, hits)| (hits, all));
        close(Share::per_bug(uneven), 0.545_138_888_888_889, 0.396_869_876_278_891_2, 0.685_814_039_976_085_5);
    }

    /// Origin: scipy, `1 - hypergeom.pmf(0, 5, hits, k)`, and for uneven repetitions over bugs with at least three.
    #[test]
    fn one_of_k_runs_is_estimated_without_bias() {
        let wanted =
            [(1, 0.525), (2, 0.654_166_666_666_666_7), (3, 0.716_666_666_666_666_7), (5, 0.791_666_666_666_666_6)];
        for (k, theirs) in wanted {
            let ours = Share::at(k, HITS.map(|hits| (hits, 5))).unwrap().mean;
            assert!((ours - theirs).abs() < 1e-12, "{k}: {ours} instead of {theirs}");
        }
        let uneven = Share::at(3, UNEVEN.map(|(all, hits)| (hits, all))).unwrap();
        assert!((uneven.mean - 0.921_875).abs() < 1e-12 && uneven.bugs == 16, "{uneven:?}");
    }

    #[test]
    fn the_same_word_said_often_makes_nothing_surer() {
        let once = Share::per_bug([(1, 1), (1, 1), (0, 1), (1, 1)]).unwrap();
        let often = Share::per_bug([(9, 9), (9, 9), (0, 9), (9, 9)]).unwrap();
        assert_eq!(once, often);
        assert_eq!(once.interval, super::super::interval::wilson(3, 4), "one run a bug is Wilson's interval over bugs");
        let all = Share::per_bug([(9, 9), (9, 9)]).unwrap();
        assert_eq!(all.interval, super::super::interval::wilson(2, 2));
        assert_eq!(Share::per_bug([(0, 0)]), None);
        let mixed = Share::per_bug([(1, 2), (2, 4)]).unwrap();
        assert_eq!(mixed.interval, super::super::interval::wilson(3, 6), "no surer than independent runs would be");
    }

    /// Origin: `numpy.mean` and `numpy.std(ddof=1)`.
    #[test]
    fn repetitions_have_a_mean_and_a_deviation() {
        let (mean, deviation) = spread(&[3.0, 5.0, 4.0, 4.0, 6.0]).unwrap();
        assert!((mean - 4.4).abs() < 1e-12 && (deviation - 1.140_175_425_099_137_9).abs() < 1e-12);
        assert_eq!((spread(&[7.0]), spread(&[])), (Some((7.0, 0.0)), None));
    }
}
