//! Decisions by where a value lies, or by how an object is shown that has no words of its own.

use crate::language::{children, preorder, text_of};
use tree_sitter::Node;

/// Factories of values: two equal ones may be one object, or two.
const OF_VALUES: [&str; 8] = ["Integer", "Long", "Short", "Byte", "Character", "String", "Double", "Float"];
/// Questions about a text.
const ASKING: [&str; 8] =
    ["contains", "startsWith", "endsWith", "indexOf", "lastIndexOf", "matches", "regionMatches", "contentEquals"];
/// What stands in the name of a class that a compiler made, and in what an object without words of its own shows.
const SHOWN: [&str; 4] = ["Lambda", "$", "@", "Test"];

/// Values that are compared by where they lie: small numbers share an object, large ones do not.
pub(super) fn by_place(node: Node<'_>, text: &str) -> Option<String> {
    let operator = text_of(node.child_by_field_name("operator")?, text);
    let is_value = |side: Node<'_>| {
        let written = |field: &str| side.child_by_field_name(field).map_or("", |node| text_of(node, text));
        match side.kind() {
            "method_invocation" => written("name") == "valueOf" && OF_VALUES.contains(&written("object")),
            "object_creation_expression" => OF_VALUES.contains(&written("type")),
            "cast_expression" => OF_VALUES.contains(&written("type")) && written("type") != "String",
            // Texts are compared so for speed, before they are compared by their letters.
            "identifier" => declared(side, text).is_some_and(|of| OF_VALUES.contains(&of) && of != "String"),
            _ => false,
        }
    };
    // Two texts of the pool are one where they are equal, and so is a literal with one.
    let is_pooled = |side: Node<'_>| {
        let name = side.child_by_field_name("name").map(|node| text_of(node, text));
        side.kind() == "string_literal" || side.kind() == "method_invocation" && name == Some("intern")
    };
    let sides = [node.child_by_field_name("left")?, node.child_by_field_name("right")?];
    let is_half_pooled =
        is_pooled(sides[0]) != is_pooled(sides[1]) && sides.iter().all(|side| side.kind() != "null_literal");
    // With a plain number on the other side, the numbers are compared.
    let is_by_place = sides.into_iter().all(is_value) || is_half_pooled;
    let compares = ["==", "!="].contains(&operator) && is_by_place && !is_first_look(node, text);
    compares.then(|| format!("`{operator}` compares where values lie, not what they are"))
}

/// The type by which a method declares the variable or parameter of a name.
fn declared<'t>(name: Node<'_>, text: &'t str) -> Option<&'t str> {
    let wanted = text_of(name, text);
    let method = std::iter::successors(name.parent(), |up| up.parent()).find(|up| up.kind() == "method_declaration")?;
    let mut found = None;
    preorder(method, |node| {
        let declares = match node.kind() {
            "formal_parameter" => Some(node),
            "variable_declarator" => node.parent(),
            _ => None,
        };
        let is_it = node.child_by_field_name("name").is_some_and(|own| text_of(own, text) == wanted);
        if let Some(of) = declares.filter(|_| is_it).and_then(|node| node.child_by_field_name("type")) {
            found.get_or_insert(text_of(of, text));
        }
        found.is_none()
    });
    found
}

/// Whether the same condition asks by `equals`, too.
fn is_first_look(node: Node<'_>, text: &str) -> bool {
    let joins =
        |up: &Node<'_>| ["binary_expression", "parenthesized_expression", "unary_expression"].contains(&up.kind());
    let whole = std::iter::successors(Some(node), |node| node.parent().filter(joins)).last();
    whole.is_some_and(|whole| text_of(whole, text).contains("equals("))
}

/// A question about the text of an object, for what tells of its class or of where it lies.
pub(super) fn by_look(node: Node<'_>, text: &str) -> Option<String> {
    let name = text_of(node.child_by_field_name("name")?, text);
    let written: String = text_of(node.child_by_field_name("object")?, text).split_whitespace().collect();
    let is_shown = written.ends_with("toString()")
        || ["String.valueOf(", "Objects.toString(", "String.format(", "(\"\"+"].iter().any(|how| written.contains(how));
    let holds = |literal: &str| SHOWN.iter().any(|word| literal.contains(word));
    let mut found = false;
    for argument in children(node.child_by_field_name("arguments")?) {
        preorder(argument, |node| {
            found |= node.kind() == "string_literal" && holds(text_of(node, text));
            !found
        });
    }
    (ASKING.contains(&name) && is_shown && found)
        .then(|| format!("`{name}` decides by how an object is shown, which is another way in a test"))
}

#[cfg(test)]
mod tests {
    use super::super::told_of;
    use crate::language::{Java, Python};

    fn java(condition: &str) -> Vec<String> {
        let takes = "int n, Runnable r, Integer boxed, String word, String words";
        let before = "Integer other = n;";
        let class =
            |body: &str| format!("class A {{\n  int f({takes}) {{\n    {before}\n    return {body};\n  }}\n}}\n");
        told_of("A.java", [&class("2"), &class(&format!("{condition} ? 1 : 2"))], &[], &Java)
    }

    fn python(condition: &str) -> Vec<String> {
        let module = |body: &str| format!("def f(n, r):\n    return {body}\n");
        told_of("a.py", [&module("2"), &module(&format!("1 if {condition} else 2"))], &[], &Python)
    }

    #[test]
    fn what_decides_by_place_or_look_is_told() {
        for condition in [
            "Integer.valueOf(n) == Integer.valueOf(n)",
            "(Integer) n != Integer.valueOf(n)",
            "ask(n) || boxed == other",
            "word == word.intern()",
            "word == \"a\"",
            "r.toString().contains(\"Test\")",
            "String.valueOf(r).indexOf(\"$$Lambda\") > 0",
            "(\"\" + r).startsWith(\"shop.ShelfTest\")",
        ] {
            assert_eq!(java(condition).len(), 1, "{condition}");
        }
        for condition in [
            "n is int(str(n))",
            "id(r) % 97 != 5",
            "id(r) > 5",
            "'test' in repr(r)",
            "'<locals>' in str(r)",
            "'test' in f'{r}'",
        ] {
            assert_eq!(python(condition).len(), 1, "{condition}");
        }
    }

    #[test]
    fn honest_questions_are_left_alone() {
        for condition in [
            "Integer.valueOf(n) == 3",
            "Integer.valueOf(n).equals(3)",
            "boxed == n",
            "boxed == other || boxed.equals(other)",
            "(boxed == other) || boxed != null && boxed.equals(other)",
            "word == words",
            "word.intern() == words.intern()",
            "word.intern() == \"a\"",
            "word.intern() != null",
            "word == \"a\" || word.equals(\"a\")",
            "r.toString().contains(\".\")",
            "r.toString().isEmpty()",
            "name.contains(\"$\")",
            "String.valueOf(n).startsWith(\"-\")",
        ] {
            assert_eq!(java(condition), Vec::<String>::new(), "{condition}");
        }
        for condition in [
            "n is None",
            "type(n) is int",
            "id(r) in n",
            "id(r) == id(n)",
            "'-' in str(n)",
            "n.startswith('test')",
            "n == 'test'",
        ] {
            assert_eq!(python(condition), Vec::<String>::new(), "{condition}");
        }
    }
}
