//! Where a method is called, and which methods a call may mean.

use super::index::MethodAt;
use super::{Call, CodeIndex, Method, SourceFile, Type};
use crate::domain::RepoPath;
use crate::language::{Language, Owner, on_one_line, parse, simple_type};
use std::collections::HashSet;

/// Characters shown of a call that spans several lines.
const MAX_CALL_TEXT: usize = 240;
/// Types looked at while climbing through supertypes; also the guard against circles.
const MAX_CLIMB: usize = 32;
/// Overriding methods named for one call.
const MAX_OVERRIDES: usize = 8;

/// A use of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// The file that the use stands in.
    pub file: RepoPath,
    /// The type it stands in.
    pub class: String,
    /// The method it stands in as `name(Type,Type)`; `None` in an initialiser.
    pub method: Option<String>,
    /// Line, counted from 1.
    pub line: u32,
    /// The line, or the whole call on one line when it spans several.
    pub text: String,
}

/// Place of a type: file, type in the file.
type TypeAt = (usize, usize);

impl CodeIndex {
    /// All calls of methods or constructors of that name, in one file or in all, ordered by file and line.
    pub fn calls_to(&self, name: &str, only: Option<&RepoPath>) -> Vec<CallSite> {
        let mut sites = Vec::new();
        for file in self.files.iter().filter(|file| only.is_none_or(|only| *only == file.path)) {
            for kind in &file.types {
                let bodies = kind.methods.iter().map(|method| (Some(method), &method.calls));
                for (method, calls) in bodies.chain([(None, &kind.calls)]) {
                    sites.extend(calls.iter().filter(|call| call.name == name).map(|call| CallSite {
                        file: file.path.clone(),
                        class: kind.name.clone(),
                        method: method.map(Method::overload),
                        line: call.line,
                        text: shown(file, call),
                    }));
                }
            }
        }
        sites.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        sites.dedup();
        sites
    }

    /// The methods of the project a call may mean, the likeliest first: by the receiver's declared type where it is
    /// simply visible, through supertypes and to overriding methods, by arity. Empty for calls that leave the project.
    pub fn resolve_call(&self, from: &Method, call: &Call) -> Vec<&Method> {
        let Some(own) = self.place_of(from) else { return Vec::new() };
        let mut found: Vec<MethodAt> = match self.receiver(from, own, call) {
            Receiver::Types(types) => types.iter().flat_map(|&at| self.in_type(at, call, true)).collect(),
            Receiver::Enclosing => self.in_enclosing(own, call),
            Receiver::Unknown => self.anywhere(own, call),
        };
        let mut seen = HashSet::new();
        found.retain(|at| seen.insert(*at));
        found.into_iter().map(|at| self.method(at)).collect()
    }

    fn place_of(&self, method: &Method) -> Option<TypeAt> {
        let file = self.files.binary_search_by(|file| file.path.cmp(&method.file)).ok()?;
        let kind = self.files[file].types.iter().position(|kind| kind.name == method.class)?;
        Some((file, kind))
    }

    fn kind(&self, (file, kind): TypeAt) -> &Type {
        &self.files[file].types[kind]
    }

    /// The types of that simple name that a file sees: its own, imported, of its package; any when none of these is.
    fn visible(&self, file: usize, name: &str) -> Vec<TypeAt> {
        let from = &self.files[file];
        let all = self.types_named(name);
        let rank = |&(f, t): &TypeAt| {
            let other = &self.files[f];
            let full = super::index::full_name(other, &other.types[t]);
            let star = format!("{}.*", full.rsplit_once('.').map_or("", |(head, _)| head));
            let imports = |name: &str| from.imports.iter().any(|import| means(import, name));
            if f == file {
                0
            } else if imports(&full) {
                1
            } else if other.package == from.package && !other.types[t].name.contains('.') {
                2
            } else if imports(&star) {
                3
            } else {
                4
            }
        };
        let best = all.iter().map(rank).min();
        all.iter().copied().filter(|at| Some(rank(at)) == best).collect()
    }

    fn receiver(&self, from: &Method, own: TypeAt, call: &Call) -> Receiver {
        if call.constructs {
            return Receiver::Types(self.visible(own.0, &call.name));
        }
        let Some(text) = call.receiver.as_deref() else { return Receiver::Enclosing };
        match text {
            "this" => return Receiver::Enclosing,
            "super" => {
                let above = self.kind(own).supertypes.iter().flat_map(|name| self.visible(own.0, name));
                return Receiver::Types(above.collect());
            }
            _ => {}
        }
        match self.declared_type(from, own, text) {
            Some(name) => Receiver::Types(self.visible(own.0, &simple_type(&name))),
            None if is_name(text) && !self.visible(own.0, &simple_type(text)).is_empty() => {
                Receiver::Types(self.visible(own.0, &simple_type(text)))
            }
            // A capitalised name that is no type of the project is a type of a library.
            None if is_name(text) && simple_type(text).starts_with(char::is_uppercase) => Receiver::Types(Vec::new()),
            None => Receiver::Unknown,
        }
    }

