//! What one declaration of a setting becomes: a field of a group of flags, a field of `Config` with its default, and a row
//! of the table that layers, help and reference read.

use crate::benchmark::facts::Repository;
use crate::domain::BadGlob;
use clap::builder::RangedU64ValueParser;
use serde_json::Value;
use std::any::TypeId;
use std::ops::Bound;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Declared {
    /// Its name in files; of a table its name alone.
    pub key: &'static str,
    /// Its help, as it is written: lines of a doc comment.
    pub help: &'static str,
    /// Least number that makes sense.
    pub least: u64,
    /// Most that does.
    pub most: Option<u64>,
    /// Whether it names files.
    pub is_path: bool,
    /// What a project's own file may do to it, if anything.
    pub repository: Option<Repository>,
}

impl Declared {
    /// Whether a number fits.
    pub(super) fn check(&self, value: &Value) -> Result<(), Misfit> {
        in_range(value, self.least, self.most)
    }
}

/// Whether a value, where it is a whole number, is neither too small nor too large.
pub(super) fn in_range(value: &Value, least: u64, most: Option<u64>) -> Result<(), Misfit> {
    match (value.as_u64(), most) {
        (Some(number), _) if number < least => Err(Misfit::TooSmall { number, least }),
        (Some(number), Some(most)) if number > most => Err(Misfit::TooLarge { number, most }),
        _ => Ok(()),
    }
}

