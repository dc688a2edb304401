//! TOML as a flat list of settings, each with the line it stands on, so that a complaint can name the place.

use crate::domain::words::on_one_line;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A setting of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its name with those of the tables it stands in, outermost first.
    pub key: Vec<String>,
    /// Its value; lists stay whole.
    pub value: Value,
    /// Its line, from 1.
    pub line: usize,
}

impl Entry {
    /// The key as people write it.
    pub fn name(&self) -> String {
        self.key.join(".")
    }
}

/// What is wrong with a file of settings, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// Every setting of a text in TOML, in the order of the file.
///
/// # Errors
/// The text is no TOML, sets a key twice, or holds a number that is none.
pub fn entries(text: &str) -> Result<Vec<Entry>, Complaint> {
    let failed = |error: &toml::de::Error| Complaint {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        what: format!("this is no TOML: {}", on_one_line(error.message())),
    };
    let document = DeTable::parse(text).map_err(|error| failed(&error))?;
    let values: toml::Table = text.parse().map_err(|error| failed(&error))?;
    let mut found = Vec::new();
    collect(text, document.get_ref(), &values, &mut Vec::new(), &mut found)?;
    found.sort_by_key(|entry| entry.line);
    Ok(found)
}

fn collect(
    text: &str,
    table: &DeTable<'_>,
    values: &toml::Table,
    above: &mut Vec<String>,
    found: &mut Vec<Entry>,
) -> Result<(), Complaint> {
    for (name, spanned) in table {
        let Some(value) = values.get(name.get_ref().as_ref()) else { continue };
        above.push(name.get_ref().to_string());
        match (Spanned::get_ref(spanned), value) {
            (DeValue::Table(inner), toml::Value::Table(values)) => collect(text, inner, values, above, found)?,
            _ => {
                let line = line_of(text, name.span().start);
                if !is_finite(value) {
                    return Err(Complaint { line, what: format!("`{}` is no number", above.join(".")) });
                }
                let value = serde_json::to_value(value)
                    .map_err(|error| Complaint { line, what: format!("`{}`: {error}", above.join(".")) })?;
                found.push(Entry { key: above.clone(), value, line });
            }
        }
        above.pop();
    }
    Ok(())
}

fn is_finite(value: &toml::Value) -> bool {
    match value {
        toml::Value::Float(number) => number.is_finite(),
        toml::Value::Array(items) => items.iter().all(is_finite),
        _ => true,
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn settings_come_with_their_lines() {
        let text = "# mine\nmax_cost = 0.5\n\n[models]\n\"gpt-4.1\" = \"x\"\nfast = { name = \"y\" }\n";
        let found: Vec<_> = entries(text).unwrap().into_iter().map(|e| (e.name(), e.value, e.line)).collect();
        assert_eq!(
            found,
            [
                ("max_cost".into(), json!(0.5), 2),
                ("models.gpt-4.1".into(), json!("x"), 5),
                ("models.fast.name".into(), json!("y"), 6)
            ]
        );
    }

    #[test]
    fn a_complaint_names_the_line() {
        assert_eq!(entries("a = 1\nb = \n").unwrap_err().line, 2);
        assert_eq!(entries("a = 1\n\na = 2\n").unwrap_err().line, 3);
        assert_eq!(entries("a = 1\nb = nan\n").unwrap_err(), Complaint { line: 2, what: "`b` is no number".into() });
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = entries(&text);
            let _ = entries(&format!("[{text}]\na = {text:?}"));
        }
    }
}
