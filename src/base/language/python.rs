//! Python 3. A file is a module, and a module is the type around its functions, classes and statements.

mod body;
mod declaration;

use super::{Body, Brackets, Language, Modifiers, Module, Owner, Parameter, Syntax, Wrapped, children, text_of};
use crate::domain::RepoPath;
use camino::Utf8Path;
use tree_sitter::Node;

/// Node kinds of tree-sitter-python.
static SYNTAX: Syntax = Syntax {
    comments: &["comment"],
    types: &["class_definition"],
    methods: &["function_definition"],
    constructors: &[],
    fields: &["expression_statement"],
    member_lists: &[
        "block",
        "decorated_definition",
        "if_statement",
        "elif_clause",
        "else_clause",
        "try_statement",
        "except_clause",
        "finally_clause",
        "with_statement",
    ],
    enum_constants: &[],
    initializers: &["for_statement", "while_statement", "match_statement", "assert_statement", "raise_statement"],
    imports: &["import_statement", "import_from_statement", "future_import_statement"],
    packages: &[],
    loops: &["for_statement", "while_statement"],
    unsigned: &[":"],
    brackets: Brackets { opens: ":", closes: "", ends: "" },
};

/// Modules that decide what a test result is: a file of that name, wherever it lies, could replace them.
const OF_TESTS: &[&str] = &[
    "pytest",
    "_pytest",
    "pluggy",
    "unittest",
    "doctest",
    "coverage",
    "sitecustomize",
    "usercustomize",
    "conftest",
    "__main__",
];

/// Modules of the standard library that tests lean on: at the top of the search path a file of that name hides them.
const OF_THE_PLATFORM: &[&str] = &[
    "abc",
    "ast",
    "asyncio",
    "atexit",
    "builtins",
    "codecs",
    "collections",
    "contextlib",
    "copy",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "errno",
    "faulthandler",
    "fractions",
    "functools",
    "gc",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "linecache",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "random",
    "re",
    "runpy",
    "shutil",
    "signal",
    "site",
    "statistics",
    "string",
    "subprocess",
    "sys",
    "sysconfig",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "warnings",
    "weakref",
];

/// Statements that do something when they are reached.
const EFFECTIVE: &[&str] = &[
    "expression_statement",
    "return_statement",
    "if_statement",
    "elif_clause",
    "raise_statement",
    "assert_statement",
    "delete_statement",
    "with_statement",
    "match_statement",
    "case_clause",
    "break_statement",
    "continue_statement",
];

/// The Python language.
#[derive(Debug)]
pub struct Python;

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }
    fn title(&self) -> &'static str {
        "Python"
    }
    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_python::LANGUAGE.into()
    }
    fn line_comment(&self) -> &'static str {
        "#"
    }
    fn block_comment(&self) -> Option<(&'static str, &'static str)> {
        None
    }
    fn syntax(&self) -> &'static Syntax {
        &SYNTAX
    }
    fn extension(&self) -> &'static str {
        "py"
    }
    fn charset<'t>(&self, text: &'t str) -> Option<&'t str> {
        super::readings::coding_cookie(text)
    }
    fn is_indented(&self) -> bool {
        true
    }
    fn has_overloads(&self) -> bool {
        false
    }
    fn module(&self, path: &RepoPath) -> Option<Module> {
        let mut parts: Vec<&str> = path.as_str().strip_suffix(".py")?.split('/').collect();
        if parts.len() > 1 && parts.last() == Some(&"__init__") {
            parts.pop();
        }
        let name = parts.pop()?.to_owned();
        Some(Module { package: parts.join("."), name })
    }
    fn is_test_name(&self, stem: &str) -> bool {
        stem.starts_with("test_") || stem.ends_with("_test") || ["conftest", "test", "tests"].contains(&stem)
    }
    fn foreign(&self, inside: &Utf8Path, _: &str) -> Option<String> {
        let mut parts = inside.as_str().trim_end_matches(".py").split('/');
        let top = parts.clone().next().filter(|top| OF_THE_PLATFORM.contains(top));
        let name = parts.find(|part| OF_TESTS.contains(part)).or(top)?;
        Some(format!("the module `{name}`"))
    }

    /// Comments, and texts that stand alone: they document or disable, and nothing depends on them.
    fn is_comment(&self, node: Node<'_>, _: &str) -> bool {
        SYNTAX.is_comment(node) || declaration::is_text(node)
    }
    fn whole<'tree>(&self, node: Node<'tree>) -> Node<'tree> {
        node.parent().filter(|parent| parent.kind() == "decorated_definition").unwrap_or(node)
    }
    fn docstring<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        let body = node.child_by_field_name("body").unwrap_or(node);
        let first = children(body).into_iter().find(|child| !SYNTAX.is_comment(*child))?;
        declaration::is_text(first).then_some(first)
    }
    fn modifiers(&self, node: Node<'_>, text: &str) -> Modifiers {
        declaration::modifiers(self.whole(node), node, text)
    }
    fn parameters(&self, list: Node<'_>, text: &str) -> Vec<Parameter> {
        declaration::parameters(list, text)
    }
    fn supertypes(&self, node: Node<'_>, text: &str) -> Vec<String> {
        declaration::supertypes(node, text)
    }
    fn declared(&self, field: Node<'_>, text: &str) -> Vec<(String, String)> {
        declaration::declared(field, text)
    }
    fn annotations_end(&self, node: Node<'_>, _: &str) -> Option<usize> {
        (self.whole(node).id() != node.id()).then(|| node.start_byte())
    }
    fn imports(&self, node: Node<'_>, text: &str, file: &RepoPath) -> Vec<String> {
        declaration::imports(node, text, file)
    }
    fn is_import(&self, line: &str) -> bool {
        line.starts_with("import ") || line.starts_with("from ") && line.contains(" import ")
    }
    fn is_type_name(&self, _: &str) -> bool {
        true
    }
    fn body(&self, node: Node<'_>, text: &str, owner: Owner<'_>) -> Body {
        body::body(node, text, owner)
    }
    fn executes(&self, node: Node<'_>) -> bool {
        (EFFECTIVE.contains(&node.kind()) || SYNTAX.loops.contains(&node.kind())) && !declaration::is_text(node)
    }
    fn assigned<'t>(&self, statement: Node<'_>, text: &'t str) -> Option<&'t str> {
        let inner = statement.named_child(0).filter(|_| statement.kind() == "expression_statement")?;
        let target = inner.child_by_field_name("left").filter(|_| inner.kind().ends_with("assignment"))?;
        (target.kind() == "identifier").then(|| text_of(target, text))
    }
    fn wrapped(&self, members: &str) -> Wrapped {
        Wrapped { text: format!("{}\n", dedented(members)), class: "" }
    }
}

