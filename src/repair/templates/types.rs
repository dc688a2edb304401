//! Types as far as a source file tells them: by name, with their arguments. They have the names that Java gives them; of
//! C, whole numbers are `int`, and pointers are arrays.
//!
//! The engine only asks whether swapping one expression for another is likely to compile; a wrong "yes" costs one
//! compilation, a wrong "no" a candidate. So unknown types are compatible with everything.

use crate::language::between_commas;
use std::fmt;

/// A type as written, without spaces: `int`, `List<String>`, `char[]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueType(String);

/// Numeric primitives from narrow to wide.
const NUMERIC: [&str; 7] = ["byte", "short", "char", "int", "long", "float", "double"];

impl ValueType {
    /// A type from its text; annotations and spaces are dropped, varargs become an array.
    pub fn new(text: &str) -> Self {
        let words = text.split_whitespace().filter(|word| !word.starts_with('@') && *word != "final");
        let compact: String = words.collect::<Vec<_>>().concat();
        Self(compact.replace("...", "[]").replace("?extends", "").replace("?super", ""))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without package, arguments and dimensions: `List` of `java.util.List<String>`.
    pub(crate) fn erasure(&self) -> &str {
        let base = self.0.split(['<', '[']).next().unwrap_or(&self.0);
        base.rsplit('.').next().unwrap_or(base)
    }

    /// Type arguments at the top: `String` and `List<Integer>` of `Map<String,List<Integer>>`.
    pub fn arguments(&self) -> Vec<ValueType> {
        let Some(open) = self.0.find('<') else { return Vec::new() };
        let Some(close) = self.0.rfind('>').filter(|&close| close > open) else { return Vec::new() };
        let inner = &self.0[open + 1..close];
        between_commas(inner).into_iter().map(|part| Self(part.to_owned())).collect()
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        self.0.ends_with("[]")
    }

    /// What a loop over it yields: the component of an array, the argument of a collection; `Object` for raw ones.
    pub(crate) fn element(&self) -> Option<ValueType> {
        if let Some(component) = self.0.strip_suffix("[]") {
            return Some(Self(component.to_owned()));
        }
        self.is_collection().then(|| self.arguments().into_iter().next().unwrap_or_else(|| Self("Object".into())))
    }

    /// The primitive behind a wrapper: `int` for `Integer`; itself otherwise.
    pub(crate) fn unboxed(&self) -> ValueType {
        let primitive = match self.0.as_str() {
            "Boolean" => "boolean",
            "Byte" => "byte",
            "Short" => "short",
            "Character" => "char",
            "Integer" => "int",
            "Long" => "long",
            "Float" => "float",
            "Double" => "double",
            same => same,
        };
        Self(primitive.to_owned())
    }

    /// `boolean` or its wrapper.
    pub(crate) fn is_boolean(&self) -> bool {
        self.unboxed().0 == "boolean"
    }

    /// Any number, `char` included.
    pub fn is_numeric(&self) -> bool {
        NUMERIC.contains(&self.unboxed().0.as_str())
    }

    /// Numbers without fraction that count and index: `int`, `long`, `short`, `byte`.
    pub fn is_integral(&self) -> bool {
        matches!(self.unboxed().0.as_str(), "byte" | "short" | "int" | "long")
    }

    /// `String`, or another sequence of characters with `length()` and `charAt`.
    pub(crate) fn is_string(&self) -> bool {
        matches!(self.erasure(), "String" | "CharSequence" | "StringBuilder" | "StringBuffer") && !self.is_array()
    }

    /// Whether it is a primitive.
    pub(crate) fn is_primitive(&self) -> bool {
        NUMERIC.contains(&self.0.as_str()) || self.0 == "boolean" || self.0 == "void"
    }

    /// Whether its name says that it is a collection of the standard library.
    pub(crate) fn is_collection(&self) -> bool {
        let name = self.erasure();
        !self.is_array()
            && ["List", "Set", "Deque", "Queue", "Collection", "Stack", "Vector", "Iterable"]
                .iter()
                .any(|suffix| name.ends_with(suffix))
            || name == "ArrayDeque"
    }

    /// Whether its name says that it is a list or an array-backed sequence with positions.
    pub(crate) fn is_list(&self) -> bool {
        !self.is_array() && (self.erasure().ends_with("List") || matches!(self.erasure(), "Vector" | "Stack"))
    }

    /// Whether its name says that it is a map.
    pub(crate) fn is_map(&self) -> bool {
        !self.is_array() && (self.erasure().ends_with("Map") || self.erasure() == "Hashtable")
    }

    /// The wider of two numeric types, as binary promotion gives it.
    pub(crate) fn promoted(&self, other: &ValueType) -> ValueType {
        let rank = |t: &ValueType| NUMERIC.iter().position(|n| *n == t.unboxed().0).unwrap_or(3).max(3);
        Self(NUMERIC[rank(self).max(rank(other))].to_owned())
    }

    /// Whether a value of type `from` may well stand where this type is wanted.
    pub(crate) fn accepts(&self, from: &ValueType) -> bool {
        let (to_prim, from_prim) = (self.unboxed(), from.unboxed());
        if to_prim.is_primitive() && from_prim.is_primitive() {
            let rank = |t: &ValueType| NUMERIC.iter().position(|n| *n == t.0);
            return match (rank(&to_prim), rank(&from_prim)) {
                (Some(to), Some(from)) => to >= from && (self.is_primitive() || to == from),
                _ => to_prim == from_prim,
            };
        }
        if self.is_array() != from.is_array() {
            return self.erasure() == "Object";
        }
        let (to, from_name) = (self.erasure(), from.erasure());
        if self.is_array() || to == from_name {
            return self.arguments_fit(from) && (to == from_name);
        }
        let supertype = matches!(to, "Object" | "Comparable" | "CharSequence") || is_type_variable(to);
        supertype || (is_supertype(to, from_name) && self.arguments_fit(from))
    }

    fn arguments_fit(&self, from: &ValueType) -> bool {
        let (to, from) = (self.arguments(), from.arguments());
        to.is_empty() || from.is_empty() || to == from || to.iter().chain(&from).any(|t| is_type_variable(t.as_str()))
    }

    /// A value of the type that says "nothing": `0`, `false`, or `null` as the language has it.
    pub(crate) fn neutral_value(&self, null: &'static str) -> &'static str {
        match self.0.as_str() {
            "boolean" => "false",
            "float" | "double" => "0.0",
            "char" => "'\\0'",
            _ if self.is_primitive() => "0",
            _ => null,
        }
    }
}

/// Single capital letters are type variables by custom.
fn is_type_variable(name: &str) -> bool {
    name.len() <= 2 && name.chars().next().is_some_and(char::is_uppercase) || name == "?"
}

/// Supertypes among the collections, by the end of the subtype's name: `ArrayList` is a `List`.
fn is_supertype(to: &str, from: &str) -> bool {
    match to {
        "Iterable" | "Collection" => ["List", "Set", "Deque", "Queue", "Collection", "Stack", "Vector"]
            .iter()
            .any(|suffix| from.ends_with(suffix)),
        "Queue" => from.ends_with("Queue") || from.ends_with("Deque") || from == "LinkedList",
        "Deque" => from.ends_with("Deque") || from == "LinkedList",
        "List" | "Set" | "Map" => from.ends_with(to) || (to == "List" && matches!(from, "Stack" | "Vector")),
        "Number" => matches!(from, "Integer" | "Long" | "Double" | "Float" | "Short" | "Byte"),
        _ => false,
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn t(text: &str) -> ValueType {
        ValueType::new(text)
    }

    #[test]
    fn parts_of_a_type() {
        let map = t("java.util.Map<String, List<Integer>>");
        assert_eq!(map.erasure(), "Map");
        assert_eq!(map.arguments(), [t("String"), t("List<Integer>")]);
        assert_eq!(t("int[][]").element(), Some(t("int[]")));
        assert_eq!(t("ArrayList<Long>").element(), Some(t("Long")));
        assert_eq!(t("ArrayList").element(), Some(t("Object")));
        assert_eq!(t("String...").element(), Some(t("String")));
        assert_eq!(map.element(), None);
    }

    #[test]
    fn which_values_fit() {
        assert!(t("long").accepts(&t("int")) && !t("int").accepts(&t("long")));
        assert!(t("int").accepts(&t("Integer")) && t("Integer").accepts(&t("int")));
        assert!(!t("Long").accepts(&t("int")), "boxing does not widen");
        assert!(t("List<String>").accepts(&t("ArrayList<String>")));
        assert!(!t("List<String>").accepts(&t("ArrayList<Integer>")));
        assert!(!t("boolean").accepts(&t("int")) && !t("String").accepts(&t("int")));
        assert!(t("Object").accepts(&t("String")) && t("T").accepts(&t("String")));
        assert!(!t("int").accepts(&t("int[]")));
    }

    #[test]
    fn promotion_is_at_least_int() {
        assert_eq!(t("char").promoted(&t("short")), t("int"));
        assert_eq!(t("Integer").promoted(&t("double")), t("double"));
    }
}
