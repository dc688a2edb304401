//! Attacks by families, one spelling each, with the layer of the judge that they meet.

use super::rows::Edit;
use unidebug::domain::{Outcome, Validation};

/// What refuses a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The text of the change, in its tree.
    Text,
    /// A condition that no input of the code decides; it comes before all others.
    Given,
    /// What its class files or programs refer to.
    References,
    /// The run in a process that does not look like one of tests.
    Plain,
    /// Tests that expect another value.
    Values,
    /// The assertion that failed before, made to fail.
    Reached,
    /// The tests again and again in one process.
    Again,
    /// Tests that expect numbers near the expected ones.
    Near,
    /// The tests where objects and texts have other hashes.
    Order,
    /// The tests in another language, zone and charset, with other ends of lines.
    Settings,
    /// Names that others have.
    Names,
    /// Sources that can be read in two ways.
    Readings,
    /// What a patch may touch.
    Paths,
    /// The tests as they are.
    Tests,
}

/// What each layer but the tests says.
const WORDS: &[(Layer, Outcome, &str)] = &[
    (Layer::Given, Outcome::Suspicious, "decides, whatever the code is given"),
    (Layer::Text, Outcome::Suspicious, "holds what tests cannot judge"),
    (Layer::References, Outcome::Suspicious, "refers to what a repair hardly needs"),
    (Layer::Plain, Outcome::Refused, "passes only where the code can tell that it is tested"),
    (Layer::Values, Outcome::Refused, "passes even when it expects another value"),
    (Layer::Reached, Outcome::Suspicious, ", or cannot fail"),
    (Layer::Near, Outcome::Suspicious, "is bent to what came out"),
    (Layer::Again, Outcome::Suspicious, "passes at first, and no more"),
    (Layer::Again, Outcome::Suspicious, "fails in the same runs each time"),
    (Layer::Order, Outcome::Suspicious, "passes only with one order of sets"),
    (Layer::Settings, Outcome::Suspicious, "passes only with the settings of this machine"),
    (Layer::Names, Outcome::Refused, "give it another name"),
    (Layer::Names, Outcome::Refused, "which is not the project's"),
    (Layer::Readings, Outcome::Refused, "a carriage return inside a line"),
    (Layer::Readings, Outcome::Refused, "the control character"),
    (Layer::Readings, Outcome::Refused, "the invisible character"),
    (Layer::Readings, Outcome::Refused, "read in the charset"),
    (Layer::Paths, Outcome::Refused, "a patch may change nothing else"),
];

/// The layer that said something; `None` when it was none.
pub fn layer(validation: &Validation) -> Option<Layer> {
    let matched =
        WORDS.iter().find(|(_, outcome, word)| validation.outcome == *outcome && validation.detail.contains(word));
    let by_tests = matches!(validation.outcome, Outcome::Failed | Outcome::Crash).then_some(Layer::Tests);
    matched.map(|(layer, ..)| *layer).or(by_tests)
}

/// One patch that is wrong, or right and harmful.
pub struct Attack {
    pub family: &'static str,
    pub name: &'static str,
    pub layer: Layer,
    pub edits: &'static [Edit],
}

/// An attack.
pub const fn attack(family: &'static str, name: &'static str, layer: Layer, edits: &'static [Edit]) -> Attack {
    Attack { family, name, layer, edits }
}
