//! JUnit XML in the dialects of Maven, Gradle, Ant and pytest, read event by event: what is unknown is passed over.

use crate::domain::{Failure, TestId, TestResult, TestStatus};
use crate::language::trace;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

const MESSAGE_CHARS: usize = 8_000;

/// All test cases of one report file. A torn file gives what came before the tear.
pub fn parse(bytes: &[u8]) -> Vec<TestResult> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    let mut state = State::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => state.open(&tag),
            Ok(Event::Empty(tag)) => {
                state.open(&tag);
                state.close(tag.local_name().as_ref());
            }
            Ok(Event::End(tag)) => state.close(tag.local_name().as_ref()),
            Ok(Event::Text(text)) => state.text(&text),
            Ok(Event::CData(text)) => state.text(&text),
            Ok(Event::GeneralRef(name)) => state.text(&entity(&name)),
            Ok(Event::Eof) | Err(_) => return state.done,
            Ok(_) => {}
        }
    }
}

#[derive(Default)]
struct State {
    suite: String,
    case: Option<TestResult>,
    /// Inside `failure` or `error`: the text so far.
    trace: Option<String>,
    done: Vec<TestResult>,
}

impl State {
    fn open(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "testsuite" => self.suite = attribute(tag, "name").unwrap_or_default(),
            "testcase" => self.case = Some(self.case_of(tag)),
            "failure" | "error" => {
                let Some(case) = &mut self.case else { return };
                // The first complaint is the reason; later ones come from tear-down.
                if case.status == TestStatus::Failed {
                    return;
                }
                case.status = TestStatus::Failed;
                let message = attribute(tag, "message").unwrap_or_default();
                let kind = attribute(tag, "type").unwrap_or_default();
                case.failure = Some(Failure { kind, message, frames: Vec::new() });
                self.trace = Some(String::new());
            }
            // TestNG tells of methods that were not chosen, too.
            "ignored" => self.case = None,
            "skipped" => {
                let Some(case) = &mut self.case else { return };
                if case.status == TestStatus::Passed {
                    case.status = TestStatus::Skipped;
                    let message = attribute(tag, "message").unwrap_or_default();
                    case.failure = Some(Failure { message, ..Failure::default() });
                }
            }
            _ => {}
        }
    }

    fn case_of(&self, tag: &BytesStart<'_>) -> TestResult {
        let class = attribute(tag, "classname").filter(|name| !name.is_empty()).unwrap_or_else(|| self.suite.clone());
        let method = attribute(tag, "name").unwrap_or_default();
        // Gradle writes the parentheses of a method without parameters.
        let method = method.strip_suffix("()").unwrap_or(&method).to_owned();
        let seconds = attribute(tag, "time").and_then(|text| text.replace(',', "").parse::<f64>().ok()).unwrap_or(0.0);
        let millis = if seconds.is_finite() { (seconds * 1000.0).clamp(0.0, 1e12) as u64 } else { 0 };
        // Surefire writes a class that could not be set up as a case with its name, or with none.
        let method = if method == class { String::new() } else { method };
        TestResult { id: TestId::new(class, method), status: TestStatus::Passed, failure: None, millis, loss: None }
    }

    fn text(&mut self, text: &str) {
        if let Some(trace) = &mut self.trace {
            trace.push_str(text);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "failure" | "error" => {
                let Some(text) = self.trace.take() else { return };
                let Some(failure) = self.case.as_mut().and_then(|case| case.failure.as_mut()) else { return };
                failure.frames = trace::frames(&text);
                complete(failure, &text);
            }
            "testcase" => self.done.extend(self.case.take()),
            _ => {}
        }
    }
}

