use super::*;
use crate::code::CodeIndex;
use crate::language::Java;
use camino::Utf8Path;
use proptest::prelude::*;
use std::sync::LazyLock;

/// An index over files written to a temporary folder, sources in `src`, tests in `test`.
pub(in crate::code) fn fixture_index(files: &[(&str, &str)]) -> CodeIndex {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let roots = |name: &str| [RepoPath::new(name).unwrap()];
    CodeIndex::build(root, &roots("src"), &roots("test"), &Java)
}

fn outlined(text: &str) -> SourceFile {
    outline_text(&RepoPath::new("src/a/Bag.java").unwrap(), text, &Java)
}

const BAG: &str = r#"package a.b;

import java.util.List;
import static java.lang.Math.max;

/**
 * Holds {@code things}, <b>many</b>. And more.
 */
@Deprecated
public final class Bag<T extends Comparable<T>> extends Base<T> implements java.io.Serializable, Shape {
    private static final int SIZE = 4, LIMIT = max(1, 2);

    /** Makes one. */
    public Bag(final int n, @Nullable String... names) throws Oops {
        super(n);
    }

    @Override
    @SuppressWarnings("unchecked")
    protected <E> List<E> all(int[] a, java.util.Map<String, List<T>> m, int b[]) {
        for (T one : m.get("x")) { one.run(1, 2); Runnable r = () -> helper(3); }
        List<E> made = new java.util.ArrayList<>(4);
        names.forEach(System.out::println);
        return made;
    }

    abstract void none();

    enum Op { PLUS { int of(int a) { return a; } }, MINUS; int of(int a) { return -a; } }

    record Point(int x, int y) { Point { check(x); } int sum() { return x + y; } }

    interface In { int SIX = 6; default int six() { return SIX; } }

    @interface Mark { String value() default "x"; }
}
"#;

#[test]
fn types_of_every_kind_are_outlined() {
    let file = outlined(BAG);
    assert!(!file.broken);
    assert_eq!(file.package, "a.b");
    assert_eq!(file.imports, ["java.util.List", "static java.lang.Math.max"]);
    let names: Vec<_> = file.types.iter().map(|kind| (kind.name.as_str(), kind.kind)).collect();
    let expected = [
        ("Bag", TypeKind::Class),
        ("Bag.Op", TypeKind::Enum),
        ("Bag.Op.PLUS", TypeKind::Class),
        ("Bag.Point", TypeKind::Record),
        ("Bag.In", TypeKind::Interface),
        ("Bag.Mark", TypeKind::Annotation),
    ];
    assert_eq!(names, expected);
    let bag = &file.types[0];
    assert_eq!(bag.supertypes, ["Base", "Serializable", "Shape"]);
    assert_eq!(bag.summary.as_deref(), Some("Holds things, many"));
    let head = "public final class Bag<T extends Comparable<T>> extends Base<T> implements java.io.Serializable, Shape";
    assert_eq!(bag.signature, head);
    let fields: Vec<_> = bag.fields.iter().map(|field| (field.name.as_str(), field.type_name.as_str())).collect();
    assert_eq!(fields, [("SIZE", "int"), ("LIMIT", "int")]);
    assert_eq!(bag.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["max"]);
}

#[test]
fn methods_have_overloads_spans_and_calls() {
    let file = outlined(BAG);
    let methods: Vec<_> = file.methods().map(Method::qualified).collect();
    let expected = [
        "Bag.Bag(int,String...)",
        "Bag.all(int[],java.util.Map<String, List<T>>,int[])",
        "Bag.none()",
        "Bag.Op.of(int)",
        "Bag.Op.PLUS.of(int)",
        "Bag.Point.Point(int,int)",
        "Bag.Point.sum()",
        "Bag.In.six()",
        "Bag.Mark.value()",
    ];
    assert_eq!(methods, expected);
    let all = file.methods().nth(1).unwrap();
    assert_eq!(all.annotations, ["Override", "SuppressWarnings"]);
    assert_eq!(all.signature, "protected <E> List<E> all(int[] a, java.util.Map<String, List<T>> m, int b[])");
    let calls: Vec<_> = all.calls.iter().map(|c| (c.name.as_str(), c.receiver.as_deref(), c.arity)).collect();
    let expected = [
        ("get", Some("m"), 1),
        ("run", Some("one"), 2),
        ("helper", None, 1),
        ("ArrayList", None, 1),
        ("forEach", Some("names"), 1),
        ("println", Some("System.out"), 0),
    ];
    assert_eq!(calls, expected);
    assert!(all.variables.contains(&("one".into(), "T".into())));
    assert!(all.variables.contains(&("made".into(), "List<E>".into())));
    assert!(file.text[all.bytes.clone()].starts_with("@Override") && file.text[all.bytes.clone()].ends_with('}'));
    assert_eq!((all.span.first, all.body.unwrap().first), (18, 20));
    let made = file.methods().next().unwrap();
    assert!(made.constructor && made.doc_first == 13 && made.summary.as_deref() == Some("Makes one"));
    assert_eq!((made.calls[0].name.as_str(), made.calls[0].constructs), ("Base", true));
    assert!(file.methods().nth(2).unwrap().body.is_none());
}

