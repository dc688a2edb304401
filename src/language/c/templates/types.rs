//! Types in C, by the names that Java gives them: whole numbers are `int`, for C turns each into every other; pointers
//! are arrays, because both are read by `[]`.

use tree_sitter::Node;
use unidebug_base::code::Method;
use unidebug_repair::templates::syntax::Unit;
use unidebug_repair::templates::types::ValueType;

/// Words of a type that tell nothing of its values.
const QUALIFIERS: &[&str] =
    &["auto", "const", "extern", "inline", "register", "restrict", "static", "volatile", "__inline", "__restrict"];
/// Names of whole numbers, beside those that end in `_t`.
const WHOLE: &[&str] = &["int", "long", "short", "signed", "unsigned", "enum", "time_t", "ulong", "uint"];
/// The most dimensions that are told apart.
const DIMENSIONS: usize = 4;

/// A type from its text, stars and brackets included.
pub(super) fn of(text: &str) -> ValueType {
    let stars = text.matches(['*', '[']).count().min(DIMENSIONS);
    let bare: String = text.split('[').next().unwrap_or("").replace('*', " ");
    let words: Vec<&str> = bare.split_whitespace().filter(|word| !QUALIFIERS.contains(word)).collect();
    let has = |word: &str| words.contains(&word);
    let base = if has("double") || has("float") {
        "double".to_owned()
    } else if has("char") {
        "char".to_owned()
    } else if has("bool") || has("_Bool") {
        "boolean".to_owned()
    } else if words.iter().any(|word| WHOLE.contains(word) || is_sized(word)) {
        "int".to_owned()
    } else {
        words.last().map_or("int", |word| *word).to_owned()
    };
    ValueType::new(&format!("{base}{}", "[]".repeat(stars)))
}

/// `size_t`, `uint32_t` and the like.
fn is_sized(word: &str) -> bool {
    let Some(stem) = word.strip_suffix("_t") else { return false };
    ["size", "ssize", "ptrdiff", "off", "clock", "wchar"].contains(&stem)
        || stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_start_matches('u').starts_with("int")
}

/// The name that a declarator gives, and its type after the written one.
pub(super) fn named<'t>(declarator: Node<'t>, base: &str) -> Option<(Node<'t>, ValueType)> {
    let mut node = declarator;
    let mut dimensions = 0;
    while node.kind() != "identifier" {
        match node.kind() {
            "pointer_declarator" | "array_declarator" => dimensions += 1,
            "init_declarator" | "parenthesized_declarator" => {}
            _ => return None,
        }
        node = node.child_by_field_name("declarator").or_else(|| node.named_child(0))?;
    }
    Some((node, of(&format!("{base}{}", "*".repeat(dimensions)))))
}

/// The type that a declarator with a value gives.
pub(super) fn declared(declarator: Node<'_>, unit: &Unit) -> Option<ValueType> {
    let base = declarator.parent()?.child_by_field_name("type")?;
    named(declarator, unit.text(base)).map(|(_, kind)| kind)
}

/// What a function returns.
pub(super) fn returned(function: Node<'_>, unit: &Unit) -> Option<ValueType> {
    let base = unit.text(function.child_by_field_name("type")?);
    let mut node = function.child_by_field_name("declarator")?;
    let mut stars = 0;
    while node.kind() == "pointer_declarator" {
        stars += 1;
        node = node.child_by_field_name("declarator")?;
    }
    Some(of(&format!("{base}{}", "*".repeat(stars))))
}

/// What a function of the project returns, by its signature.
pub(super) fn result(function: &Method) -> Option<ValueType> {
    let head = function.signature.split('(').next()?.trim_end().strip_suffix(function.name.as_str())?;
    Some(of(head))
}
