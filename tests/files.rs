//! What a patch may do to files besides changing them: add, delete, rename, and change data of the product.

use crate::support::Trial;
use unidebug::domain::{FileChange, Outcome, Patch, RepoPath, Validation};

const RATE: &str = "package shop;\n\nclass Rate {\n    static int of() {\n        return 3;\n    }\n}\n";
const OLD: &str = "package shop;\n\nclass Old {\n}\n";
const SHOP: &str = "package shop;\n\npublic class Shop {\n    public int price(int n) {\n        return n * Rate.of();\n    }\n\n    \
public String name() throws java.io.IOException {\n        java.util.Properties all = new java.util.Properties();\n        \
all.load(Shop.class.getResourceAsStream(\"/shop/names.properties\"));\n        return all.getProperty(\"name\");\n    }\n}\n";
const TEST: &str = "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n\
public class ShopTest {\n    @Test\n    public void price() {\n        assertEquals(8, new Shop().price(4));\n    }\n\n    \
@Test\n    public void name() throws Exception {\n        assertEquals(\"corner\", new Shop().name());\n    }\n}\n";

/// Where tests lie is found by the first folder of its name.
const PLACE: &str = "package shop;
import static org.junit.Assert.*;
import org.junit.Test;
public class PlaceTest {
    @Test public void liesBesideItself() throws Exception {
        assertTrue(new java.io.File(getClass().getResource(\".\").toURI().resolve(\"PlaceTest.class\")).isFile());
    }
}
";

/// A shop with a wrong rate, and with this name in its resources.
async fn shop(rate: &str, name: &str) -> Trial {
    let names = format!("name={name}\n");
    let mut trial = Trial::new(&[
        ("src/shop/Rate.java", rate),
        ("src/shop/Old.java", OLD),
        ("src/shop/Shop.java", SHOP),
        ("data/shop/names.properties", &names),
        ("data/META-INF/services/shop.Plugin", "shop.None\n"),
        ("test/shop/ShopTest.java", TEST),
        ("test/shop/PlaceTest.java", PLACE),
    ])
    .await;
    trial.checkout.project.resources = vec![RepoPath::new("data").unwrap()];
    trial
}

/// Changes of whole files; no text deletes one.
fn files(trial: &Trial, all: &[(&str, Option<&str>)]) -> Patch {
    let change = |(path, text): &(&str, Option<&str>)| {
        let path = RepoPath::new(path).unwrap();
        let before = std::fs::read(path.under(&trial.checkout.root)).ok().map(Into::into);
        FileChange { path, before, after: text.unwrap_or_default().as_bytes().into() }
    };
    Patch { files: all.iter().map(change).collect() }
}

/// The words for patches, each warm and confirmed.
async fn words(trial: &Trial, all: &[(&str, Outcome, Patch)]) -> Vec<String> {
    let judge = trial.open().await;
    let mut wrong = Vec::new();
    for (name, wanted, patch) in all {
        let validation: Validation = judge.verdict(patch).await.unwrap().validation;
        if validation.outcome != *wanted {
            wrong.push(format!("{name}: {}, not {wanted}: {}", validation.outcome, validation.detail));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_java_come_go_and_get_other_names() {
    let trial = shop(RATE, "corner").await;
    let right = RATE.replace("return 3", "return 2");
    let renamed = right.replace("Rate", "Tariff");
    let user = SHOP.replace("Rate", "Tariff");
    let rows = [
        (
            "a file goes with the repair",
            Outcome::Plausible,
            vec![("src/shop/Rate.java", Some(right.as_str())), ("src/shop/Old.java", None)],
        ),
        (
            "a file gets another name",
            Outcome::Plausible,
            vec![
                ("src/shop/Rate.java", None),
                ("src/shop/Shop.java", Some(user.as_str())),
                ("src/shop/Tariff.java", Some(renamed.as_str())),
            ],
        ),
        ("a file goes that others need", Outcome::Failed, vec![("src/shop/Rate.java", None)]),
        ("a test goes", Outcome::Refused, vec![("test/shop/ShopTest.java", None)]),
    ];
    let rows = rows.map(|(name, wanted, all)| (name, wanted, files(&trial, &all)));
    let wrong = words(&trial, &rows).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn data_of_the_product_may_change_and_what_decides_about_code_may_not() {
    let right = RATE.replace("return 3", "return 2");
    let trial = shop(&right, "somewhere").await;
    let rows = [
        ("the data that is wrong", Outcome::Plausible, ("data/shop/names.properties", "name=corner\n")),
        ("data that is wrong otherwise", Outcome::Failed, ("data/shop/names.properties", "name=else\n")),
        ("a service", Outcome::Refused, ("data/META-INF/services/shop.Plugin", "shop.Other\n")),
        ("settings of a framework", Outcome::Refused, ("data/junit-platform.properties", "a=b\n")),
    ];
    let rows = rows.map(|(name, wanted, (path, text))| (name, wanted, files(&trial, &[(path, Some(text))])));
    let wrong = words(&trial, &rows).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_and_data_of_python_too() {
    let shop = "import json\nimport os\nfrom shop.rate import rate\n\n\ndef price(n):\n    return n * rate()\n\n\ndef name():\n    \
                with open(os.path.join(os.path.dirname(__file__), 'names.json')) as file:\n        return json.load(file)['name']\n";
    let rate = "def rate():\n    return 2\n";
    let trial = Trial::python(&[
        ("shop/__init__.py", ""),
        ("shop/shop.py", shop),
        ("shop/rate.py", rate),
        ("shop/old.py", "old = 1\n"),
        ("shop/names.json", "{\"name\": \"somewhere\"}\n"),
        ("tests/test_shop.py", "from shop.shop import name, price\n\n\ndef test_name():\n    assert name() == 'corner'\n\n\ndef test_price():\n    assert price(4) == 8\n"),
    ])
    .await;
    let data = ("shop/names.json", Some("{\"name\": \"corner\"}\n"));
    let user = shop.replace("shop.rate", "shop.tariff");
    let rows = [
        ("the data that is wrong", Outcome::Plausible, vec![data]),
        ("a module goes with the repair", Outcome::Plausible, vec![data, ("shop/old.py", None)]),
        (
            "a module gets another name",
            Outcome::Plausible,
            vec![data, ("shop/rate.py", None), ("shop/shop.py", Some(user.as_str())), ("shop/tariff.py", Some(rate))],
        ),
        ("a module goes that others need", Outcome::Failed, vec![data, ("shop/rate.py", None)]),
        ("data beside the packages", Outcome::Refused, vec![("names.json", Some("{}\n"))]),
        ("a test goes", Outcome::Refused, vec![("tests/test_shop.py", None)]),
    ];
    let rows = rows.map(|(name, wanted, all)| (name, wanted, files(&trial, &all)));
    let wrong = words(&trial, &rows).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
