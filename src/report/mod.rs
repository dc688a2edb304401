//! What a run came to, as readers of its events: one stream, several forms.

mod comment;
mod conditions;
mod diff;
mod ending;
mod human;
mod live;
mod manifest;
mod page;
pub(crate) mod review;
pub(crate) mod study;
mod summary;
mod tally;
mod terminal;
pub(crate) mod triage;
pub(crate) mod walk;
pub(crate) mod watch;

pub(crate) use comment::comment;
pub(crate) use conditions::Conditions;
pub(crate) use diff::coloured as coloured_diff;
pub(crate) use human::render as human;
pub(crate) use live::Live;
pub(crate) use manifest::Manifest;
pub(crate) use summary::{
    By, DEVELOPER, Equality, Model, Retrieved, RunReport, SCHEMA, VerdictWord, WrittenTest, in_schema,
};
pub(crate) use tally::{Sums, Tally};
pub(crate) use terminal::visible;
