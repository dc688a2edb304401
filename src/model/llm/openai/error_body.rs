//! What servers write into error responses, for people and for the next try.

use crate::domain::words::{clipped, on_one_line};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// Foreign text in a message is cut at this many characters.
const MAX_QUOTE: usize = 300;

/// Text, number or list of texts in a field of an error.
pub(super) fn as_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(list)) => {
            let texts = list.iter().map(|item| as_text(item.get("msg").or(Some(item))));
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
        }
        Some(Value::Object(inner)) => as_text(inner.get("message")),
        _ => String::new(),
    }
}

/// A body for people: a web page by its title, anything else by its beginning.
pub(super) fn readable(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let lower = text.to_ascii_lowercase();
    if let (Some(start), Some(end)) = (lower.find("<title>"), lower.find("</title>"))
        && let Some(title) = text.get(start + "<title>".len()..end)
    {
        return format!("a web page titled `{}`", quote(title));
    }
    let text = text.trim();
    if text.is_empty() { "an empty body".to_owned() } else { quote(text) }
}

/// Foreign text on one line and of bounded length.
pub(super) fn quote(text: &str) -> String {
    clipped(&on_one_line(text), MAX_QUOTE)
}

/// `Retry-After` as seconds (whole or broken), as a date, or in milliseconds under its other name.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let written = text("retry-after")?;
    match written.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => {
            let date = httpdate::parse_http_date(written).ok()?;
            Some(date.duration_since(SystemTime::now()).unwrap_or(Duration::ZERO))
        }
    }
}

/// Google's form: `details: [{retryDelay: "13s"}]` inside the error.
pub(super) fn retry_delay(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let written = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(written.trim_end_matches('s').parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (reqwest::header::HeaderName::from_static(name), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn every_form_of_retry_after_is_understood() {
        let after = |value: &str| retry_after(&headers(&[("retry-after", value)]));
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after(" 2.5"), Some(Duration::from_millis(2500)));
        assert_eq!(after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(30));
        assert!((28..=30).contains(&after(&soon).unwrap().as_secs()));
        assert_eq!(
            retry_after(&headers(&[("retry-after-ms", "1500"), ("retry-after", "9")])),
            Some(Duration::from_millis(1500))
        );
        for odd in ["soon", "-3", "NaN", "1e999"] {
            assert_eq!(after(odd), None, "{odd}");
        }
    }
}
