//! Small pictures in SVG, drawn by hand: a charting library would bring scripts or rasters along.

use std::fmt::Write;

/// Where a text stands from its point.
#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It has its middle there.
    Middle,
    /// It ends there.
    End,
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A picture that grows. Colours come from classes of the page's style, so that they follow light and dark.
#[derive(Debug, Default)]
pub struct Svg {
    body: String,
}

impl Svg {
    /// A rectangle with a title that a pointer shows.
    pub fn rect(&mut self, (x, y): (f64, f64), (wide, high): (f64, f64), class: &str, title: &str) {
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{high:.1}\" class=\"{class}\">{}</rect>",
            wide.max(0.0),
            title_of(title)
        );
    }

    /// A text.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{}\" class=\"{class}\">{}</text>",
            anchor.word(),
            escaped(text)
        );
    }

    /// A straight line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let _ =
            write!(self.body, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>");
    }

    /// A path in SVG's own words.
    pub fn path(&mut self, data: &str, class: &str, title: &str) {
        let _ = write!(self.body, "<path d=\"{}\" class=\"{class}\">{}</path>", escaped(data), title_of(title));
    }

    /// A circle.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        let _ = write!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" class=\"{class}\"/>");
    }

    /// The finished picture, `wide` by `high` units; `label` is what is read out in its place.
    pub fn finish(self, wide: f64, high: f64, label: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {wide:.0} {high:.0}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            escaped(label),
            self.body
        )
    }
}

fn title_of(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(text)) }
}

/// The text as it may stand in an attribute or between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The text, cut to so many characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_stays_text() {
        let mut svg = Svg::default();
        svg.text((1.0, 2.0), Anchor::End, "soft", "a<b & \"c\"");
        svg.rect((0.0, 0.0), (-1.0, 2.0), "good", "<script>");
        let picture = svg.finish(10.0, 20.0, "x\"y");
        assert!(picture.contains("a&lt;b &amp; &quot;c&quot;") && picture.contains("width=\"0.0\""), "{picture}");
        assert!(!picture.contains("<script") && picture.contains("aria-label=\"x&quot;y\""), "{picture}");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!((cut("abcdef", 4), cut("äöü", 3)), ("abc…".to_owned(), "äöü".to_owned()));
    }
}
