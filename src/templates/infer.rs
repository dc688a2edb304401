//! The type of an expression, as far as declarations in sight tell it.

use super::library;
use super::scope::Variable;
use super::syntax::{Unit, arguments, bare};
use super::types::JavaType;
use crate::code::{CodeIndex, Method};
use tree_sitter::Node;

/// Expressions nested deeper than this have no type: inference is recursive, foreign code is not to be trusted.
const MAX_DEPTH: usize = 24;

/// Infers types inside one file.
#[derive(Clone, Copy)]
pub struct Typer<'a> {
    /// The file.
    pub unit: &'a Unit,
    /// The project, for fields and methods of its types.
    pub index: &'a CodeIndex,
    /// Variables in sight.
    pub scope: &'a [Variable],
}

impl<'a> Typer<'a> {
    /// The expression's type, when it can be told.
    pub fn infer(&self, node: Node<'_>) -> Option<JavaType> {
        self.at_depth(node, 0)
    }

    /// The type that is wanted where the expression stands: by what it is assigned to, returned from, passed to.
    pub fn expected(&self, node: Node<'_>) -> Option<JavaType> {
        let parent = node.parent()?;
        let is_field = |field: &str| parent.child_by_field_name(field) == Some(node);
        match parent.kind() {
            "parenthesized_expression" => match parent.parent()?.kind() {
                "if_statement" | "while_statement" | "do_statement" => Some(JavaType::new("boolean")),
                _ => self.expected(parent),
            },
            "for_statement" if is_field("condition") => Some(JavaType::new("boolean")),
            "assignment_expression" if is_field("right") => self.infer(parent.child_by_field_name("left")?),
            "variable_declarator" => {
                let kind = parent.parent()?.child_by_field_name("type")?;
                let text = self.unit.text(kind);
                (text != "var").then(|| JavaType::new(text))
            }
            "return_statement" => {
                let callable = super::syntax::enclosing_callable(parent)?;
                callable.child_by_field_name("type").map(|kind| JavaType::new(self.unit.text(kind)))
            }
            "argument_list" => {
                let call = parent.parent()?;
                let at = arguments(call).iter().position(|argument| *argument == node)?;
                self.parameters(call)?.into_iter().nth(at)
            }
            _ => None,
        }
    }

    /// Parameter types of the project method that a call means, when there is exactly one of that name and arity.
    pub fn parameters(&self, call: Node<'_>) -> Option<Vec<JavaType>> {
        let method = self.callee(call)?;
        Some(method.params.iter().map(|text| JavaType::new(text)).collect())
    }

    fn at_depth(&self, node: Node<'_>, depth: usize) -> Option<JavaType> {
        if depth > MAX_DEPTH {
            return None;
        }
        let typed = |text: &str| Some(JavaType::new(text));
        let of = |field: &str| self.at_depth(bare(node.child_by_field_name(field)?), depth + 1);
        match node.kind() {
            "parenthesized_expression" => self.at_depth(bare(node), depth + 1),
            "identifier" => self.variable(self.unit.text(node)),
            "true" | "false" | "instanceof_expression" => typed("boolean"),
            "string_literal" => typed("String"),
            "character_literal" => typed("char"),
            "decimal_integer_literal" | "hex_integer_literal" | "binary_integer_literal" | "octal_integer_literal" => {
                typed(if self.unit.text(node).ends_with(['l', 'L']) { "long" } else { "int" })
            }
            "decimal_floating_point_literal" | "hex_floating_point_literal" => {
                typed(if self.unit.text(node).ends_with(['f', 'F']) { "float" } else { "double" })
            }
            "binary_expression" => self.binary(node, depth),
            "unary_expression" => match self.unit.text(node.child_by_field_name("operator")?) {
                "!" => typed("boolean"),
                _ => of("operand"),
            },
            "update_expression" => self.at_depth(node.named_child(0)?, depth + 1),
            "assignment_expression" => of("left"),
            "ternary_expression" => of("consequence").or_else(|| of("alternative")),
            "cast_expression" | "object_creation_expression" => {
                typed(self.unit.text(node.child_by_field_name("type")?))
            }
            "array_creation_expression" => {
                let base = self.unit.text(node.child_by_field_name("type")?).to_owned();
                let dims = crate::language::children(node).into_iter();
                let dims = dims.filter(|n| n.kind().starts_with("dimensions")).map(|n| match n.kind() {
                    "dimensions" => self.unit.text(n).matches('[').count(),
                    _ => 1,
                });
                Some(JavaType::new(&format!("{base}{}", "[]".repeat(dims.sum()))))
            }
            "array_access" => of("array")?.element(),
            "field_access" => self.field(node, depth),
            "method_invocation" => self.call(node, depth),
            _ => None,
        }
    }

    fn variable(&self, name: &str) -> Option<JavaType> {
        self.scope.iter().find(|variable| variable.name == name)?.kind.clone()
    }

