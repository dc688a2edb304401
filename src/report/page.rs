//! What the pages of this room share: how they are rendered, and their style.

use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

/// Colours, letters, diffs, and how a page is printed.
const STYLE: &str = include_str!("page.css");
/// Lets rows be searched and chosen by their words.
pub(super) const CHOOSE: &str = include_str!("choose.js");
/// Name of every template; its ending turns escaping on.
const NAME: &str = "page.html";

/// The style of one page: what all share, then its own.
pub(super) fn style(own: &str) -> String {
    format!("{STYLE}\n{own}")
}

/// Fills a template. Text is escaped wherever it stands.
///
/// # Errors
/// The template is wrong, which its test would have found.
pub(super) fn render(template: &str, page: &impl Serialize) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.add_template(NAME, template)?;
    environment.get_template(NAME)?.render(minijinja::value::Serde(page))
}
