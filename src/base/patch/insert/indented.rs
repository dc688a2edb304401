//! Places in files whose layout is code: imports and constants behind the imports, methods at the end of the main class,
//! functions and classes at the end of the file.

use super::{Insertions, flattened};
use crate::language::{children, first_line, last_line};
use crate::patch::indent::{self, indent_of};
use crate::patch::members::{TypeNode, members, parse_as_members};
use crate::patch::original::{Splice, written_lines};
use tree_sitter::Node;

/// The edits for everything taken.
pub(super) fn splices(taken: &Insertions<'_>) -> Vec<Splice> {
    let mut splices = Vec::new();
    let top = taken.behind_imports();
    let mut imports = taken.imports.clone();
    imports.sort();
    let mut lines = imports;
    if !taken.fields.is_empty() {
        lines.push(String::new());
        lines.extend(taken.fields.iter().flat_map(|code| indent::moved(&written_lines(code), "", taken.language)));
    }
    if !lines.is_empty() {
        if top == 0 {
            lines.push(String::new());
        }
        splices.push(taken.file.replace_lines(top..top, &lines));
    }
    for code in &taken.others {
        splices.extend(taken.other(code));
    }
    splices
}

impl Insertions<'_> {
    /// The line, counted from 0, in front of which new imports go.
    fn behind_imports(&self) -> usize {
        let root = self.tree.root_node();
        let last = self.import_nodes().last().copied().or_else(|| self.language.docstring(root));
        last.map_or(0, |node| last_line(node) as usize)
    }

    fn other(&self, code: &str) -> Option<Splice> {
        let class = self.main_type().filter(|_| self.is_method(code));
        let (line, indent, gap) = match &class {
            Some(class) => (last_line(class.node) as usize, self.step(class), 1),
            None => (self.end_of_declarations(), String::new(), 2),
        };
        let mut lines = vec![String::new(); gap];
        lines.extend(indent::moved(&written_lines(code), &indent, self.language));
        if class.is_none() && line < self.file.line_count() {
            lines.extend(vec![String::new(); gap]);
        }
        Some(self.file.replace_lines(line..line, &lines))
    }

    /// Whether code is a function whose first parameter is an object or its class.
    fn is_method(&self, code: &str) -> bool {
        let Some((tree, wrapped)) = parse_as_members(code, self.language) else { return false };
        let syntax = self.language.syntax();
        let function = flattened(tree.root_node(), self.language).into_iter().find(|node| syntax.is_method(*node));
        let list = function.and_then(|function| function.child_by_field_name("parameters"));
        let first = list.and_then(|list| self.language.parameters(list, &wrapped.text).into_iter().next());
        first.is_some_and(|first| ["self", "cls"].contains(&first.name.as_str()))
    }

    /// The indentation of the class's members.
    fn step(&self, class: &TypeNode<'_>) -> String {
        let first = members(class.node, self.language.syntax()).into_iter().next();
        let line = |node: Node<'_>| self.file.line(first_line(node) as usize - 1);
        let outer = indent_of(line(class.node));
        let inner = first.map_or("", |node| indent_of(line(node)));
        if inner.len() > outer.len() { inner.to_owned() } else { format!("{outer}    ") }
    }

    /// The line in front of what the file does when it is run, else its end.
    fn end_of_declarations(&self) -> usize {
        let is_run = |node: &Node<'_>| {
            let condition = node.child_by_field_name("condition").filter(|_| node.kind() == "if_statement");
            condition.is_some_and(|condition| self.file.text[condition.byte_range()].contains("__main__"))
        };
        let run = children(self.tree.root_node()).into_iter().find(is_run);
        run.map_or(self.file.line_count(), |node| first_line(node) as usize - 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::RepoPath;
    use crate::language::Python;
    use crate::patch::{Edits, MethodEdit, Originals, Policy, apply};
    use std::sync::Arc;

    const CART: &str = "\"\"\"A cart.\"\"\"\n\nimport math\n\n\nclass Cart:\n    @property\n    def size(self):\n        return 1\n\n    def add(self, n):\n        self.n = n\n\n\nif __name__ == \"__main__\":\n    print(Cart().size)\n";

    struct Files;
    impl Originals for Files {
        fn read(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
            (path.as_str() == "shop/cart.py").then(|| CART.as_bytes().into())
        }
    }

    fn edited(method: Option<&str>, code: &str) -> Result<String, String> {
        let policy = Policy::new(vec![RepoPath::default()], vec![], &Python);
        let edit =
            MethodEdit { file_path: "shop/cart.py".into(), method: method.map(str::to_owned), code: code.into() };
        let patch = apply(&Edits::Methods(vec![edit]), &Files, &policy).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(patch.files[0].after.to_vec()).unwrap())
    }

    #[test]
    fn a_method_is_replaced_at_its_indentation_and_keeps_its_decorators() {
        let added = CART.replace("self.n = n", "self.n += n");
        for code in ["def add(self, n):\n    self.n += n", "    def add(self, n):\n        self.n += n\n"] {
            for name in ["add", "Cart.add(self, n)", "cart.Cart.add(n)"] {
                assert_eq!(edited(Some(name), code).unwrap(), added, "{name}");
            }
        }
        let sized = edited(Some("size"), "def size(self):\n    return 2").unwrap();
        assert_eq!(sized, CART.replace("return 1", "return 2"));
        let cached = edited(Some("size"), "@cached\ndef size(self):\n    return 1").unwrap();
        assert_eq!(cached, CART.replace("@property", "@cached"));
        assert!(edited(Some("gone"), "def other():\n    pass").unwrap_err().contains("it declares `other`"));
    }

    #[test]
    fn members_go_where_they_belong() {
        let import = edited(None, "from decimal import Decimal").unwrap();
        assert!(import.contains("import math\nfrom decimal import Decimal\n\n\nclass"), "{import}");
        let method = edited(None, "def left(self):\n    return 0").unwrap();
        assert!(method.contains("self.n = n\n\n    def left(self):\n        return 0\n"), "{method}");
        let function = edited(None, "def total(carts):\n    return 0").unwrap();
        assert!(function.contains("\n\n\ndef total(carts):\n    return 0\n\n\nif __name__"), "{function}");
        let constant = edited(None, "MOST = 10").unwrap();
        assert!(constant.contains("import math\n\nMOST = 10\n"), "{constant}");
        assert!(edited(None, "class Cart:\n    pass").unwrap_err().contains("a type `Cart` already"));
        assert!(edited(None, "return 1").unwrap_err().contains("no whole member"));
    }
}
