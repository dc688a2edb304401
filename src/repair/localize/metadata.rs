//! What is known of the failing tests: where they are written, which statement failed, and a failure without the
//! frames of frameworks.

use crate::code::{CodeIndex, Method, SourceFile};
use crate::domain::{FailingTest, Failure, Frame, TestId, TestStatus, outer_class};
use crate::validate::{self, Baseline};
use std::sync::Arc;

/// Supertypes looked at in search of an inherited test method.
const MAX_CLIMB: usize = 8;

/// The triggering tests of a baseline, in its order, each with what is known of it.
pub fn failing_tests(index: &CodeIndex, baseline: &Baseline) -> Vec<FailingTest> {
    baseline.triggering.iter().map(|id| failing_test(index, baseline, id)).collect()
}

fn failing_test(index: &CodeIndex, baseline: &Baseline, id: &TestId) -> FailingTest {
    let result = baseline.report.results.get(id);
    let thrown = result.and_then(|result| result.failure.clone()).unwrap_or_default();
    let place = find_method(index, id);
    let failing_line = place.as_ref().and_then(|(_, method)| failing_line(&thrown, method));
    FailingTest {
        id: id.clone(),
        file: place
            .as_ref()
            .map(|(file, _)| file.path.clone())
            .or_else(|| Some(index.class(&id.class)?.0.path.clone())),
        span: place.as_ref().map(|(_, method)| method.span),
        failing_line,
        failure: clean(index, &thrown),
        timed_out: result.is_some_and(|result| result.status == TestStatus::TimedOut)
            || validate::clean::gave_up(&thrown),
    }
}

/// The test's method, in its class or in one that its class extends; where no class has the name that its runner gives,
/// the only one of its name among the tests.
fn find_method<'i>(index: &'i CodeIndex, id: &TestId) -> Option<(&'i Arc<SourceFile>, &'i Method)> {
    let Some((mut file, mut class)) = index.class(&id.class) else { return only_named(index, id.bare_method()) };
    for _ in 0..MAX_CLIMB {
        let mut overloads =
            class.methods.iter().filter(|method| method.name == id.bare_method() && !method.constructor);
        let annotated = overloads.clone().find(|method| method.annotations.iter().any(|a| a.contains("Test")));
        if let Some(method) = annotated.or_else(|| overloads.next()) {
            return Some((file, method));
        }
        (file, class) = class.supertypes.iter().find_map(|above| index.class(above))?;
    }
    None
}

fn only_named<'i>(index: &'i CodeIndex, name: &str) -> Option<(&'i Arc<SourceFile>, &'i Method)> {
    let tests = index.files().iter().filter(|file| file.test);
    let methods = |file: &'i Arc<SourceFile>| file.methods().map(move |method| (file, method));
    let mut named = tests.flat_map(methods).filter(|(_, method)| method.name == name);
    named.next().filter(|_| named.next().is_none())
}

/// The line of the innermost frame inside the test method: the statement that failed.
fn failing_line(failure: &Failure, method: &Method) -> Option<u32> {
    let in_method = |frame: &&Frame| frame.file.as_deref().is_none_or(|name| name == method.file.file_name());
    let lines = failure.frames.iter().filter(in_method).filter_map(|frame| frame.line);
    lines.into_iter().find(|line| method.span.contains(*line))
}

/// The failure as agents see it: as the judge cleans it, with frames of the project's own classes only.
fn clean(index: &CodeIndex, failure: &Failure) -> Failure {
    let mut clean = validate::clean::clean(failure);
    clean.frames.retain(|frame| is_own(index, frame));
    clean
}

