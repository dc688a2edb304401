//! Members of types in a tree: what patches replace and what they insert beside.

use crate::language::{self, Language, Syntax, Wrapped, between_commas, children, on_one_line, text_of};
use tree_sitter::Node;

/// A method or constructor of a named type.
#[derive(Debug, Clone)]
pub(super) struct MethodNode<'tree> {
    pub node: Node<'tree>,
    /// The enclosing type with outer types: `Outer.Inner`.
    pub class: String,
    pub name: String,
    /// Parameter types in the form [`bare_type`] gives them.
    pub params: Vec<String>,
}

impl MethodNode<'_> {
    /// `Outer.name(Type,Type)`.
    pub(super) fn qualified(&self) -> String {
        format!("{}.{}({})", self.class, self.name, self.params.join(","))
    }
}

/// All methods and constructors of named types, in order; those of anonymous and local classes belong to the bodies
/// they stand in.
pub(super) fn methods<'tree>(root: Node<'tree>, text: &str, language: &dyn Language) -> Vec<MethodNode<'tree>> {
    let mut found = Vec::new();
    declarations(root, text, language.syntax(), |node, around| {
        if language.syntax().is_method(node) {
            found.extend(method(node, around, text, language));
        }
    });
    found
}

fn method<'tree>(
    node: Node<'tree>,
    around: Option<&TypeNode<'tree>>,
    text: &str,
    language: &dyn Language,
) -> Option<MethodNode<'tree>> {
    // A compact constructor has the parameters of its record.
    let owner = around.filter(|_| language.syntax().constructors.contains(&node.kind()));
    let parameters =
        language.parameters_of(node).or_else(|| owner.and_then(|owner| owner.node.child_by_field_name("parameters")));
    let params = parameters.map(|list| language.parameters(list, text)).unwrap_or_default();
    Some(MethodNode {
        node,
        class: around.map(|owner| owner.path.clone()).unwrap_or_default(),
        name: text_of(language.name_of(node)?, text).to_owned(),
        params: params.iter().map(|param| bare_type(&param.shown)).collect(),
    })
}

/// A named type with its path.
#[derive(Debug, Clone)]
pub(super) struct TypeNode<'tree> {
    pub node: Node<'tree>,
    /// `Outer.Inner`.
    pub path: String,
}

/// All named types outside of bodies, in order.
pub(super) fn types<'tree>(root: Node<'tree>, text: &str, syntax: &Syntax) -> Vec<TypeNode<'tree>> {
    let mut found = Vec::new();
    declarations(root, text, syntax, |node, around| {
        if syntax.is_type(node) {
            found.push(type_node(node, around, text));
        }
    });
    found
}

fn type_node<'tree>(node: Node<'tree>, around: Option<&TypeNode<'tree>>, text: &str) -> TypeNode<'tree> {
    let name = node.child_by_field_name("name").map_or("", |name| text_of(name, text));
    TypeNode { node, path: around.map_or_else(|| name.to_owned(), |outer| format!("{}.{name}", outer.path)) }
}

/// Visits types and methods outside of bodies, each with the type around it; a constant of an enumeration with a body
/// counts as one.
fn declarations<'tree>(
    root: Node<'tree>,
    text: &str,
    syntax: &Syntax,
    mut visit: impl FnMut(Node<'tree>, Option<&TypeNode<'tree>>),
) {
    let mut around: Vec<TypeNode<'tree>> = Vec::new();
    language::preorder(root, |node| {
        while around.last().is_some_and(|outer| outer.node.end_byte() <= node.start_byte()) {
            around.pop();
        }
        if syntax.is_type(node) || syntax.is_method(node) {
            visit(node, around.last());
        }
        if syntax.is_type(node) || syntax.enum_constants.contains(&node.kind()) {
            around.push(type_node(node, around.last(), text));
        }
        let is_body = syntax.fields.contains(&node.kind()) || syntax.initializers.contains(&node.kind());
        !syntax.is_method(node) && !is_body
    });
}

/// The members directly in the body of a type, through wrappers.
pub(super) fn members<'tree>(kind: Node<'tree>, syntax: &Syntax) -> Vec<Node<'tree>> {
    let mut found = Vec::new();
    let mut open: Vec<_> = kind.child_by_field_name("body").into_iter().collect();
    while let Some(next) = open.pop() {
        if syntax.member_lists.contains(&next.kind()) {
            open.extend(children(next).into_iter().rev());
        } else if next.is_named() {
            found.push(next);
        }
    }
    found
}

/// Names of the fields that a node declares.
pub(super) fn field_names(node: Node<'_>, text: &str, language: &dyn Language) -> Vec<String> {
    language.declared(node, text).into_iter().map(|(name, _)| name).collect()
}

/// A parameter type without generics, package, annotations, `final` and name, so that `final java.util.List<String> l`
/// and `List` are the same; varargs count as an array.
pub(super) fn bare_type(text: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    let plain = on_one_line(&plain).replace("...", "[] ").replace(" [", "[").replace("[ ]", "[]");
    let mut words = plain.split_whitespace().filter(|word| !word.starts_with('@') && *word != "final");
    let kind = words.next().unwrap_or("");
    // `int values[]`: the brackets may stand behind the name.
    let behind = words.next().map_or(0, |name| name.matches("[]").count());
    let (base, dimensions) = kind.split_once('[').map_or((kind, String::new()), |(b, d)| (b, format!("[{d}")));
    let base = base.rsplit('.').next().unwrap_or(base);
    format!("{base}{dimensions}{}", "[]".repeat(behind))
}

