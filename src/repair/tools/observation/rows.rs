//! The values at a line: what it reads and what it changes, over all its visits.

use super::calls::Call;
use crate::domain::words::clipped;
use std::collections::{BTreeMap, BTreeSet};

/// Values of one variable that are shown from its first visits.
const FIRST: usize = 3;

/// One variable at one line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series {
    name: String,
    /// Its values in the order they came.
    values: Vec<String>,
}

/// The variables at each line.
pub(super) type Table = BTreeMap<u32, Vec<Series>>;

/// The values at the lines of some calls. `words` says which names stand in a line; `always` are shown at every line.
/// Of a value `most` characters are shown.
pub(super) fn table<'c>(
    calls: impl IntoIterator<Item = &'c Call>,
    words: &dyn Fn(u32) -> BTreeSet<String>,
    always: &[String],
    most: usize,
) -> Table {
    let mut table = Table::new();
    for call in calls {
        let mut now: BTreeMap<&str, &str> = BTreeMap::new();
        now.extend(call.args.iter().flatten().map(|(name, value)| (name.as_str(), value.as_str())));
        for visit in &call.visits {
            now.extend(visit.before.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            let named = words(visit.line);
            let row = table.entry(visit.line).or_default();
            let is_shown = |name: &str| {
                let is_named = named.contains(short(name)) && !ITSELF.contains(&name);
                is_named || always.iter().any(|path| plain(path) == name)
            };
            for (name, value) in now.iter().filter(|(name, _)| is_shown(name)) {
                let after = visit.after.iter().rfind(|(changed, _)| changed == name);
                add(row, name, (value, after.map(|(_, after)| after.as_str())), most);
            }
            for (name, value) in
                visit.after.iter().filter(|(name, _)| is_shown(name) && !now.contains_key(name.as_str()))
            {
                add(row, name, (value, None), most);
            }
            now.extend(visit.after.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        }
    }
    table
}

/// The object itself says little beside its fields.
const ITSELF: [&str; 3] = ["self", "this", "cls"];

/// Adds a visit's value of a variable, and what the line made of it.
fn add(row: &mut Vec<Series>, name: &str, (value, after): (&str, Option<&str>), most: usize) {
    let at = row.iter().position(|series| series.name == name).unwrap_or_else(|| {
        row.push(Series { name: name.to_owned(), values: Vec::new() });
        row.len() - 1
    });
    let values = &mut row[at].values;
    for value in std::iter::once(value).chain(after) {
        let value = clipped(value, most);
        if values.last() != Some(&value) {
            values.push(value);
        }
    }
}

/// The name as the code has it: `this.size` is `size`.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// A path as the runners tell it: `items[0].price` is `items.0.price`.
fn plain(path: &str) -> String {
    path.split(['.', '[', ']']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// One row as text: `i = 0 → 1 → 2 … → 9; total = 3`.
pub(super) fn text(row: &[Series]) -> String {
    let one = |Series { name, values }: &Series| {
        // A field goes by its bare name where no variable has it.
        let bare = name.strip_prefix("this.").filter(|bare| !row.iter().any(|other| other.name == *bare));
        let name = bare.unwrap_or(name);
        let shown = match values.as_slice() {
            values if values.len() <= FIRST + 1 => values.join(" → "),
            values => format!("{} … → {}", values[..FIRST].join(" → "), values[values.len() - 1]),
        };
        format!("{name} = {shown}")
    };
    row.iter().map(one).collect::<Vec<_>>().join("; ")
}
