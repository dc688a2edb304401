//! Projects with more than one bug: `run` works on one and names the others, `run --all` works on one after the other.

use crate::support::{unidebug, write_files};
use camino::Utf8Path;

const CART: &str = "public class Cart {
    static int total(int... prices) {
        int sum = 0;
        for (int i = 1; i < prices.length; i++) {
            sum += prices[i];
        }
        return sum;
    }
}
";
const TAX: &str = "public class Tax {
    static boolean free(int price) {
        return price <= 10;
    }
}
";
const TESTS: [(&str, &str); 2] = [
    (
        "test/CartTest.java",
        "public class CartTest {
    @org.junit.Test public void sums() { org.junit.Assert.assertEquals(6, Cart.total(1, 2, 3)); }
    @org.junit.Test public void one() { org.junit.Assert.assertEquals(7, Cart.total(7)); }
    @org.junit.Test public void nothing() { org.junit.Assert.assertEquals(0, Cart.total()); }
}
",
    ),
    (
        "test/TaxTest.java",
        "public class TaxTest {
    @org.junit.Test public void ten() { org.junit.Assert.assertFalse(Tax.free(10)); }
    @org.junit.Test public void nine() { org.junit.Assert.assertTrue(Tax.free(9)); }
}
",
    ),
];

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    write_files(root, &[("src/Cart.java", CART), ("src/Tax.java", TAX)]);
    write_files(root, &TESTS);
    folder
}

#[test]
fn all_bugs_of_a_project_are_repaired_one_after_the_other() {
    let folder = project();
    let path = folder.path().to_str().unwrap();
    let done = unidebug(&["run", path, "--all", "--apply", "--model", "builtin"]);
    done.expect_code(0);
    let (first, second) = done.stdout.split_once("TaxTest#ten").unwrap_or_else(|| panic!("{done}"));
    assert!(first.starts_with("CartTest#one, CartTest#sums") && first.contains("+++ b/src/Cart.java"), "{done}");
    assert!(second.contains("+++ b/src/Tax.java"), "{done}");
    assert!(done.stderr.contains("bug 2 of 2: TaxTest#ten"), "{done}");
    assert!(std::fs::read_to_string(folder.path().join("src/Tax.java")).unwrap().contains("price < 10"), "{done}");
    let again = unidebug(&["run", path, "--model", "builtin"]);
    assert!(again.stderr.contains("nothing to repair"), "{again}");
}

#[test]
fn programs_are_told_of_all_bugs_in_one_object() {
    let folder = project();
    let out = folder.path().join("runs");
    let words = ["run", folder.path().to_str().unwrap(), "--all", "--json", "--quiet", "--model", "builtin"];
    let done = unidebug(&[&words[..], &["--out", out.to_str().unwrap()]].concat());
    done.expect_code(0);
    let object = done.json();
    let bugs = object["bugs"].as_array().unwrap();
    let verdicts: Vec<_> = bugs.iter().map(|bug| (&bug["failing"][0], &bug["report"]["verdict"])).collect();
    assert_eq!(verdicts, [(&"CartTest#one".into(), &"plausible".into()), (&"TaxTest#ten".into(), &"plausible".into())]);
    for nth in ["1", "2"] {
        assert!(out.join(nth).join("report.json").is_file(), "each has a run directory: {done}");
    }
}