/// A method as people name it: `name`, `name(int, String)`, `Outer.Inner.name(int)`, `Outer#name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The type or a suffix of its path, when given.
    pub class: Option<String>,
    pub name: String,
    /// Parameter types, when given.
    pub params: Option<Vec<String>>,
}

impl Wanted {
    /// Reads the name; parameters say nothing where a name alone decides.
    pub(super) fn of(text: &str, language: &dyn Language) -> Self {
        let wanted = Self::parse(text);
        if language.has_overloads() { wanted } else { Self { params: None, ..wanted } }
    }

    /// Reads the name; modifiers and the return type of a whole signature are skipped.
    fn parse(text: &str) -> Self {
        let flat = on_one_line(text.trim().trim_matches('`'));
        let (head, params) = match flat.split_once('(') {
            Some((head, rest)) => (head, Some(split_params(rest.rsplit_once(')').map_or(rest, |(inner, _)| inner)))),
            None => (flat.as_str(), None),
        };
        let head = head.split_whitespace().next_back().unwrap_or("").replace(['#', '$'], ".").replace("::", ".");
        let (class, name) = match head.rsplit_once('.') {
            Some((class, name)) => (Some(class.to_owned()), name.to_owned()),
            None => (None, head),
        };
        // Class files call a constructor so.
        let name = match (&class, name.as_str()) {
            (Some(class), "<init>") => class.rsplit('.').next().unwrap_or(class).to_owned(),
            _ => name,
        };
        Self { class, name, params }
    }

    /// Whether the method is meant.
    pub(super) fn fits(&self, method: &MethodNode<'_>) -> bool {
        // Where no type is around a method, what stands before its name is the file's.
        let fits = |wanted: &str| method.class.is_empty() || ends_alike(&method.class, wanted);
        let class = self.class.as_deref().is_none_or(fits);
        class && self.name == method.name && self.params.as_ref().is_none_or(|params| *params == method.params)
    }
}

/// Whether one of two dotted paths is a suffix of the other: `a.b.Outer.Inner` and `Outer.Inner`.
pub(super) fn ends_alike(path: &str, other: &str) -> bool {
    let ends =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('.'));
    ends(path, other) || ends(other, path)
}

fn split_params(text: &str) -> Vec<String> {
    between_commas(text).into_iter().map(bare_type).collect()
}

/// The text of a declaration with its documentation and the indentation of its first line.
pub(super) fn whole_lines(node: Node<'_>, text: &str, language: &dyn Language) -> String {
    let documentation = language.documentation(node, text);
    let start = documentation.unwrap_or_else(|| language.whole(node)).start_byte();
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let start = if text[line..start].trim().is_empty() { line } else { start };
    text[start..node.end_byte()].to_owned()
}

/// Parses code that stands inside of a type; offsets in the tree are those of the returned text.
pub(super) fn parse_as_members(code: &str, language: &dyn Language) -> Option<(tree_sitter::Tree, Wrapped)> {
    let wrapped = language.wrapped(code);
    language::parse(&wrapped.text, language).map(|tree| (tree, wrapped))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Java;

    #[test]
    fn parameter_types_are_compared_bare() {
        for (text, bare) in [
            ("int", "int"),
            ("final java.util.Map<String, List<int[]>> m", "Map"),
            ("@Nullable String... names", "String[]"),
            ("String[]", "String[]"),
            ("int values[]", "int[]"),
            ("Map.Entry<K, V> e", "Entry"),
        ] {
            assert_eq!(bare_type(text), bare, "{text}");
        }
    }

    #[test]
    fn methods_are_named_in_many_ways() {
        let code = "package a; class Outer { Outer(int n) {} int f(java.util.List<String> l, int... n) { return 0; } int f() { return 1; } class Inner { void g() {} } enum E { A { void h() {} } } record R(int x) { R { } } }";
        let tree = language::parse(code, &Java).unwrap();
        let all = methods(tree.root_node(), code, &Java);
        let names = |text: &str| {
            let wanted = Wanted::parse(text);
            all.iter().filter(|m| wanted.fits(m)).map(MethodNode::qualified).collect::<Vec<_>>()
        };
        assert_eq!(names("f(List, int[])"), ["Outer.f(List,int[])"]);
        assert_eq!(names("public int f(List<String> l, int... n)"), ["Outer.f(List,int[])"]);
        assert_eq!(names("f").len(), 2);
        assert_eq!(names("f()"), ["Outer.f()"]);
        assert_eq!(names("a.Outer$Inner#g"), ["Outer.Inner.g()"]);
        assert_eq!(names("Inner.g()"), ["Outer.Inner.g()"]);
        assert_eq!(names("Outer(int)"), ["Outer.Outer(int)"]);
        assert_eq!(names("Outer.<init>(int)"), ["Outer.Outer(int)"]);
        assert_eq!(names("h"), ["Outer.E.A.h()"]);
        assert_eq!(names("R"), ["Outer.R.R(int)"]);
        assert!(names("Other.g").is_empty());
    }

    #[test]
    fn deep_nesting_costs_no_more_than_its_size() {
        let deep = 2000;
        let code = "class A { void f() {} ".repeat(deep) + &"}".repeat(deep);
        let tree = language::parse(&code, &Java).unwrap();
        let start = std::time::Instant::now();
        assert_eq!(members(types(tree.root_node(), &code, Java.syntax())[0].node, Java.syntax()).len(), 2);
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}
