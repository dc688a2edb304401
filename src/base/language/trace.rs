//! Reads stack traces out of text, where no runner of ours was there to take them apart.

use crate::domain::Frame;

const FRAMES: usize = 80;

/// Frames of a trace of Java, Python or C, innermost first.
pub fn frames(text: &str) -> Vec<Frame> {
    let java: Vec<Frame> = text.lines().filter_map(java_frame).take(FRAMES).collect();
    if !java.is_empty() {
        return java;
    }
    let mut python: Vec<Frame> = text.lines().filter_map(python_frame).collect();
    if python.is_empty() {
        return text.lines().filter_map(c_frame).take(FRAMES).collect();
    }
    // Python tells the innermost frame last.
    python.reverse();
    python.truncate(FRAMES);
    python
}

/// `prog: a/b.c:12: name: Assertion …` of `assert`, Unity's `a/b.c:12:name:FAIL`, or `#0 0x… in name a/b.c:12` of a sanitizer.
fn c_frame(line: &str) -> Option<Frame> {
    let text = line.trim();
    let at = [".c:", ".h:"].iter().filter_map(|end| text.find(end)).min()?;
    let begin = text[..at].rfind([' ', '(', '"']).map_or(0, |space| space + 1);
    let path = &text[begin..at + 2];
    let rest = &text[at + 3..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let named = rest[digits..].trim_start_matches(':').split(':').next().unwrap_or("").trim();
    let before = text[..begin].trim_end().rsplit(' ').next().filter(|_| text.starts_with('#'));
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let method = before.into_iter().chain([named]).find(is_name).unwrap_or("").to_owned();
    let file = path.rsplit('/').next().map(str::to_owned);
    let class = path[..path.len() - 2].trim_start_matches("./").replace('/', ".");
    Some(Frame { class, method, file, line: Some(number) })
}

/// `at a.b.C$D.method(File.java:12)`, perhaps with a class loader and a module in front.
fn java_frame(line: &str) -> Option<Frame> {
    let text = line.trim().strip_prefix("at ")?;
    let (name, place) = text.strip_suffix(')')?.split_once('(')?;
    let name = name.rsplit('/').next().unwrap_or(name);
    let (class, method) = name.rsplit_once('.')?;
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (Some(file.to_owned()), line.parse().ok()),
        None if place.ends_with(".java") => (Some(place.to_owned()), None),
        None => (None, None),
    };
    Some(Frame { class: class.to_owned(), method: method.to_owned(), file, line })
}

/// `File "a/b.py", line 12, in name`, or pytest's `a/b.py:12: AssertionError`.
fn python_frame(line: &str) -> Option<Frame> {
    let text = line.trim();
    let (path, number, method) = if let Some(rest) = text.strip_prefix("File \"") {
        let (path, rest) = rest.split_once("\", line ")?;
        let (number, method) = rest.split_once(", in ").unwrap_or((rest, ""));
        (path, number, method)
    } else {
        let (path, rest) = text.split_once(".py:")?;
        let (number, _) = rest.split_once(':')?;
        (&text[..path.len() + ".py".len()], number, "")
    };
    let line = number.trim().parse().ok()?;
    let class = path.trim_end_matches(".py").trim_start_matches("./").replace('/', ".");
    let file = path.rsplit('/').next().map(str::to_owned);
    Some(Frame { class, method: method.trim().to_owned(), file, line: Some(line) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn java_traces_are_read_with_modules() {
        let text = "java.lang.AssertionError: x\n\tat java.base/java.util.List.of(List.java)\n\tat a.B$C.m(B.java:7)\n\tat x.Y.z(Native Method)\n";
        let found = frames(text);
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].class.as_str(), found[0].line), ("java.util.List", None));
        assert_eq!((found[1].class.as_str(), found[1].method.as_str(), found[1].line), ("a.B$C", "m", Some(7)));
        assert_eq!(found[2].file, None);
    }

    #[test]
    fn python_traces_are_turned_round() {
        let text = "tests/test_gcd.py:9: in test\n    x\nprograms/gcd.py:3: RecursionError";
        let found = frames(text);
        assert_eq!((found[0].class.as_str(), found[0].line), ("programs.gcd", Some(3)));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            frames(&text);
        }
    }
}