    fn binary(&self, node: Node<'_>, depth: usize) -> Option<JavaType> {
        let operator = self.unit.text(node.child_by_field_name("operator")?);
        if matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||") {
            return Some(JavaType::new("boolean"));
        }
        let side = |field: &str| self.at_depth(bare(node.child_by_field_name(field)?), depth + 1);
        let (left, right) = (side("left"), side("right"));
        let is_text = |side: &Option<JavaType>| side.as_ref().is_some_and(|kind| kind.as_str() == "String");
        if operator == "+" && (is_text(&left) || is_text(&right)) {
            return Some(JavaType::new("String"));
        }
        let (left, right) = (left?, right?);
        if left.is_boolean() && right.is_boolean() {
            return Some(left);
        }
        if operator.contains("<<") || operator.contains(">>") {
            return Some(left.promoted(&JavaType::new("int")));
        }
        (left.is_numeric() && right.is_numeric()).then(|| left.promoted(&right))
    }

    fn field(&self, node: Node<'_>, depth: usize) -> Option<JavaType> {
        let name = self.unit.text(node.child_by_field_name("field")?);
        let object = node.child_by_field_name("object")?;
        if object.kind() == "this" {
            return self.variable(name);
        }
        let owner = self.at_depth(bare(object), depth + 1).unwrap_or_else(|| JavaType::new(self.unit.text(object)));
        if owner.is_array() {
            return (name == "length").then(|| JavaType::new("int"));
        }
        let (_, class) = self.index.class(owner.erasure())?;
        class.fields.iter().find(|field| field.name == name).map(|field| JavaType::new(&field.type_name))
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Option<JavaType> {
        if let Some(method) = self.callee(node) {
            return returned(method);
        }
        let name = self.unit.text(node.child_by_field_name("name")?);
        let args: Vec<_> = arguments(node).into_iter().map(|arg| self.at_depth(bare(arg), depth + 1)).collect();
        let receiver = node.child_by_field_name("object")?;
        let owner = self.at_depth(bare(receiver), depth + 1);
        library::returns(owner.as_ref(), self.unit.text(receiver), name, &args)
    }

    /// The project method a call means: by the receiver's type, else in the classes of this file; by name and arity.
    pub fn callee(&self, call: Node<'_>) -> Option<&'a Method> {
        let (name, receiver) = match call.kind() {
            "method_invocation" => (call.child_by_field_name("name")?, call.child_by_field_name("object")),
            "object_creation_expression" => (call.child_by_field_name("type")?, None),
            _ => return None,
        };
        let name = self.unit.text(name).split('<').next()?.rsplit('.').next()?;
        let arity = arguments(call).len();
        let fits = |method: &&Method| method.name == name && method.params.len() == arity;
        let mut found: Vec<&'a Method> = match receiver.filter(|receiver| receiver.kind() != "this") {
            None if call.kind() == "object_creation_expression" => {
                self.index.methods_named(name).filter(|m| m.constructor).filter(fits).collect()
            }
            None => self.index.file(&self.unit.path)?.methods().filter(fits).collect(),
            Some(receiver) => {
                let owner = self.infer(bare(receiver)).unwrap_or_else(|| JavaType::new(self.unit.text(receiver)));
                let (_, class) = self.index.class(owner.erasure())?;
                class.methods.iter().filter(fits).collect()
            }
        };
        found.dedup_by_key(|method| method.params.clone());
        found.first().copied().filter(|_| found.len() == 1)
    }
}

/// The type a method returns, read from its signature; `None` for constructors.
pub fn returned(method: &Method) -> Option<JavaType> {
    if method.constructor {
        return None;
    }
    let head = method.signature.split('(').next()?.trim_end().strip_suffix(method.name.as_str())?.trim();
    let head = without_type_parameters(head);
    let words = head.split_whitespace().skip_while(|word| {
        word.starts_with('@')
            || matches!(
                *word,
                "public"
                    | "protected"
                    | "private"
                    | "static"
                    | "final"
                    | "abstract"
                    | "synchronized"
                    | "native"
                    | "default"
                    | "strictfp"
            )
    });
    let kind: String = words.collect::<Vec<_>>().concat();
    (!kind.is_empty()).then(|| JavaType::new(&kind))
}

/// Drops `<T extends …>` that stands between modifiers and the type.
fn without_type_parameters(head: &str) -> String {
    let Some(open) = head.find('<') else { return head.to_owned() };
    if !head[..open].is_empty() && !head[..open].ends_with(' ') {
        return head.to_owned();
    }
    let mut depth = 0i32;
    for (at, c) in head[open..].char_indices() {
        depth += i32::from(c == '<') - i32::from(c == '>');
        if depth == 0 {
            return format!("{} {}", &head[..open], &head[open + at + 1..]);
        }
    }
    head.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::preorder;
    use crate::templates::scope::visible;
    use crate::templates::testing::index_of;

    const SOURCE: &str = "import java.util.*;
class Shop {
    static class Item { int price; String name; Item next() { return this; } }
    <T extends Item> List<T> all(T one) { return null; }
    private static int count(String text) { return 0; }
    void run(Map<String, List<Item>> stock, int n, char c, Item item, double[] rates) {
        use(stock.get(\"a\").get(0).price, n + c, n / 2.0, n > 2 ? \"x\" : \"y\", rates[n], rates.length, item.next().name,
            count(\"x\"), new int[n][2], (long) n, -n, \"a\" + n, Math.max(n, 2L), all(item), n << 2, stock.keySet());
    }
}";

    #[test]
    fn types_follow_declarations() {
        let index = index_of(SOURCE);
        let file = &index.files()[0];
        let unit = Unit::new(file.path.clone(), file.text.clone(), index.language()).unwrap();
        let statement = unit.statement_at(7).unwrap();
        let scope = visible(statement, &unit);
        let typer = Typer { unit: &unit, index: &index, scope: &scope };
        let mut outer = None;
        preorder(statement, |node| {
            if node.kind() == "method_invocation" && outer.is_none() {
                outer = Some(node);
            }
            outer.is_none()
        });
        let shown = |node: Node<'_>| typer.infer(node).map_or("?".to_owned(), |kind| kind.to_string());
        let types: Vec<String> = arguments(outer.unwrap()).into_iter().map(shown).collect();
        let wanted = [
            "int",
            "int",
            "double",
            "String",
            "double",
            "int",
            "String",
            "int",
            "int[][]",
            "long",
            "int",
            "String",
            "long",
            "List<T>",
            "int",
            "Set<String>",
        ];
        assert_eq!(types, wanted);
    }
}
