//! Arguments that the code says may be absent: drawn inputs leave them out.

use super::{judged, name, whole};
use crate::support::{folder_of, unidebug};

#[test]
fn none_tells_patches_apart_where_the_code_asks_for_it() {
    let code = "def is_english(locale):\n    if locale is None and locale.startswith('en'):\n        return True\n    \
                return False\n";
    let tests = "from m import is_english\n\n\ndef test_english():\n    assert is_english('en_GB')\n\n\n\
                 def test_german():\n    assert not is_english('de')\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("locale is None and ", to));
    let object = judged(code, tests, &[patch("wrong", ""), patch("right", "locale is None or ")]);
    let patches = object["patches"].as_array().unwrap();
    assert_eq!(patches.iter().map(name).collect::<Vec<_>>(), ["right", "wrong"], "{object:#}");
    let results = |at: usize| patches[at]["behaviour"]["results"][0].to_string();
    assert_eq!(results(0), r#"["is_english(locale=None)","returns True"]"#);
    assert_eq!(results(1), r#"["is_english(locale=None)","raises AttributeError"]"#);
}

#[test]
fn null_tells_patches_apart_where_the_code_asks_for_it() {
    let code = "package text;\n\npublic class Words {\n    public static boolean isEnglish(String locale) {\n        \
                return locale == null && locale.startsWith(\"en\");\n    }\n}\n";
    let test = "package text;\n\nimport static org.junit.Assert.*;\nimport org.junit.Test;\n\npublic class WordsTest {\n    \
                @Test public void english() {\n        assertTrue(Words.isEnglish(\"en_GB\"));\n    }\n\n    \
                @Test public void german() {\n        assertFalse(Words.isEnglish(\"de\"));\n    }\n}\n";
    let diff = |to: &str| whole(code, &code.replace("locale == null && ", to)).replace("m.py", "src/text/Words.java");
    let (right, wrong) = (diff("locale == null || "), diff(""));
    let folder = folder_of(&[
        ("p/src/text/Words.java", code),
        ("p/test/text/WordsTest.java", test),
        ("right.diff", &right),
        ("wrong.diff", &wrong),
    ]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["judge", &path("p"), "--patch", &path("wrong.diff"), "--patch", &path("right.diff"), "--json"];
    let object = unidebug(&words).expect_code(0).json();
    let patches = object["patches"].as_array().unwrap();
    assert_eq!(patches.iter().map(name).collect::<Vec<_>>(), ["right", "wrong"], "{object:#}");
    let result = patches[1]["behaviour"]["results"][0].to_string();
    assert!(result.contains("locale=null") && result.contains("NullPointerException"), "{result}");
}