/// Whether the frame's class belongs to the project; generated and anonymous classes count by their outer class.
fn is_own(index: &CodeIndex, frame: &Frame) -> bool {
    let outer = outer_class(&frame.class);
    let simple = outer.rsplit('.').next().unwrap_or(outer);
    let package = outer.strip_suffix(simple).unwrap_or("").trim_end_matches('.');
    index.class(outer).is_some_and(|(file, _)| file.package == package)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::{LineSpan, RepoPath, RunEnd, TestReport, TestResult};
    use crate::language::Java;
    use camino::Utf8Path;
    use std::collections::BTreeMap;
    use std::fs;

    const CART: &str = "package shop;
public class Cart {
    private int[] prices = new int[0];
    /** Sum of all prices. */
    public int total() {
        int sum = 0;
        for (int i = 1; i < prices.length; i++) {
            sum += prices[i];
        }
        return sum;
    }
    public void add(int price) {
        check(price);
        prices = java.util.Arrays.copyOf(prices, prices.length + 1);
        prices[prices.length - 1] = price;
    }
    private void check(int price) {
        if (price < 0) {
            throw new IllegalArgumentException(\"price \" + price);
        }
    }
    public boolean isEmpty() {
        return prices.length == 0;
    }
}
";
    const MONEY: &str = "package shop;
public class Money {
    static String show(int cents) {
        return cents / 100 + \".\" + cents % 100;
    }
}
";
    const CART_TEST: &str = "package shop;
import org.junit.Test;
import static org.junit.Assert.*;
public class CartTest extends Shared {
    @Test public void total() {
        Cart cart = new Cart();
        cart.add(3);
        cart.add(4);
        assertEquals(7, cart.total());
    }
}
";
    const SHARED: &str = "package shop;
public abstract class Shared {
    @org.junit.Test public void inherited() {
        new Cart().isEmpty();
    }
}
";

    /// A small shop with a cart, whose first price is forgotten, and its tests.
    pub(in crate::localize) fn shop() -> CodeIndex {
        shop_with(&[])
    }

    pub(in crate::localize) fn shop_with(more: &[(&str, &str)]) -> CodeIndex {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let files = [
            ("src/shop/Cart.java", CART),
            ("src/shop/Money.java", MONEY),
            ("test/shop/CartTest.java", CART_TEST),
            ("test/shop/Shared.java", SHARED),
        ];
        for (path, text) in files.iter().chain(more) {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        CodeIndex::build(root, &[RepoPath::new("src").unwrap()], &[RepoPath::new("test").unwrap()], &Java)
    }

    pub(in crate::localize) fn frame(class: &str, method: &str, line: u32) -> Frame {
        let outer = class.rsplit('.').next().unwrap().split('$').next().unwrap();
        Frame { class: class.into(), method: method.into(), file: Some(format!("{outer}.java")), line: Some(line) }
    }

    pub(in crate::localize) fn baseline(method: &str, failure: Failure, status: TestStatus) -> Baseline {
        let id = TestId::new("shop.CartTest", method);
        let result = TestResult { id: id.clone(), status, failure: Some(failure), millis: 3, loss: None };
        let results = BTreeMap::from([(id.clone(), result)]);
        let report = TestReport { end: RunEnd::Complete, results, output_tail: String::new() };
        Baseline { report: report.into(), triggering: vec![id], ..Baseline::default() }
    }

    pub(in crate::localize) fn wrong_total() -> Failure {
        Failure {
            kind: "java.lang.AssertionError".into(),
            message: "expected:<7> but was:<4>".into(),
            frames: vec![
                frame("org.junit.Assert", "assertEquals", 115),
                frame("shop.CartTest", "total", 9),
                frame("java.lang.reflect.Method", "invoke", 500),
            ],
        }
    }

    #[test]
    fn the_failing_statement_is_found_and_framework_frames_are_gone() {
        let index = shop();
        let tests = failing_tests(&index, &baseline("total", wrong_total(), TestStatus::Failed));
        let test = &tests[0];
        assert_eq!(test.file.as_ref().unwrap().as_str(), "test/shop/CartTest.java");
        assert_eq!(test.span, Some(LineSpan { first: 5, last: 10 }));
        assert_eq!(test.failing_line, Some(9));
        assert_eq!(test.failure.frames, [frame("shop.CartTest", "total", 9)]);
        assert!(!test.timed_out);
    }

    #[test]
    fn a_time_limit_of_the_framework_is_a_time_out() {
        let index = shop();
        let failure = Failure {
            kind: "org.junit.runners.model.TestTimedOutException".into(),
            message: "test timed out after 3000 milliseconds".into(),
            frames: vec![frame("shop.Cart", "total", 7)],
        };
        let tests = failing_tests(&index, &baseline("total", failure, TestStatus::Failed));
        assert!(tests[0].timed_out);
    }

    #[test]
    fn inherited_tests_are_found_in_the_class_that_declares_them() {
        let index = shop();
        let tests = failing_tests(&index, &baseline("inherited[2]", Failure::default(), TestStatus::TimedOut));
        assert_eq!(tests[0].file.as_ref().unwrap().as_str(), "test/shop/Shared.java");
        assert_eq!(tests[0].span, Some(LineSpan { first: 3, last: 5 }));
        assert!(tests[0].timed_out && tests[0].failing_line.is_none());
    }
}
