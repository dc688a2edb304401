//! The type of an expression, as far as declarations in sight tell it.

use super::library;
use super::scope::Variable;
use super::shape::Shape;
use super::syntax::{Unit, arguments, bare};
use super::types::ValueType;
use crate::code::{CodeIndex, Method};
use tree_sitter::Node;

/// Expressions nested deeper than this have no type: inference is recursive, foreign code is not to be trusted.
const MAX_DEPTH: usize = 24;

/// Infers types inside one file.
#[derive(Clone, Copy)]
pub(crate) struct Typer<'a> {
    /// The file.
    pub unit: &'a Unit,
    /// The project, for fields and methods of its types.
    pub index: &'a CodeIndex,
    /// Variables in sight.
    pub scope: &'a [Variable],
}

/// Variables in sight of a statement, nearest first. Where a declaration leaves the type to the value (`var` in Java), it is
/// that of the value.
pub(crate) fn variables(unit: &Unit, index: &CodeIndex, statement: Node<'_>) -> Vec<Variable> {
    let mut scope = (unit.rules.visible)(inner_place(statement), unit);
    if unit.rules.types.is_none() {
        return scope;
    }
    let mut untyped: Vec<usize> = (0..scope.len()).filter(|&at| scope[at].kind.is_none()).collect();
    // A value may name variables that were declared before.
    untyped.sort_by_key(|&at| scope[at].declared);
    for at in untyped {
        let declared = scope[at].declared;
        let name = unit.root().descendant_for_byte_range(declared, declared + scope[at].name.len());
        let Some(declaration) = name.and_then(|name| name.parent()) else { continue };
        let Some(value) = declaration.child_by_field_name("value") else { continue };
        let kind = Typer { unit, index, scope: &scope }.infer(bare(value));
        let is_each = declaration.kind() == "enhanced_for_statement";
        scope[at].kind = if is_each { kind.and_then(|kind| kind.element()) } else { kind };
    }
    scope
}