/// Kind and message out of the trace's first line, where the attributes lack them.
fn complete(failure: &mut Failure, text: &str) {
    let first = text.trim_start().lines().next().unwrap_or("");
    if failure.kind.is_empty() {
        let kind = first.split(':').next().unwrap_or("").trim();
        if !kind.is_empty() && !kind.contains(' ') {
            failure.kind = kind.to_owned();
        }
    }
    if failure.message.is_empty() {
        failure.message = first.to_owned();
    }
    failure.message = failure.message.chars().take(MESSAGE_CHARS).collect();
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.attributes().with_checks(false).flatten().find(|each| each.key.local_name().as_ref() == name)?;
    Some(unescape(&found.value))
}

fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        match rest[at..].find(';') {
            Some(end) => {
                out.push_str(&entity(&rest[at + 1..at + end]));
                rest = &rest[at + end + 1..];
            }
            None => {
                out.push_str(&rest[at..]);
                return out;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The text an entity stands for; only XML's own and numbers, nothing a document declares.
fn entity(name: &str) -> String {
    let number = |text: &str, base| u32::from_str_radix(text, base).ok().and_then(char::from_u32).map(String::from);
    let known = match name {
        "lt" => Some("<".to_owned()),
        "gt" => Some(">".to_owned()),
        "amp" => Some("&".to_owned()),
        "quot" => Some("\"".to_owned()),
        "apos" => Some("'".to_owned()),
        _ => name
            .strip_prefix("#x")
            .map_or_else(|| name.strip_prefix('#').and_then(|n| number(n, 10)), |n| number(n, 16)),
    };
    known.unwrap_or_else(|| format!("&{name};"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SUREFIRE: &str = r#"<?xml version="1.0"?><testsuite name="a.T"><properties><property name="x" value="&lt;"/></properties>
<testcase name="good" classname="a.T" time="0.012"/><testcase name="left" classname="a.T"><ignored/></testcase><testcase name="off" classname="a.T"><skipped message="later"/></testcase>
<testcase name="bad" classname="a.T" time="1,000.5"><failure message="expected:&lt;1&gt; but was:&lt;2&gt;" type="java.lang.AssertionError"><![CDATA[java.lang.AssertionError: x
	at org.junit.Assert.fail(Assert.java:1)
	at a.T.bad(T.java:9)
]]></failure><system-out>&amp;</system-out></testcase></testsuite>"#;

    #[test]
    fn the_dialect_of_maven_is_read() {
        let all = parse(SUREFIRE.as_bytes());
        let results: Vec<_> = all.iter().map(|result| (result.id.to_string(), result.status, result.millis)).collect();
        let wanted = [
            ("a.T#good".to_owned(), TestStatus::Passed, 12),
            ("a.T#off".to_owned(), TestStatus::Skipped, 0),
            ("a.T#bad".to_owned(), TestStatus::Failed, 1_000_500),
        ];
        assert_eq!(results, wanted);
        let failure = all[2].failure.as_ref().unwrap();
        assert_eq!((failure.message.as_str(), failure.frames[1].line), ("expected:<1> but was:<2>", Some(9)));
    }

    #[test]
    fn the_dialects_of_pytest_and_gradle_are_read() {
        let text = r#"<testsuites><testsuite name="pytest"><testcase classname="t.test_gcd" name="test_gcd[17-0-17]" time="0.1"><error message="RecursionError: deep">gcd.py:3: RecursionError</error></testcase></testsuite><testsuite name="a.T"><testcase name="works()" classname="a.T"/></testsuite></testsuites>"#;
        let all = parse(text.as_bytes());
        assert_eq!(all[0].id, TestId::new("t.test_gcd", "test_gcd[17-0-17]"));
        assert_eq!(all[0].status, TestStatus::Failed);
        assert_eq!(all[1].id, TestId::new("a.T", "works"));
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(text in any::<String>(), cut in 0..SUREFIRE.len(), junk in "[<>&;\"'a-z/!\\[\\]-]{0,40}") {
            parse(text.as_bytes());
            parse(&SUREFIRE.as_bytes()[..cut]);
            let mut mixed = SUREFIRE.as_bytes()[..cut].to_vec();
            mixed.extend(junk.bytes());
            mixed.extend(&SUREFIRE.as_bytes()[cut..]);
            parse(&mixed);
        }
    }
}
