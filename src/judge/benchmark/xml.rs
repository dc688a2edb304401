//! Small XML documents as trees: poms and test reports. Broken text gives what was read so far.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Elements nested deeper than this are dropped: no pom is, and a tree must be freed without recursion getting deep.
const MAX_DEPTH: usize = 64;

/// An element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Element {
    /// Name without prefix.
    pub name: String,
    /// Attributes by name without prefix.
    attributes: Vec<(String, String)>,
    /// Text directly inside, joined.
    text: String,
    /// Elements directly inside.
    pub children: Vec<Element>,
}

impl Element {
    /// Reads a document; the element returned is a nameless one around the document's root.
    pub(super) fn parse(text: &str) -> Self {
        let mut reader = Reader::from_str(text);
        let mut open = vec![Self::default()];
        let mut too_deep = 0;
        while let Ok(event) = reader.read_event() {
            match event {
                Event::Eof => break,
                Event::Start(_) if open.len() > MAX_DEPTH => too_deep += 1,
                Event::Start(start) => open.push(Self::start(&start)),
                Event::Empty(start) => add(&mut open, Self::start(&start)),
                Event::End(_) if too_deep > 0 => too_deep -= 1,
                Event::End(_) => close(&mut open),
                Event::Text(more) => add_text(&mut open, &more.xml10_content()),
                Event::CData(more) => add_text(&mut open, &more.xml10_content()),
                Event::GeneralRef(name) => {
                    let character = name.resolve_char_ref().ok().flatten().map(String::from);
                    let named = || quick_xml::escape::resolve_predefined_entity(&name).map(str::to_owned);
                    add_text(&mut open, &character.or_else(named).unwrap_or_default());
                }
                _ => {}
            }
        }
        while open.len() > 1 {
            close(&mut open);
        }
        open.pop().unwrap_or_default()
    }

    fn start(start: &BytesStart<'_>) -> Self {
        let mut element = Self { name: start.local_name().as_ref().to_owned(), ..Self::default() };
        for attribute in start.attributes().flatten() {
            let value = attribute.normalized_value(quick_xml::XmlVersion::default()).unwrap_or_default();
            element.attributes.push((attribute.key.local_name().as_ref().to_owned(), value.into_owned()));
        }
        element
    }

    /// The first element of that name directly inside.
    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The elements of that name directly inside.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The element at the end of a path of names.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Element> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The text without white space around it, unless it is empty.
    pub(super) fn text(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty())
    }

    /// The text of an element directly inside.
    pub(super) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).and_then(Element::text)
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

fn add(open: &mut [Element], element: Element) {
    if let Some(outer) = open.last_mut() {
        outer.children.push(element);
    }
}

fn add_text(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

/// Closes the innermost element; an end without a start is ignored.
fn close(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(element) = open.pop()
    {
        add(open, element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pom_is_a_tree() {
        let text = "<?xml version=\"1.0\"?><project xmlns=\"x\"><!-- c --><a k='1 &lt; 2'> x &amp; &#65;<![CDATA[<b>]]>\
                    </a><a/><b><c>deep</c></b></project>";
        let root = Element::parse(text);
        let project = root.child("project").unwrap();
        assert_eq!(project.child_text("a"), Some("x & A<b>"));
        assert_eq!(project.child("a").unwrap().attribute("k"), Some("1 < 2"));
        assert_eq!(project.all("a").count(), 2);
        assert_eq!(root.at(&["project", "b", "c"]).unwrap().text(), Some("deep"));
    }

    #[test]
    fn very_deep_documents_are_cut() {
        let text = "<a>".repeat(100_000) + &"</a>".repeat(100_000) + "<b/>";
        let root = Element::parse(&text);
        assert!(root.child("b").is_some());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[<>/a-c&;#'\"= x0-9!\\[\\]-]{0,80}") {
            let _ = Element::parse(&text);
        }
    }
}