/// The place inside a statement's header from which all its own variables are visible.
fn inner_place(statement: Node<'_>) -> Node<'_> {
    if statement.shape() != "for_statement" {
        return statement;
    }
    ["condition", "update", "body"].iter().find_map(|field| statement.part(field)).unwrap_or(statement)
}

impl<'a> Typer<'a> {
    /// The expression's type, when it can be inferred.
    pub(crate) fn infer(&self, node: Node<'_>) -> Option<ValueType> {
        self.at_depth(node, 0)
    }

    /// The type that is wanted where the expression stands: by what it is assigned to, returned from, passed to.
    pub(crate) fn expected(&self, node: Node<'_>) -> Option<ValueType> {
        let parent = node.parent()?;
        let is_field = |field: &str| parent.part(field) == Some(node);
        match parent.shape() {
            "parenthesized_expression" => match parent.parent()?.shape() {
                "if_statement" | "while_statement" | "do_statement" => Some(ValueType::new("boolean")),
                _ => self.expected(parent),
            },
            "for_statement" | "ternary_expression" if is_field("condition") => Some(ValueType::new("boolean")),
            "binary_expression" | "unary_expression" => {
                let sign = self.unit.text(parent.part("operator")?);
                matches!(sign, "&&" | "||" | "!").then(|| ValueType::new("boolean"))
            }
            "assignment_expression" if is_field("right") => self.infer(parent.part("left")?),
            "variable_declarator" => (self.unit.rules.types.as_ref()?.declared)(parent, self.unit),
            "return_statement" => {
                (self.unit.rules.types.as_ref()?.returned)(super::syntax::enclosing_callable(parent)?, self.unit)
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
    pub(crate) fn parameters(&self, call: Node<'_>) -> Option<Vec<ValueType>> {
        let method = self.callee(call)?;
        let of = self.unit.rules.types.as_ref()?.of;
        Some(method.params.iter().map(|text| of(text)).collect())
    }

    fn at_depth(&self, node: Node<'_>, depth: usize) -> Option<ValueType> {
        if depth > MAX_DEPTH {
            return None;
        }
        let typed = |text: &str| Some(ValueType::new(text));
        let of = |field: &str| self.at_depth(bare(node.part(field)?), depth + 1);
        match node.shape() {
            "parenthesized_expression" => self.at_depth(bare(node), depth + 1),
            "identifier" => self.variable(self.unit.text(node)),
            "true" | "false" | "instanceof_expression" => typed("boolean"),
            "string_literal" => typed(self.unit.rules.types.as_ref()?.text),
            "character_literal" => typed("char"),
            "decimal_integer_literal" if is_fraction(self.unit.text(node)) => typed("double"),
            "decimal_integer_literal" | "hex_integer_literal" | "binary_integer_literal" | "octal_integer_literal" => {
                typed(if self.unit.text(node).ends_with(['l', 'L']) { "long" } else { "int" })
            }
            "decimal_floating_point_literal" | "hex_floating_point_literal" => {
                typed(if self.unit.text(node).ends_with(['f', 'F']) { "float" } else { "double" })
            }
            "binary_expression" => self.binary(node, depth),
            "unary_expression" => match self.unit.text(node.part("operator")?) {
                "!" => typed("boolean"),
                _ => of("operand"),
            },
            "update_expression" => self.at_depth(node.named_child(0)?, depth + 1),
            "assignment_expression" => of("left"),
            "ternary_expression" => of("consequence").or_else(|| of("alternative")),
            "cast_expression" | "object_creation_expression" => {
                Some((self.unit.rules.types.as_ref()?.of)(self.unit.text(node.part("type")?)))
            }
            "array_creation_expression" => {
                let base = self.unit.text(node.part("type")?).to_owned();
                let dims = crate::language::children(node).into_iter();
                let dims = dims.filter(|n| n.shape().starts_with("dimensions")).map(|n| match n.shape() {
                    "dimensions" => self.unit.text(n).matches('[').count(),
                    _ => 1,
                });
                Some(ValueType::new(&format!("{base}{}", "[]".repeat(dims.sum()))))
            }
            "array_access" => of("array")?.element(),
            "field_access" if node.kind() == "pointer_expression" => {
                let points = self.unit.text(node).starts_with('*');
                of("operand")?.element().filter(|_| points)
            }
            "field_access" => self.field(node, depth),
            "method_invocation" => self.call(node, depth),
            _ => None,
        }
    }

    fn variable(&self, name: &str) -> Option<ValueType> {
        self.scope.iter().find(|variable| variable.name == name)?.kind.clone()
    }

    fn binary(&self, node: Node<'_>, depth: usize) -> Option<ValueType> {
        let operator = self.unit.text(node.part("operator")?);
        if matches!(operator, "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||") {
            return Some(ValueType::new("boolean"));
        }
        let side = |field: &str| self.at_depth(bare(node.part(field)?), depth + 1);
        let (left, right) = (side("left"), side("right"));
        let is_text = |side: &Option<ValueType>| side.as_ref().is_some_and(|kind| kind.as_str() == "String");
        if operator == "+" && (is_text(&left) || is_text(&right)) {
            return Some(ValueType::new("String"));
        }
        let (left, right) = (left?, right?);
        if left.is_boolean() && right.is_boolean() {
            return Some(left);
        }
        if operator.contains("<<") || operator.contains(">>") {
            return Some(left.promoted(&ValueType::new("int")));
        }
        (left.is_numeric() && right.is_numeric()).then(|| left.promoted(&right))
    }

    /// A member of a structure in C has no type: what the index tells of it lacks its stars.
    fn field(&self, node: Node<'_>, depth: usize) -> Option<ValueType> {
        if node.kind() == "field_expression" {
            return None;
        }
        let name = self.unit.text(node.part("field")?);
        let object = node.part("object")?;
        if object.shape() == "this" {
            return self.variable(name);
        }
        let owner = self.at_depth(bare(object), depth + 1).unwrap_or_else(|| ValueType::new(self.unit.text(object)));
        if owner.is_array() {
            return (name == "length").then(|| ValueType::new("int"));
        }
        let (_, class) = self.index.class(owner.erasure())?;
        class.fields.iter().find(|field| field.name == name).map(|field| ValueType::new(&field.type_name))
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Option<ValueType> {
        if let Some(method) = self.callee(node) {
            return (self.unit.rules.types.as_ref()?.result)(method);
        }
        let name = self.unit.text(node.part("name")?);
        let args: Vec<_> = arguments(node).into_iter().map(|arg| self.at_depth(bare(arg), depth + 1)).collect();
        let receiver = node.part("object")?;
        let owner = self.at_depth(bare(receiver), depth + 1);
        library::returns(owner.as_ref(), self.unit.text(receiver), name, &args)
    }

    /// The project method a call means: by the receiver's type, else in the classes of this file; by name and arity.
    pub(crate) fn callee(&self, call: Node<'_>) -> Option<&'a Method> {
        let (name, receiver) = match call.shape() {
            "method_invocation" => (call.part("name")?, call.part("object")),
            "object_creation_expression" => (call.part("type")?, None),
            _ => return None,
        };
        let name = self.unit.text(name).split('<').next()?.rsplit('.').next()?;
        let arity = arguments(call).len();
        let fits = |method: &&Method| method.name == name && method.params.len() == arity;
        let mut found: Vec<&'a Method> = match receiver.filter(|receiver| receiver.shape() != "this") {
            None if call.shape() == "object_creation_expression" => {
                self.index.methods_named(name).filter(|m| m.constructor).filter(fits).collect()
            }
            None => self.index.file(&self.unit.path)?.methods().filter(fits).collect(),
            Some(receiver) => {
                let owner = self.infer(bare(receiver)).unwrap_or_else(|| ValueType::new(self.unit.text(receiver)));
                let (_, class) = self.index.class(owner.erasure())?;
                class.methods.iter().filter(fits).collect()
            }
        };
        found.dedup_by_key(|method| method.params.clone());
        found.first().copied().filter(|_| found.len() == 1)
    }
}

/// Whether a number of C has a fraction; Java's grammar tells the two apart.
fn is_fraction(number: &str) -> bool {
    let is_hex = number.starts_with("0x") || number.starts_with("0X");
    !is_hex && number.contains(['.', 'e', 'E', 'f', 'F'])
}

/// The type a method in Java returns, read from its signature; `None` for constructors.
pub(super) fn returned(method: &Method) -> Option<ValueType> {
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
    (!kind.is_empty()).then(|| ValueType::new(&kind))
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