/// Why a value does not fit its setting.
#[derive(Debug, thiserror::Error)]
pub(super) enum Misfit {
    /// It is of another kind.
    #[error(transparent)]
    Kind(#[from] serde_json::Error),
    /// A number is too small.
    #[error("it is {number}, and at least {least} makes sense")]
    TooSmall { number: u64, least: u64 },
    /// A number is too large.
    #[error("it is {number}, and at most {most} makes sense")]
    TooLarge { number: u64, most: u64 },
    /// A glob is none.
    #[error(transparent)]
    Glob(#[from] BadGlob),
}

/// Reads a number of a flag that has a least and perhaps a most.
pub(super) fn within<T>(least: u64, most: Option<u64>) -> RangedU64ValueParser<T>
where
    T: TryFrom<u64> + Clone + Send + Sync + 'static,
{
    RangedU64ValueParser::new().range((Bound::Included(least), most.map_or(Bound::Unbounded, Bound::Included)))
}

/// Whether values of a type name files.
pub(super) fn is_path<T: 'static>() -> bool {
    TypeId::of::<T>() == TypeId::of::<camino::Utf8PathBuf>()
}

/// Makes groups of flags, `Config` and the function `declared` out of declarations; their form is explained in
/// [`super::settings`].
macro_rules! settings {
    (
        $(
            $(#[doc = $about:literal])*
            flags $group:ident under $heading:literal {
                $(
                    $(#[doc = $doc:literal])*
                    $(#[arg($($arg:tt)*)])?
                    $(#[serde($($serde:tt)*)])?
                    $name:ident: $shape:ident<$type:ty>
                        $(alone $alone:literal)?
                        $(from $least:literal $(to $most:literal)?)?
                        $(as $decided:ty)?
                        $(= $default:expr)?
                        $(, repository $may:ident)?;
                )*
            }
        )*
        files {
            $( $(#[doc = $file_doc:literal])* $file:ident: $file_type:ty; )*
        }
    ) => {
        $(
            $(#[doc = $about])*
            #[derive(Debug, Clone, Default, clap::Args, serde::Serialize)]
            #[command(next_help_heading = $heading, mut_args = $crate::cli::config::with_default)]
            pub(in crate::cli) struct $group {
                $(
                    $(#[doc = $doc])*
                    #[arg(long)]
                    $(#[arg(num_args = 0..=1, default_missing_value = $alone, require_equals = true,
                        hide_possible_values = true)])?
                    $(#[arg(value_parser = $crate::cli::config::declare::within::<$type>($least, [$($most)?].first().copied()))])?
                    $(#[arg($($arg)*)])?
                    $(#[serde($($serde)*)])?
                    pub $name: $shape<$type>,
                )*
            }
        )*

        /// All settings, decided. A run freezes them; no key is among them.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub(in crate::cli) struct Config {
            $($(
                $(#[doc = $doc])*
                pub $name: $crate::cli::config::declare::decided!(
                    $shape, $type $(, as $decided)? $(, default $default)?
                ),
            )*)*
            $( $(#[doc = $file_doc])* pub $file: $file_type, )*
        }

        impl Default for Config {
            fn default() -> Self {
                Self {
                    $($( $name: $crate::cli::config::declare::default!($($default)?), )*)*
                    $( $file: <$file_type>::default(), )*
                }
            }
        }

        /// The table, in the order of the declarations.
        pub(in crate::cli) fn declared() -> Vec<$crate::cli::config::Declared> {
            use $crate::benchmark::facts::Repository;
            use $crate::cli::config::{Declared, declare};
            vec![
                $($(
                    Declared {
                        key: stringify!($name),
                        help: concat!($($doc, "\n"),*),
                        least: [$($least)?].first().copied().unwrap_or(0),
                        most: [$($($most)?)?].first().copied(),
                        is_path: declare::is_path::<$type>(),
                        repository: [$(Repository::$may)?].first().copied(),
                    },
                )*)*
                $(
                    Declared {
                        key: stringify!($file),
                        help: concat!($($file_doc, "\n"),*),
                        least: 0,
                        most: None,
                        is_path: declare::is_path::<$file_type>(),
                        repository: None,
                    },
                )*
            ]
        }

        $($($(
            inventory::submit! {
                $crate::benchmark::facts::Allowed { key: stringify!($name), how: $crate::benchmark::facts::Repository::$may }
            }
        )?)*)*
    };
}
pub(super) use settings;

/// The type that a decided setting has: the named one, that of a default, or that of the flag.
macro_rules! decided {
    ($shape:ident, $type:ty, as $decided:ty $(, default $default:expr)?) => { $decided };
    ($shape:ident, $type:ty, default $default:expr) => { $type };
    ($shape:ident, $type:ty) => { $shape<$type> };
}
pub(super) use decided;

/// A default; that of the type where none is declared.
macro_rules! default {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}
pub(super) use default;

#[cfg(test)]
mod tests {
    use crate::benchmark::facts::Repository;
    use clap::{Args, Command, FromArgMatches};
    use serde_json::json;

    /// A program with one setting, which nothing but this declares.
    mod toy {
        settings! {
            flags ToyFlags under "Toys" {
                /// Most toys on the floor.
                #[arg(value_name = "N")]
                max_toys: Option<u32> from 1 to 9 = 3, repository Lowers;
            }
            files {}
        }
    }

    #[test]
    fn a_setting_is_one_declaration() {
        let row = toy::declared()[0];
        assert_eq!(
            (row.key, row.help.trim(), row.least, row.most),
            ("max_toys", "Most toys on the floor.", 1, Some(9))
        );
        assert_eq!((row.is_path, row.repository), (false, Some(Repository::Lowers)));
        assert_eq!(toy::Config::default().max_toys, 3);
        let read: toy::Config = serde_json::from_value(json!({"max_toys": 5})).unwrap();
        assert_eq!(read.max_toys, 5);

        let command = toy::ToyFlags::augment_args(Command::new("toy"));
        let flag = command.get_arguments().next().unwrap();
        assert_eq!((flag.get_long(), flag.get_help_heading()), (Some("max-toys"), Some("Toys")));
        let typed = |words: &[&str]| command.clone().try_get_matches_from([&["toy"], words].concat());
        let flags = toy::ToyFlags::from_arg_matches(&typed(&["--max-toys", "4"]).unwrap()).unwrap();
        assert_eq!(serde_json::to_value(&flags).unwrap(), json!({"max_toys": 4}));
        assert!(typed(&["--max-toys", "10"]).unwrap_err().to_string().contains("10 is not in 1..=9"));
        assert!(row.check(&json!(10)).unwrap_err().to_string().contains("at most 9"));
        assert!(crate::benchmark::facts::ProjectFile::parse(b"max_toys = 2\n").is_ok());
        assert!(crate::benchmark::facts::ProjectFile::parse(b"max_tools = 2\n").is_err());
    }
}
