//! Which tests a warm process runs for a candidate, and when it is believed: small projects, real test processes.

use crate::support::Trial;
use unidebug::domain::Outcome;

const CART: &str = "package a;\npublic class Cart {\n  public static int total(int x, int y) {\n    return x - y;\n  }\n  public \
                    static String name() {\n    return \"cart\";\n  }\n}\n";
const CART_TEST: &str = "package a;\nimport org.junit.*;\npublic class CartTest {\n  @Test public void adds() { \
                         Assert.assertEquals(7, Cart.total(3, 4)); }\n  @Test public void keeps() { Assert.assertEquals(3, \
                         Cart.total(3, 0)); }\n}\n";

#[tokio::test]
async fn tests_that_execute_nothing_of_the_change_are_left_to_the_confirmation() {
    let name_test = "package a;\nimport org.junit.*;\npublic class NameTest {\n  static String name;\n  @BeforeClass public \
                     static void ask() { name = Cart.name(); }\n  @Test public void isKept() { \
                     Assert.assertEquals(\"cart\", name); }\n}\n";
    // Slow, and without executing it this one looks at the class all the same.
    let slow_test = "package a;\nimport java.io.*;\nimport org.junit.*;\npublic class SlowTest {\n  @Test public void waits() \
                     throws Exception { Thread.sleep(1500); }\n  @Test public void looks() throws IOException {\n    \
                     StringBuilder all = new StringBuilder();\n    try (InputStream in = \
                     Cart.class.getResourceAsStream(\"Cart.class\")) { for (int c = in.read(); c >= 0; c = in.read()) \
                     all.append((char) c); }\n    Assert.assertEquals(-1, all.indexOf(\"planted\"));\n  }\n}\n";
    let trial = Trial::new(&[
        ("src/a/Cart.java", CART),
        ("test/a/CartTest.java", CART_TEST),
        ("test/a/NameTest.java", name_test),
        ("test/a/SlowTest.java", slow_test),
    ])
    .await;
    let judge = trial.open().await;
    let rename = "x + y;\n  }\n  public static String name() {\n    return \"basket\"";
    let rows = [
        ("x - y", "x + y", Outcome::PassedWarm, Outcome::Plausible),
        ("x - y", "\"planted\".length() * 0 + x + y", Outcome::PassedWarm, Outcome::Regression),
        (
            "x - y;\n  }\n  public static String name() {\n    return \"cart\"",
            rename,
            Outcome::Regression,
            Outcome::Regression,
        ),
    ];
    for (from, to, warm, cold) in rows {
        let patch = trial.patch("src/a/Cart.java", from, to);
        let validation = judge.screen_one(&patch).await.unwrap();
        assert_eq!(validation.outcome, warm, "{to}: {validation:?}");
        let validation = judge.judge().confirm(&patch).await.unwrap();
        assert_eq!(validation.outcome, cold, "{to}: {validation:?}");
    }
}

#[tokio::test]
async fn a_test_that_passes_in_no_warm_process_speaks_against_no_candidate_there() {
    let loader_test = "package a;\nimport org.junit.*;\npublic class LoaderTest {\n  @Test public void isTheUsual() { \
                       Assert.assertSame(ClassLoader.getSystemClassLoader(), Cart.class.getClassLoader()); }\n  @Test public \
                       void named() { Assert.assertEquals(\"cart\", Cart.name()); }\n}\n";
    let trial = Trial::new(&[
        ("src/a/Cart.java", CART),
        ("test/a/CartTest.java", CART_TEST),
        ("test/a/LoaderTest.java", loader_test),
    ])
    .await;
    let judge = trial.open().await;
    let wrong = trial.patch(
        "src/a/Cart.java",
        "x - y;\n  }\n  public static String name() {\n    return \"cart\"",
        "x + y;\n  }\n  public static String name() {\n    return \"c\"",
    );
    let validation = judge.screen_one(&wrong).await.unwrap();
    assert_eq!(validation.outcome, Outcome::Regression, "{validation:?}");
    assert!(validation.failing.iter().all(|(id, _)| id.method == "named"), "{validation:?}");
    let right = trial.patch("src/a/Cart.java", "x - y", "x + y");
    assert_eq!(judge.screen_one(&right).await.unwrap().outcome, Outcome::PassedWarm);
    assert!(judge.judge().confirm(&right).await.unwrap().is_plausible());
}
