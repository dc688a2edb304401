//! Small pictures in SVG, drawn by hand: a charting library would bring scripts or rasters along.

use std::fmt::Write;

/// Where a text stands from its point.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    /// It begins there.
    Start,
    /// It has its middle there.
    Middle,
    /// It ends there.
    End,
}

impl Anchor {
    fn label(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A picture that grows. Colours come from classes of the page's style, so that they follow light and dark.
#[derive(Debug, Default)]
pub(crate) struct Svg {
    body: String,
}

impl Svg {
    /// A rectangle with a title that a pointer shows.
    pub(crate) fn rect(&mut self, (x, y): (f64, f64), (wide, high): (f64, f64), class: &str, title: &str) {
        let _ = write!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{high:.1}\" class=\"{class}\">{}</rect>",
            wide.max(0.0),
            title_of(title)
        );
    }

    /// A text.
    pub(crate) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let _ = write!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{}\" class=\"{class}\">{}</text>",
            anchor.label(),
            escaped(text)
        );
    }

    /// A straight line.
    pub(crate) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let _ =
            write!(self.body, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>");
    }

    /// A path in SVG's own words.
    pub(crate) fn path(&mut self, data: &str, class: &str, title: &str) {
        let _ = write!(self.body, "<path d=\"{}\" class=\"{class}\">{}</path>", escaped(data), title_of(title));
    }

    /// A circle.
    pub(crate) fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        let _ = write!(self.body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" class=\"{class}\"/>");
    }

    /// The finished picture, `wide` by `high` units; `label` is what is read out in its place.
    pub(crate) fn finish(self, wide: f64, high: f64, label: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {wide:.0} {high:.0}\" role=\"img\" aria-label=\"{}\">{}</svg>",
            escaped(label),
            self.body
        )
    }
}

/// Height of a line of the key.
const LINE: f64 = 18.0;

/// A finished picture as a file of its own, in that style and with the key below it.
pub(crate) fn alone(picture: &str, key: &[(&str, String)], style: &str) -> String {
    let Some((head, body)) = picture.split_once('>') else { return String::new() };
    let size = head.split('"').nth(1).unwrap_or_default();
    let (wide, high) =
        size.split(' ').skip(2).filter_map(|n| n.parse::<f64>().ok()).fold((0.0, 0.0), |(_, a), b| (a, b));
    let label = head.split_once("aria-label=").map_or("\"\"", |(_, label)| label);
    let mut legend = Svg::default();
    for (nth, (class, words)) in key.iter().enumerate() {
        let top = high + 12.0 + LINE * nth as f64;
        legend.rect((0.0, top), (10.0, 10.0), class, "");
        legend.text((16.0, top + 9.0), Anchor::Start, "soft", words);
    }
    let below = if key.is_empty() { 0.0 } else { 12.0 + LINE * key.len() as f64 };
    let whole = high + below + 4.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-4 -4 {:.0} {:.0}\" width=\"{:.0}\" height=\"{:.0}\" role=\"img\" \
         aria-label={label}><style>{style}</style>{}{}</svg>\n",
        wide + 8.0,
        whole + 4.0,
        wide + 8.0,
        whole + 4.0,
        body.trim_end_matches("</svg>"),
        legend.body,
    )
}

/// A style with the colours in place of their names, the first that each has: programs that draw pictures for print
/// know no names of colours.
pub(crate) fn in_colours(style: &str, colours: &str) -> String {
    let mut parts = style.split("var(--");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(')').unwrap_or((part, ""));
        let value = colours.split_once(&format!("--{name}: ")).and_then(|(_, rest)| rest.split(';').next());
        plain.push_str(value.unwrap_or("#000"));
        plain.push_str(rest);
    }
    plain
}

fn title_of(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(text)) }
}

/// The text as it may stand in an attribute or between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Round numbers from 0 to at most `most`: steps of 1, 2 or 5 times a power of ten, so that there are three to six.
pub(crate) fn ticks(most: f64) -> Vec<f64> {
    let power = 10f64.powf((most / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| most / step <= 5.0).unwrap_or(power);
    (0..).map(|n| f64::from(n) * step).take_while(|tick| *tick <= most * (1.0 + f64::EPSILON)).collect()
}

/// A round number without digits that say nothing.
pub(crate) fn plain(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let labels = |most| ticks(most).into_iter().map(plain).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(191.0), "0 50 100 150");
        assert_eq!(labels(0.0123), "0 0.005 0.01");
        assert_eq!(labels(3.0), "0 1 2 3");
        assert_eq!(labels(1.0), "0 0.2 0.4 0.6 0.8 1");
    }

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
    fn a_picture_alone_has_its_key_and_no_names_of_colours() {
        let mut svg = Svg::default();
        svg.rect((1.0, 2.0), (3.0, 4.0), "good", "");
        let style =
            in_colours("svg .good { fill: var(--a); stroke: var(--b); }", ":root { --b: #111; --a: #222; } --a: #333;");
        assert_eq!(style, "svg .good { fill: #222; stroke: #111; }");
        let file = alone(&svg.finish(10.0, 20.0, "what > it is"), &[("good", "a < b".into())], &style);
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-4 -4 18 58\""), "{file}");
        assert!(
            file.contains("aria-label=\"what &gt; it is\"><style>svg .good") && file.contains("a &lt; b</text></svg>")
        );
    }
}
