//! How a test is written that runs many times.
//!
//! Each run has an instance of the test's class of its own, made ready as the framework does it, where the class is simple
//! enough for that; else the test's statements run again and again on one instance. A run that fails before three passed
//! fails the test with its own failure.

use super::change::{Change, Kind};
use super::java::LEAVING as LEAVE_JAVA;
use super::python::LEAVING as LEAVE_PYTHON;
use crate::language::{children, preorder, text_of};
use tree_sitter::Node;

/// What a test says that passed and then fails for good.
pub(super) const SAID: &str = "a control: it passed at first";
/// What it says when some of its runs fail, before the numbers of the first of them.
pub(super) const SOME: &str = "a control: it fails in some runs: ";

/// How a test is repeated.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) jumps: Jumps,
    /// How often at most.
    pub(super) most: u32,
    /// For how long at most.
    pub(super) millis: u32,
}

/// Whether the clock jumps while a test is repeated: only for a patch that asks for the time more often than before, since
/// the dates of a test may be those of its day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jumps {
    Once,
    Never,
}

impl How {
    fn write(self, text: &str) -> String {
        let jumps = if self.jumps == Jumps::Once { "True" } else { "False" };
        text.replace("CLOCK_JUMPS", jumps)
            .replace("MOST_TIMES", &self.most.to_string())
            .replace("MOST_MILLIS", &self.millis.to_string())
    }
}

const BEFORE_JAVA: &str = " int controlPassed = 0; int controlFailed = 0; int controlAll = 0; String controlRuns = \"\"; long \
     controlSince = System.nanoTime(); for (int controlNth = 0; controlNth < MOST_TIMES && controlFailed < 3 && (controlNth < 1 || \
     System.nanoTime() - controlSince < MOST_MILLIS * 1000000L); controlNth++) { try {";
const AFTER_JAVA: &str = " controlPassed++; controlFailed = 0; } catch (Throwable controlWhy) { if (controlPassed < 3) throw \
     controlWhy; controlFailed++; controlAll++; if (controlAll <= 3) controlRuns += controlNth + \" \"; } } if (controlFailed \
     >= 3) throw new AssertionError(\"a control: it passed at first\"); if (controlAll >= 3) throw new AssertionError(\"a control: \
     it fails in some runs: \" + controlRuns); ";

/// Annotations and names of what runs before and after each test.
const MAKES_READY: (&[&str], &str) = (&["Before", "BeforeEach"], "setUp");
const CLEANS_UP: (&[&str], &str) = (&["After", "AfterEach"], "tearDown");
/// What gives an instance something that is not in its own code.
const OUTSIDE: &[&str] = &[
    "@Rule",
    "@ClassRule",
    "@RegisterExtension",
    "@ExtendWith",
    "@RunWith",
    "@TempDir",
    "@Parameter",
    "@Mock",
    "@Inject",
];

/// Both ways, the better one last.
pub(super) fn in_java(method: Node<'_>, text: &str, how: How) -> Vec<Change> {
    [on_one_instance(method, text, how), on_instances(method, text, how)].into_iter().flatten().collect()
}

fn on_one_instance(method: Node<'_>, text: &str, how: How) -> Option<Change> {
    let parts = children(method.child_by_field_name("body")?);
    let (open, close) = (parts.first()?, parts.last()?);
    if parts.iter().any(|part| LEAVE_JAVA.is_in(*part)) {
        return None;
    }
    let edits = vec![
        (open.end_byte()..open.end_byte(), how.write(BEFORE_JAVA)),
        (close.start_byte()..close.start_byte(), format!("\n{AFTER_JAVA}")),
    ];
    Some(Change::of(Kind::Sure, method, text, edits))
}

fn on_instances(method: Node<'_>, text: &str, how: How) -> Option<Change> {
    let class = std::iter::successors(method.parent(), |up| up.parent()).find(|up| up.kind() == "class_declaration")?;
    let (head, members) = (class.child_by_field_name("superclass"), class.child_by_field_name("body")?);
    let is_plain = head.is_none_or(|head| text_of(head, text).trim_end().ends_with("TestCase"));
    if !is_plain || OUTSIDE.iter().any(|word| text_of(class, text).contains(word)) {
        return None;
    }
    let calls = |(annotations, named): (&[&str], &str)| -> String {
        let own = children(members).into_iter().filter(|node| node.kind() == "method_declaration");
        let names = own.filter(|node| is_one(*node, annotations, named, text));
        names.filter_map(|node| node.child_by_field_name("name")).map(|name| call(text_of(name, text))).collect()
    };
    let own = text_of(class.child_by_field_name("name")?, text);
    let test = call(text_of(method.child_by_field_name("name")?, text));
    let (before, after) = (calls(MAKES_READY), calls(CLEANS_UP));
    let run = format!(" {own} controlOwn = new {own}();{before}{test}{after}");
    let written = format!("{{{}{run}{AFTER_JAVA}}}", how.write(BEFORE_JAVA));
    let body = method.child_by_field_name("body")?;
    let declared = children(method).into_iter().find(|child| child.kind() == "throws");
    let throws = declared.map_or(body.start_byte()..body.start_byte(), |node| node.byte_range());
    let edits = vec![(throws, "throws Throwable ".to_owned()), (body.byte_range(), written)];
    Some(Change::of(Kind::Sure, method, text, edits))
}