/// The code without the indentation that all of its lines have.
fn dedented(code: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = code.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines: Vec<&str> = code.lines().map(|line| line.get(common..).unwrap_or("")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::parse;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    #[test]
    fn a_file_is_a_module_and_a_folder_its_package() {
        let named = |text: &str| Python.module(&path(text)).map(|module| (module.package, module.name));
        let pair = |package: &str, name: &str| Some((package.to_owned(), name.to_owned()));
        assert_eq!(named("gcd.py"), pair("", "gcd"));
        assert_eq!(named("src/shop/cart.py"), pair("src.shop", "cart"));
        assert_eq!(named("shop/__init__.py"), pair("", "shop"));
        assert_eq!(named("__init__.py"), pair("", "__init__"));
        assert_eq!(named("README.md"), None);
    }

    #[test]
    fn files_that_would_replace_the_judge_are_told() {
        for inside in ["pytest.py", "a/unittest/__init__.py", "json.py", "sitecustomize.py", "a/conftest.py"] {
            assert!(Python.foreign(inside.into(), "").is_some(), "{inside}");
        }
        for inside in ["shop/json.py", "cart.py", "shop/io/reader.py"] {
            assert_eq!(Python.foreign(inside.into(), ""), None, "{inside}");
        }
    }

    #[test]
    fn imports_are_full_names() {
        let code = "import a.b, c as d\nfrom .cart import Cart as C, total\nfrom .. import money\nfrom x import *\nfrom __future__ import annotations\n";
        let tree = parse(code, &Python).unwrap();
        let nodes = children(tree.root_node()).into_iter();
        let found: Vec<String> =
            nodes.flat_map(|node| Python.imports(node, code, &path("src/shop/order.py"))).collect();
        assert_eq!(found, ["a.b", "c", "src.shop.cart.Cart", "src.shop.cart.total", "src.money", "x.*"]);
    }

    #[test]
    fn a_docstring_is_the_first_text_and_a_lone_text_is_no_code() {
        let code = "def f(a):\n    # why\n    \"\"\"Adds one. More.\"\"\"\n    return a + 1\n\"\"\"tail\"\"\"\n";
        let tree = parse(code, &Python).unwrap();
        let all = children(tree.root_node());
        assert!(text_of(Python.docstring(all[0]).unwrap(), code).contains("Adds one"));
        assert!(Python.is_comment(all[1], code) && !Python.executes(all[1]) && !Python.is_comment(all[0], code));
        assert!(Python.docstring(tree.root_node()).is_none());
    }

    #[test]
    fn members_are_read_at_any_indentation() {
        assert_eq!(Python.wrapped("    def f(self):\n\n        return 1").text, "def f(self):\n\n    return 1\n");
    }
}