#[test]
fn broken_code_gives_what_can_be_read() {
    let file = outlined("class A {\n  int f() { return 1; }\n  int g( { return 2; }\n  int h() { return 3; }\n");
    assert!(file.broken);
    assert!(file.methods().any(|m| m.name == "f"), "{:?}", file.types);
    let loose = outlined("int f() { return 1; }");
    assert_eq!(loose.methods().map(Method::qualified).collect::<Vec<_>>(), ["Bag.f()"]);
}

#[test]
fn lines_are_exact_whatever_ends_them() {
    let file = outlined("a\r\nb\n\nd");
    let lines: Vec<_> = (0..=5).map(|n| file.line(n)).collect();
    assert_eq!(lines, [None, Some("a"), Some("b"), Some(""), Some("d"), None]);
    assert_eq!(file.lines(LineSpan { first: 1, last: 2 }), "a\r\nb");
    assert_eq!(file.lines(LineSpan { first: 3, last: 99 }), "\nd");
    assert_eq!((outlined("").line_count(), outlined("x\n").line_count()), (0, 1));
}

#[test]
fn the_index_finds_files_types_and_methods() {
    let index = fixture_index(&[
        ("src/a/b/Bag.java", BAG),
        ("src/c/Two.java", "package c; class Two {} class Hidden { void f() {} }"),
        ("src/c/notes.txt", "class Nothing {}"),
        ("test/a/b/BagTest.java", "package a.b;\nclass BagTest {\n  void adds() {\n  }\n}\n"),
    ]);
    let paths: Vec<_> = index.files().iter().map(|file| (file.path.as_str(), file.test)).collect();
    assert_eq!(paths, [("src/a/b/Bag.java", false), ("src/c/Two.java", false), ("test/a/b/BagTest.java", true)]);
    assert_eq!(index.class("a.b.Bag$Op").unwrap().1.name, "Bag.Op");
    assert_eq!(index.class("Op").unwrap().1.name, "Bag.Op");
    assert!(index.class("a.b.Nope").is_none());
    assert_eq!(index.resolve("c.Hidden").unwrap().path.as_str(), "src/c/Two.java");
    let test = RepoPath::new("test/a/b/BagTest.java").unwrap();
    assert_eq!(index.method_at(&test, 3).unwrap().overload(), "adds()");
    assert!(index.method_at(&test, 1).is_none());
    assert_eq!(index.methods_named("of").count(), 2);
}

#[test]
fn foreign_files_are_read_or_left_out_but_never_followed_out() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    std::fs::write(root.join("src/Latin.java"), b"class Latin { String s() { return \"\xe9\"; } }").unwrap();
    std::fs::write(root.join("src/Nul.java"), b"class Nul { \0 }").unwrap();
    std::fs::write(root.join("src/Big.java"), vec![b' '; 6 * 1024 * 1024]).unwrap();
    std::fs::write(root.join("Outside.java"), b"class Outside {}").unwrap();
    std::os::unix::fs::symlink("../Outside.java", root.join("src/Link.java")).unwrap();
    std::os::unix::fs::symlink("..", root.join("src/loop")).unwrap();
    let index = CodeIndex::build(root, &[RepoPath::new("src").unwrap()], &[], &Java);
    assert_eq!(index.files().len(), 1);
    assert_eq!(index.text(index.methods().next().unwrap()), "String s() { return \"é\"; }");
}

/// One index for all questions: what is asked does not change it.
static INDEX: LazyLock<CodeIndex> = LazyLock::new(|| fixture_index(&[("src/a/b/Bag.java", BAG)]));

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_the_outline(text in "[a-z{}()<>@;,.\"'/*\n é]{0,200}") {
        let file = outlined(&text);
        for method in file.methods() {
            prop_assert!(file.text.get(method.bytes.clone()).is_some());
        }
    }

    #[test]
    fn no_question_breaks_the_index(text in "[a-zA-Z_.$/#() é]{0,40}", line in any::<u32>()) {
        let index = &*INDEX;
        let hits = index.search(std::slice::from_ref(&text), 3);
        prop_assert!(hits.hits.len() <= 3 && hits.hits.len() <= hits.total);
        let _ = (index.resolve(&text), index.class(&text), index.calls_to(&text, None));
        let _ = index.method_at(&index.files()[0].path, line);
        let rest = LineSpan { first: line, last: u32::MAX };
        prop_assert!(index.files()[0].lines(rest).len() <= BAG.len());
    }
}
