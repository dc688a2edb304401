//! Where a build tool finds what a project depends on.

/// Which store of dependencies a build uses, and whether the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Store {
    /// The user's own, read only, offline.
    Users,
    /// This program's, offline.
    Own,
    /// This program's, filled from the network through the mirror.
    Filled,
}

impl Store {
    /// Whether the network is used, as a message says it.
    pub(super) fn network(self) -> &'static str {
        if self == Self::Filled { "with the network" } else { "offline" }
    }

    /// The same store once it is filled.
    pub(super) fn offline(self) -> Self {
        if self == Self::Filled { Self::Own } else { self }
    }
}
