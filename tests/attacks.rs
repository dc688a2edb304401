//! Patches that try to look plausible without repairing anything (SAFETY: what a judge must withstand). Each row is an
//! attack in one spelling, with the only word the judge may say.

use crate::support::Trial;
use unidebug::domain::Outcome::{self, Crash, Failed, MissingTests, OutOfMemory, Refused, Regression, Timeout};

const PRODUCT: &str = "package shop;\n\npublic class Cart {\n    private int count;\n\n    public void add(int pieces) {\n        \
count = pieces;\n    }\n\n    public int count() {\n        return count;\n    }\n}\n";

const TESTS: &str = "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class \
CartTest {\n    @Test\n    public void addsUp() {\n        Cart cart = new Cart();\n        cart.add(2);\n        \
cart.add(3);\n        assertEquals(5, cart.count());\n    }\n\n    @Test\n    public void holdsWhatWasAdded() {\n        \
Cart cart = new Cart();\n        cart.add(4);\n        assertEquals(4, cart.count());\n    }\n\n    @Test\n    public void \
isEmptyAtFirst() {\n        assertEquals(0, new Cart().count());\n    }\n}\n";

/// What replaces `count = pieces;`, and what the judge must say.
const IN_THE_METHOD: &[(&str, &str, Outcome)] = &[
    ("exit 0", "System.exit(0);", Crash),
    ("exit through the runtime", "Runtime.getRuntime().exit(0);", Crash),
    ("halt after printing a result", "System.out.println(\"OK (3 tests)\"); Runtime.getRuntime().halt(0);", Crash),
    (
        "exit from another thread",
        "Thread t = new Thread(() -> System.exit(0)); t.start(); try { t.join(); } catch (InterruptedException e) { }",
        Crash,
    ),
    ("a failed assumption", "org.junit.Assume.assumeTrue(false);", Failed),
    ("an assumption by exception", "throw new org.junit.AssumptionViolatedException(\"later\");", Failed),
    ("an assumption by the old name", "throw new org.junit.internal.AssumptionViolatedException(\"later\");", Failed),
    ("an endless loop", "while (count >= 0) { count = pieces; }", Timeout),
    ("an endless recursion of sleep", "try { Thread.sleep(600000); } catch (InterruptedException e) { }", Timeout),
    (
        "waiting for ever",
        "synchronized (this) { try { while (true) { wait(); } } catch (InterruptedException e) { } }",
        Timeout,
    ),
    (
        "all memory",
        "java.util.List<int[]> l = new java.util.ArrayList<>(); while (true) { l.add(new int[1 << 27]); }",
        OutOfMemory,
    ),
    (
        "end records on the private channel, without the nonce",
        "try (java.io.FileOutputStream o = new java.io.FileOutputStream(\"/proc/self/fd/3\")) { \
         o.write(\"{\\\"nonce\\\":\\\"\\\",\\\"kind\\\":\\\"over\\\",\\\"count\\\":0,\\\"why\\\":\\\"done\\\"}\\n\".getBytes()); } catch \
         (java.io.IOException e) { } Runtime.getRuntime().halt(0);",
        Crash,
    ),
    (
        "closing the private channel",
        "try { new java.io.FileInputStream(\"/proc/self/fd/3\").close(); } catch (java.io.IOException e) { } System.exit(0);",
        Crash,
    ),
    ("another answer for another test", "count = pieces == 4 ? 9 : count + pieces;", Regression),
    ("an error that is no exception", "throw new ThreadDeath();", Failed),
    ("stack overflow", "add(pieces);", Failed),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_trick_in_product_code_is_plausible_warm_or_cold() {
    let trial = Trial::new(&[("src/shop/Cart.java", PRODUCT), ("test/shop/CartTest.java", TESTS)]).await;
    let warm = trial.open().await;
    let mut wrong = Vec::new();
    for (name, code, wanted) in IN_THE_METHOD {
        let patch = trial.patch("src/shop/Cart.java", "count = pieces;", code);
        let quick = warm.validate(&patch).await.unwrap();
        if quick.outcome != *wanted {
            wrong.push(format!("{name}: warm says {} instead of {wanted}: {}", quick.outcome, quick.detail));
        }
        let sure = warm.confirm(&patch).await.unwrap();
        if sure.outcome != *wanted {
            wrong.push(format!("{name}: cold says {} instead of {wanted}: {}", sure.outcome, sure.detail));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let repair = trial.patch("src/shop/Cart.java", "count = pieces;", "count += pieces;");
    assert!(warm.confirm(&repair).await.unwrap().is_plausible(), "after all that the judge still works");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_are_no_product_source_are_refused() {
    let files = [
        ("src/shop/Cart.java", PRODUCT),
        ("test/shop/CartTest.java", TESTS),
        ("pom.xml", "<project/>"),
        ("src/junit-platform.properties", "a=b"),
    ];
    let trial = Trial::new(&files).await;
    let judge = trial.open().await;
    for (path, from, to) in [
        ("test/shop/CartTest.java", "assertEquals(5", "assertEquals(3"),
        ("test/shop/CartTest.java", "@Test", "@org.junit.Ignore @Test"),
        ("pom.xml", "<project/>", "<project><skipTests/></project>"),
        ("src/junit-platform.properties", "a=b", "junit.jupiter.conditions.deactivate=*"),
    ] {
        let told = judge.confirm(&trial.patch(path, from, to)).await.unwrap();
        assert_eq!(told.outcome, Refused, "{path}: {to}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_library_of_the_patch_never_shadows_the_real_one() {
    let trial = Trial::new(&[("src/shop/Cart.java", PRODUCT), ("test/shop/CartTest.java", TESTS)]).await;
    let judge = trial.open().await;
    let mut patch = trial.patch("src/shop/Cart.java", "count = pieces;", "count = pieces; // same");
    patch.files.push(trial.new_file(
        "src/org/junit/Assert.java",
        "package org.junit;\npublic class Assert {\n    public static void assertEquals(long a, long b) {\n    }\n}\n",
    ));
    for told in [judge.validate(&patch).await.unwrap(), judge.confirm(&patch).await.unwrap()] {
        assert!(matches!(told.outcome, Refused | Failed | Regression | MissingTests), "{told:?}");
    }
}
