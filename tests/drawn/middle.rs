//! A failing test that fails in the middle of many inputs: others are drawn near the one that it fails for.

use super::{judged, name, whole};
use crate::support::{folder_of, unidebug};
use serde_json::Value;

/// What the judge says of a patch that repairs what a test asks for, and of one that repairs no more than its one input.
fn only_the_narrow_one_is_warned_of(object: &Value) {
    let patches = object["patches"].as_array().unwrap();
    assert_eq!(patches.len(), 2);
    for patch in patches {
        let reasons = patch["confidence"]["reasons"].to_string();
        let is_narrow = reasons.contains("only what those tests give does");
        assert_eq!(is_narrow, name(patch) == "narrow", "{object:#}");
    }
}

#[test]
fn in_python_inputs_near_the_failing_one_are_drawn() {
    let code = "def size(text):\n    if len(text) > 6:\n        raise ValueError(text)\n    return int(text, 16)\n";
    let asked = |from: u32| {
        let lines = (from..from + 3).map(|n| format!("    assert size('{n:#x}') == {n}\n"));
        lines.collect::<String>()
    };
    let (first, last) = (asked(1), asked(0xa1));
    let tests = format!(
        "import pytest\n\nfrom m import size\n\n\ndef test_sizes():\n{first}    assert size('0x12345') == 74565\n{last}\n\n\
         def test_long():\n    with pytest.raises(ValueError):\n        size('0x123456789')\n"
    );
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("len(text) > 6", to));
    let narrow = patch("narrow", "len(text) > 6 and sum(text.encode()) != 423");
    only_the_narrow_one_is_warned_of(&judged(code, &tests, &[patch("right", "len(text) > 10"), narrow]));
}

#[test]
fn in_java_inputs_near_the_failing_one_are_drawn() {
    let code = "package text;\n\npublic class Sizes {\n    public static long size(String text) {\n        \
                if (text.length() > 6) {\n            throw new NumberFormatException(text);\n        }\n        \
                return Long.decode(text);\n    }\n}\n";
    let asked = |from: u32| {
        let lines = (from..from + 4).map(|n| format!("        assertEquals({n}, Sizes.size(\"{n:#x}\"));\n"));
        lines.collect::<String>()
    };
    let (first, last) = (asked(1), asked(0xa1));
    let test = format!(
        "package text;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class SizesTest {{\n    \
         @Test public void sizes() {{\n{first}        assertEquals(74565, Sizes.size(\"0x12345\"));\n{last}    }}\n\n    \
         @Test(expected = NumberFormatException.class) public void tooLong() {{\n        \
         Sizes.size(\"0x123456789\");\n    }}\n}}\n"
    );
    let diff = |to: &str| whole(code, &code.replace("text.length() > 6", to)).replace("m.py", "src/text/Sizes.java");
    let (right, narrow) = (diff("text.length() > 10"), diff("text.length() > 6 && text.hashCode() != -1162172693"));
    let folder = folder_of(&[
        ("p/src/text/Sizes.java", code),
        ("p/test/text/SizesTest.java", &test),
        ("right.diff", &right),
        ("narrow.diff", &narrow),
    ]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["judge", &path("p"), "--patch", &path("narrow.diff"), "--patch", &path("right.diff"), "--json"];
    only_the_narrow_one_is_warned_of(&unidebug(&words).expect_code(0).json());
}
