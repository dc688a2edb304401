//! What a run came to, as readers of its events: one stream, several forms.

mod comment;
mod conditions;
mod diff;
mod ending;
mod human;
mod live;
mod manifest;
mod page;
pub mod review;
pub mod study;
mod summary;
mod tally;
mod terminal;
pub mod triage;
pub mod walk;
pub mod watch;

pub use comment::comment;
pub use conditions::Conditions;
pub use diff::coloured as coloured_diff;
pub use human::render as human;
pub use live::Live;
pub use manifest::Manifest;
pub use summary::{
    By, Candidates, DEVELOPER, Equality, Model, Retrieved, RunReport, SCHEMA, Searching, Seconds, VerdictWord,
    WrittenTest, in_schema,
};
pub use tally::{Sums, Tally};
pub use terminal::visible;
