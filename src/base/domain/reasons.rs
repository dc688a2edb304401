//! Types for sentences that say why something is not taken or cannot be had.

/// Declares error types that hold one sentence each. A reason that somebody reads, a person or a model, has the type of
/// what it is a reason for; what a program decides by has variants instead.
#[macro_export]
macro_rules! reasons {
    ($($(#[$about:meta])* $visible:vis struct $Reason:ident;)*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
            #[error("{0}")]
            $visible struct $Reason(String);

            impl From<String> for $Reason {
                fn from(sentence: String) -> Self {
                    Self(sentence)
                }
            }

            impl From<&str> for $Reason {
                fn from(sentence: &str) -> Self {
                    Self(sentence.to_owned())
                }
            }

            impl std::ops::Deref for $Reason {
                type Target = str;

                fn deref(&self) -> &str {
                    &self.0
                }
            }
        )*
    };
}
