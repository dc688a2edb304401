//! Results that hold nothing until they are asked, and texts of parts.

use super::{judged, name, whole};
use crate::support::{folder_of, unidebug};

/// Results of the patches on the first input where they part, each patch by its name.
fn results(object: &serde_json::Value) -> Vec<(String, String)> {
    let patches = object["patches"].as_array().unwrap();
    patches.iter().map(|patch| (name(patch).to_owned(), patch["behaviour"]["results"].to_string())).collect()
}

#[test]
fn items_of_an_iterator_tell_patches_apart() {
    let code = "def short(words, most):\n    return filter(lambda word: len(word) < most, words)\n";
    let tests = "from m import short\n\n\ndef test_short():\n    assert list(short(['ab', 'abc'], 3)) == ['ab', 'abc']\n\n\n\
                 def test_none():\n    assert list(short(['abcdefg'], 3)) == []\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("< most", to));
    let object = judged(code, tests, &[patch("wide", "< most + 3"), patch("right", "<= most")]);
    let results = results(&object);
    assert_eq!(results[0].0, "right", "{object:#}");
    assert_ne!(results[0].1, results[1].1, "told apart: {object:#}");
}

/// Judges a right and a wide patch of a method in Java, and tells which comes first and what they give.
fn judged_in_java(signature: &str, body: &str, asked: &str) -> Vec<(String, String)> {
    let code = format!(
        "package text;\n\nimport java.util.*;\nimport java.util.stream.*;\n\npublic class Words {{\n    public static \
         {signature} few(List<String> words, int most) {{\n        return {body};\n    }}\n}}\n"
    );
    let test = format!(
        "package text;\n\nimport static org.junit.Assert.*;\nimport java.util.Arrays;\nimport org.junit.Test;\n\npublic class \
         WordsTest {{\n    @Test public void few() {{\n        assertEquals(2, Words.few(Arrays.asList(\"ab\", \"abc\"), \
         3).{asked});\n    }}\n\n    @Test public void none() {{\n        assertEquals(0, \
         Words.few(Arrays.asList(\"abcdefg\"), 3).{asked});\n    }}\n}}\n"
    );
    let diff = |to: &str| whole(&code, &code.replace("< most", to)).replace("m.py", "src/text/Words.java");
    let (right, wide) = (diff("<= most"), diff("< most + 3"));
    let folder = folder_of(&[
        ("p/src/text/Words.java", &code),
        ("p/test/text/WordsTest.java", &test),
        ("right.diff", &right),
        ("wide.diff", &wide),
    ]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let words = ["judge", &path("p"), "--patch", &path("wide.diff"), "--patch", &path("right.diff"), "--json"];
    results(&unidebug(&words).expect_code(0).json())
}

#[test]
fn items_of_a_stream_tell_patches_apart() {
    let found = judged_in_java("Stream<String>", "words.stream().filter(word -> word.length() < most)", "count()");
    assert_eq!(found[0].0, "right", "{found:?}");
    assert_ne!(found[0].1, found[1].1, "told apart: {found:?}");
}

#[test]
fn items_of_a_view_tell_patches_apart() {
    let body = "Collections.unmodifiableList(words.stream().filter(word -> word.length() < most).collect(Collectors.toList()))";
    let found = judged_in_java("List<String>", body, "size()");
    assert_eq!(found[0].0, "right", "{found:?}");
    assert_ne!(found[0].1, found[1].1, "told apart: {found:?}");
}

#[test]
fn a_text_of_parts_is_drawn_with_its_last_part_twice() {
    let code = "def endings(name):\n    return name.split('.')[1:][-1:]\n";
    let tests = "from m import endings\n\n\ndef test_two():\n    assert endings('a.tar.gz') == ['tar', 'gz']\n";
    let patch = |name: &str, to: &str| (name.to_owned(), code.replace("[1:][-1:]", to));
    let object = judged(code, tests, &[patch("two", "[1:][-2:]"), patch("all", "[1:]")]);
    let (of_two, of_all) = (&results(&object)[0], &results(&object)[1]);
    assert!(of_two.1.contains("endings(name='a.tar.gz.gz')"), "{object:#}");
    assert_ne!(of_two.1, of_all.1, "told apart: {object:#}");
}
