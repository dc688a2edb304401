//! How sure a share is, and whether two configurations differ.

/// Standard normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's score interval at 95 % for `hits` of `all` (E. B. Wilson, 1927): it stays inside 0 to 1 and holds for small
/// samples. `(0, 1)` when there is nothing to count.
#[cfg(test)]
pub(crate) fn wilson(hits: u64, all: u64) -> (f64, f64) {
    if all == 0 { (0.0, 1.0) } else { wilson_of(hits as f64 / all as f64, all as f64) }
}

/// The same for a share of `n`, which need not be whole: an effective sample size.
pub(crate) fn wilson_of(share: f64, n: f64) -> (f64, f64) {
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
}

/// 95 % interval of the difference of two paired shares: the adjusted Wald interval of D. G. Bonett and R. M. Price
/// (2012), which holds for small samples. Of `all` bugs `only_a` were repaired by the first alone, `only_b` by the
/// second alone; positive is in favour of the first.
pub(crate) fn paired_difference(only_a: u64, only_b: u64, all: u64) -> (f64, f64) {
    let n = all as f64 + 2.0;
    let (a, b) = ((only_a as f64 + 1.0) / n, (only_b as f64 + 1.0) / n);
    let half = Z * ((a + b - (a - b) * (a - b)) / n).sqrt();
    ((a - b - half).max(-1.0), (a - b + half).min(1.0))
}

/// Exact two-sided McNemar test (Q. McNemar, 1947; binomial form) of paired outcomes: `only_a` bugs were repaired by the
/// first configuration alone, `only_b` by the second alone. The probability of a split at least as uneven if both were
/// equally good.
pub(crate) fn mcnemar(only_a: u64, only_b: u64) -> f64 {
    let n = only_a + only_b;
    let fewer = only_a.min(only_b);
    // C(n, i) / 2^n, each from the one before, in logarithms so that large n neither over- nor underflow.
    let mut log = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for i in 0..=fewer {
        tail += log.exp();
        log += ((n - i) as f64).ln() - ((i + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 5e-4
    }

    #[test]
    fn wilson_agrees_with_published_values() {
        let (low, high) = wilson(8, 10);
        assert!(close(low, 0.4902) && close(high, 0.9433), "{low} {high}");
        let (low, high) = wilson(0, 20);
        assert!(low == 0.0 && close(high, 0.1611), "{low} {high}");
        assert_eq!(wilson(0, 0), (0.0, 1.0));
    }

    #[test]
    fn the_interval_of_a_paired_difference_is_computed_by_hand() {
        // (1+1)/102 and (9+1)/102: -0.0784 ± 1.96 · sqrt((0.1176 - 0.00615) / 102).
        let (low, high) = paired_difference(1, 9, 100);
        assert!(close(low, -0.1432) && close(high, -0.0136), "{low} {high}");
        let (low, high) = paired_difference(0, 0, 10);
        assert!(close(low, -high) && high > 0.0 && high < 0.3, "{low} {high}");
        assert_eq!(paired_difference(0, 0, 0), (-1.0, 1.0));
    }

    #[test]
    fn mcnemar_is_the_exact_binomial_test() {
        assert!(close(mcnemar(1, 9), 0.0215));
        assert!(close(mcnemar(0, 5), 0.0625));
        assert_eq!(mcnemar(3, 3), 1.0);
        assert_eq!(mcnemar(0, 0), 1.0);
        assert!(mcnemar(400, 600) < 1e-8);
    }
}
