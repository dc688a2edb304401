//! `unidebug prices`: the list of one's own, which lies over the bundled one.

use super::config::user_file;
use super::error::Failure;
use crate::llm::Prices;
use camino::{Utf8Path, Utf8PathBuf};

/// A list older than so many days may not tell what a model costs.
const OLD: i32 = 180;

/// Takes a published list over.
///
/// # Errors
/// The list cannot be used, or there is no folder for settings.
pub(super) fn update(list: &Utf8Path) -> Result<u8, Failure> {
    let Some(own) = own_list() else {
        return Err(Failure::unusable("there is no folder for settings", "set HOME, or give the list with --prices"));
    };
    let day = today().to_string();
    let taken = Prices::take_over(list, &own, &day)?;
    let left = match taken.unreadable {
        0 => String::new(),
        n => format!("; {n} entries without a readable price were left out"),
    };
    super::print(&format!("prices of {} models, of {day}, are in {own}{left}\n", taken.models));
    Ok(0)
}

/// The list of one's own, beside the settings.
pub(super) fn own_list() -> Option<Utf8PathBuf> {
    Some(user_file()?.with_file_name("prices.json"))
}

/// What to tell of an old list, where a cap in dollars rests on it.
pub(super) fn warning(prices: &Prices) -> Option<String> {
    let day: jiff::civil::Date = prices.day().parse().ok()?;
    let age = today().since(day).ok()?.get_days();
    (age > OLD).then(|| {
        format!(
            "the list of prices is {age} days old, and the cap in dollars rests on it (`unidebug prices update FILE`)"
        )
    })
}

fn today() -> jiff::civil::Date {
    jiff::Zoned::now().date()
}