fn call(name: &str) -> String {
    format!(" controlOwn.{name}();")
}

/// Whether a method without parameters has one of these annotations, or this name.
fn is_one(method: Node<'_>, annotations: &[&str], named: &str, text: &str) -> bool {
    let modifiers = children(method).into_iter().find(|child| child.kind() == "modifiers");
    let marks: Vec<Node<'_>> = modifiers.map(children).unwrap_or_default();
    let name_of = |node: Node<'_>| node.child_by_field_name("name").map(|name| text_of(name, text).to_owned());
    let is_marked = marks.iter().any(|mark| name_of(*mark).is_some_and(|name| annotations.contains(&name.as_str())));
    let takes_nothing = method.child_by_field_name("parameters").is_some_and(|all| all.named_child_count() == 0);
    takes_nothing && (is_marked || name_of(method).as_deref() == Some(named))
}

const PYTHON: &str = include_str!("again.py");

/// The only way: a decorator, which decides by what the test is given.
pub(super) fn in_python(function: Node<'_>, text: &str, how: How) -> Vec<Change> {
    decorated(function, text, how).into_iter().collect()
}

fn decorated(function: Node<'_>, text: &str, how: How) -> Option<Change> {
    let mut is_plain = !text_of(function, text).trim_start().starts_with("async");
    preorder(function, |node| {
        is_plain &= node.kind() != "yield";
        is_plain && !LEAVE_PYTHON.not_in.contains(&node.kind()) || node.id() == function.id()
    });
    let whole = function.parent().filter(|up| up.kind() == "decorated_definition").unwrap_or(function);
    let indent = |node: Node<'_>| text.get(..node.start_byte())?.rsplit('\n').next().map(str::to_owned);
    let margin = indent(whole).filter(|margin| is_plain && margin.trim().is_empty())?;
    let of_class = if margin.is_empty() { "False" } else { "True" };
    let helper = how.write(PYTHON).replace("OF_A_CLASS", of_class);
    let helper: String = helper.lines().map(|line| format!("{line}\n{margin}")).collect();
    let mark = format!("@control_again\n{margin}");
    let edits = if whole.id() == function.id() {
        vec![(function.start_byte()..function.start_byte(), format!("{helper}{mark}"))]
    } else {
        vec![(whole.start_byte()..whole.start_byte(), helper), (function.start_byte()..function.start_byte(), mark)]
    };
    Some(Change::of(Kind::Sure, function, text, edits))
}

#[cfg(test)]
mod tests {
    use super::super::trial::{TestCode, in_code};
    use super::*;
    use crate::domain::RepoPath;
    use crate::language::{Java, Language, Python};

    const HOW: How = How { jumps: Jumps::Never, most: 200, millis: 100 };

    /// The changed forms of a test.
    fn forms(text: &str, id: &str, language: &dyn Language) -> Vec<String> {
        let file = RepoPath::new("T").unwrap();
        let changes = |test: &TestCode<'_>| match test.method {
            Some(method) if language.is_indented() => in_python(method, test.text, HOW),
            Some(method) => in_java(method, test.text, HOW),
            None => Vec::new(),
        };
        let written = |change: Change| {
            let mut text = text.to_owned();
            let edits = change.edits.into_iter().rev();
            edits.for_each(|(range, new)| text.replace_range(range, &new));
            text
        };
        in_code(text, &id.parse().unwrap(), &file, language, changes).into_iter().map(written).collect()
    }

    #[test]
    fn a_test_is_repeated_unless_it_ends_early_or_waits() {
        for (body, wanted) in [
            ("assertTrue(a.is());", 2),
            ("if (a.is()) { return; } assertTrue(a.is());", 1),
            ("run(() -> { return 1; });", 2),
        ] {
            assert_eq!(forms(&format!("class T {{ void x() {{ {body} }} }}"), "T#x", &Java).len(), wanted, "{body}");
        }
        for (text, wanted) in [
            ("def test_x():\n    assert f()\n", 1),
            ("@mark\ndef test_x(a):\n    assert f(a)\n", 1),
            ("async def test_x():\n    assert await f()\n", 0),
            ("def test_x():\n    yield f()\n", 0),
        ] {
            assert_eq!(forms(text, "test_a#test_x", &Python).len(), wanted, "{text}");
        }
    }

    #[test]
    fn each_run_has_an_instance_that_is_made_ready() {
        let text = "class T { @Before public void begin() {} @Test public void x() throws E { f(); } @After public void end() {} }";
        let form = forms(text, "T#x", &Java).pop().unwrap();
        assert!(
            form.contains("T controlOwn = new T(); controlOwn.begin(); controlOwn.x(); controlOwn.end();"),
            "{form}"
        );
        assert!(form.contains("x() throws Throwable"), "{form}");
        for text in [
            "class T extends Base { void x() { f(); } }",
            "class T { @Rule public Folder folder = new Folder(); void x() { f(); } }",
        ] {
            assert!(!forms(text, "T#x", &Java).iter().any(|form| form.contains("controlOwn")), "{text}");
        }
        let text = "class T extends TestCase { public void setUp() {} public void testX() { f(); } }";
        assert!(forms(text, "T#testX", &Java).pop().unwrap().contains("controlOwn.setUp(); controlOwn.testX();"));
    }
}