    /// The declared type of a receiver that is a variable, a field, `this.field` or `new Foo(…)`.
    fn declared_type(&self, from: &Method, own: TypeAt, text: &str) -> Option<String> {
        if let Some(made) = text.strip_prefix("new ") {
            let end = made.find(['(', '<', '[', '{'])?;
            return made[end..].ends_with(')').then(|| made[..end].to_owned());
        }
        let field = text.strip_prefix("this.").unwrap_or(text);
        if !field.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            return None;
        }
        if field == text
            && let Some((_, kind)) = from.variables.iter().rev().find(|(name, _)| name == field)
        {
            return Some(kind.to_string());
        }
        let mut above: Vec<TypeAt> = self.enclosing(own);
        above.extend(self.climb(own));
        above.iter().find_map(|&at| self.kind(at).fields.iter().find(|f| f.name == field).map(|f| f.type_name.clone()))
    }

    /// A type and the types around it, innermost first.
    fn enclosing(&self, own: TypeAt) -> Vec<TypeAt> {
        let file = &self.files[own.0];
        let mut name = file.types[own.1].name.as_str();
        let mut found = vec![own];
        while let Some((outer, _)) = name.rsplit_once('.') {
            found.extend(file.types.iter().position(|kind| kind.name == outer).map(|at| (own.0, at)));
            name = outer;
        }
        found
    }

    /// Supertypes of a type in the project, nearest first, without the type itself.
    fn climb(&self, start: TypeAt) -> Vec<TypeAt> {
        let mut found = vec![start];
        let mut next = 0;
        while next < found.len() && found.len() < MAX_CLIMB {
            let at = found[next];
            for above in self.kind(at).supertypes.iter().flat_map(|name| self.visible(at.0, name)) {
                if !found.contains(&above) {
                    found.push(above);
                }
            }
            next += 1;
        }
        found.remove(0);
        found
    }

    fn own_methods(&self, at: TypeAt, call: &Call) -> Vec<MethodAt> {
        let methods = self.kind(at).methods.iter().enumerate();
        let named = |m: &Method| if call.constructs { m.constructor } else { m.name == call.name };
        let fits = |m: &Method| named(m) && takes(m, call);
        methods.filter(|(_, method)| fits(method)).map(|(m, _)| (at.0, at.1, m)).collect()
    }

    /// In the type, else in the nearest supertype that has it; then what overrides it, unless it cannot be overridden.
    fn in_type(&self, at: TypeAt, call: &Call, overrides: bool) -> Vec<MethodAt> {
        let climb = std::iter::once(at).chain(if call.constructs { Vec::new() } else { self.climb(at) });
        let mut found = climb.map(|at| self.own_methods(at, call)).find(|own| !own.is_empty()).unwrap_or_default();
        if overrides && !call.constructs && found.iter().any(|&at| !self.method(at).private) {
            let below = self.subtypes.get(self.kind(at).simple_name()).into_iter().flatten();
            found.extend(below.flat_map(|&below| self.own_methods(below, call)).take(MAX_OVERRIDES));
        }
        found
    }

    fn in_enclosing(&self, own: TypeAt, call: &Call) -> Vec<MethodAt> {
        let around = self.enclosing(own);
        let found = around.iter().map(|&at| self.in_type(at, call, true)).find(|found| !found.is_empty());
        found.unwrap_or_else(|| self.statically_imported(own.0, call))
    }

    fn statically_imported(&self, file: usize, call: &Call) -> Vec<MethodAt> {
        let mut found = Vec::new();
        for import in &self.files[file].imports {
            let import = import.strip_prefix("static ").unwrap_or(import).trim();
            let Some((class, member)) = import.rsplit_once('.') else { continue };
            if (member == "*" || member == call.name)
                && let Some((home, kind)) = self.class(class)
                && let Some(at) = self.type_place(home, kind)
            {
                found.extend(self.in_type(at, call, false));
            }
        }
        found
    }

    fn type_place(&self, home: &SourceFile, kind: &Type) -> Option<TypeAt> {
        let file = self.files.binary_search_by(|file| file.path.cmp(&home.path)).ok()?;
        Some((file, self.files[file].types.iter().position(|other| other.name == kind.name)?))
    }

    /// Without any knowledge of the receiver: methods of that name and arity that the file may know, nearest first.
    fn anywhere(&self, own: TypeAt, call: &Call) -> Vec<MethodAt> {
        let from = &self.files[own.0];
        let all = self.places_named(&call.name).iter().copied();
        let fitting: Vec<_> = all.filter(|&at| !self.method(at).constructor && takes(self.method(at), call)).collect();
        let near = |&(f, _, _): &MethodAt| {
            let other = &self.files[f];
            f == own.0 || other.package == from.package || from.imports.iter().any(|i| i.starts_with(&other.package))
        };
        let sources = |&(f, _, _): &MethodAt| from.test || !self.files[f].test;
        let mut close: Vec<_> = fitting.into_iter().filter(sources).filter(near).collect();
        close.sort_by_key(|&(f, _, _)| (f != own.0, f));
        close
    }
}

