//! Delta debugging over numbered parts, whatever they are.

/// The search for parts that are not needed: ever smaller groups are left out.
pub(super) struct Ddmin {
    /// Parts that are needed, as far as is known.
    pub(super) remaining: Vec<usize>,
    /// Parts that may not be left out.
    fixed: Vec<bool>,
    groups: usize,
    at: usize,
    trial: Vec<usize>,
}

impl Ddmin {
    /// All parts; `fixed` says of each whether it may not be left out.
    pub(super) fn over(fixed: Vec<bool>) -> Self {
        Self { remaining: (0..fixed.len()).collect(), fixed, groups: 2, at: 0, trial: Vec::new() }
    }

    /// Parts to try without the others; `None` when nothing more can go.
    pub(super) fn propose(&mut self) -> Option<Vec<usize>> {
        loop {
            let loose: Vec<usize> = self.remaining.iter().copied().filter(|&at| !self.fixed[at]).collect();
            if self.remaining.len() < 2 || loose.is_empty() {
                return None;
            }
            let groups = self.groups.min(loose.len());
            if self.at >= groups {
                if groups >= loose.len() {
                    return None;
                }
                (self.groups, self.at) = (2 * groups, 0);
                continue;
            }
            let (from, to) = (self.at * loose.len() / groups, (self.at + 1) * loose.len() / groups);
            let out = &loose[from..to];
            self.trial = self.remaining.iter().copied().filter(|at| !out.contains(at)).collect();
            if self.trial.is_empty() {
                self.at += 1;
                continue;
            }
            return Some(self.trial.clone());
        }
    }

    /// Whether the parts tried last suffice.
    pub(super) fn answer(&mut self, passes: bool) {
        if passes {
            self.remaining = std::mem::take(&mut self.trial);
            self.groups = self.groups.saturating_sub(1).max(2);
        } else {
            self.at += 1;
        }
    }
}