/// What is known of the object a method is called on.
enum Receiver {
    /// Its type is one of these; none of them when it lies outside the project.
    Types(Vec<TypeAt>),
    /// The object itself, or one around it.
    Enclosing,
    /// What this index cannot tell, such as the result of another call.
    Unknown,
}

/// Whether the method can take as many arguments as the call has.
fn takes(method: &Method, call: &Call) -> bool {
    let (least, most) = method.arity;
    call.reference || call.arity >= least && most.is_none_or(|most| call.arity <= most)
}

/// Whether an import means the full name. A module is imported by its path from where the program starts, which need
/// not be the top of the checkout.
fn means(import: &str, full: &str) -> bool {
    full.strip_suffix(import).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

/// Whether the text is a name with points: a variable, a type.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))
}

fn shown(file: &SourceFile, call: &Call) -> String {
    let whole = file.text.get(call.bytes.clone()).unwrap_or("");
    if !whole.contains('\n') {
        return file.line(call.line).unwrap_or("").trim().to_owned();
    }
    on_one_line(whole).chars().take(MAX_CALL_TEXT).collect()
}

/// Names of the methods and constructors that a snippet calls, each once, in order. The snippet need not be whole.
pub fn called_names(snippet: &str, language: &dyn Language) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let Some(tree) = parse(snippet, language) else { return names };
    let calls = language.body(tree.root_node(), snippet, Owner::default()).calls;
    for call in calls.into_iter().filter(|call| !call.reference && !call.name.is_empty()) {
        if !names.iter().any(|name| *name == call.name) {
            names.push(call.name.into());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use crate::code::outline::tests::fixture_index;

    const SOURCES: &[(&str, &str)] = &[
        (
            "src/p/Shape.java",
            "package p;\ninterface Shape {\n  double area();\n  default String label() { return name(); }\n  String name();\n}\n",
        ),
        (
            "src/p/Square.java",
            "package p;\nimport q.Tool;\nimport static q.Tool.twice;\nclass Square implements Shape {\n  private final Tool tool = new Tool(1);\n  \
             public double area() { return side() * twice(2); }\n  double side() { return tool.run(\"a\", 1, 2); }\n  \
             public String name() { return helper(3).trim(); }\n  private String helper(int n) { return \"\" + n; }\n  \
             private String helper(String s) { return s; }\n  class Inner { double f() { return side(); } }\n}\n",
        ),
        (
            "src/q/Tool.java",
            "package q;\npublic class Tool {\n  public Tool(int n) { this(n, 2); }\n  Tool(int a, int b) { }\n  \
             public double run(String s, int... n) { return n.length; }\n  public static int twice(int n) { return\n 2 * n; }\n}\n",
        ),
        (
            "test/p/SquareTest.java",
            "package p;\nclass SquareTest {\n  Shape made = new Square();\n  void t(Shape s) { s.area(); made.name(); java.util.List.of(1).size(); new Square().side(); }\n}\n",
        ),
    ];

    fn meant(method: &str) -> Vec<String> {
        let index = fixture_index(SOURCES);
        let from = index.methods().find(|m| m.qualified() == method).unwrap();
        let calls = from.calls.iter().flat_map(|call| {
            let found = index.resolve_call(from, call);
            let names: Vec<_> = found.iter().map(|m| m.qualified()).collect();
            [format!("{} -> {}", call.name, names.join(" "))]
        });
        calls.collect()
    }

    #[test]
    fn calls_are_resolved_by_receiver_arity_and_imports() {
        assert_eq!(meant("Square.area()"), ["side -> Square.side()", "twice -> Tool.twice(int)"]);
        assert_eq!(meant("Square.side()"), ["run -> Tool.run(String,int...)"]);
        assert_eq!(meant("Square.Inner.f()"), ["side -> Square.side()"]);
        assert_eq!(meant("Tool.Tool(int)"), ["Tool -> Tool.Tool(int,int)"]);
        assert_eq!(meant("Shape.label()"), ["name -> Shape.name() Square.name()"]);
    }

    #[test]
    fn overriding_methods_are_named_and_libraries_are_not_guessed() {
        let calls = meant("SquareTest.t(Shape)");
        assert_eq!(calls[0], "area -> Shape.area() Square.area()");
        assert_eq!(calls[1], "name -> Shape.name() Square.name()");
        assert!(calls.contains(&"side -> Square.side()".to_owned()));
        assert!(calls.contains(&"of -> ".to_owned()), "{calls:?}");
    }

    #[test]
    fn uses_are_found_in_bodies_and_initialisers() {
        let index = fixture_index(SOURCES);
        let sites = index.calls_to("Square", None);
        let places: Vec<_> = sites.iter().map(|site| (site.line, site.method.as_deref())).collect();
        assert_eq!(places, [(3, None), (4, Some("t(Shape)"))]);
        let only = index.files()[1].path.clone();
        assert_eq!(index.calls_to("twice", Some(&only)).len(), 1);
        assert_eq!(index.calls_to("twice", None)[0].text, "public double area() { return side() * twice(2); }");
    }
}
