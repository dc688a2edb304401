//! Two or three sets of repaired bugs as circles. Areas do not mean numbers: those are written.

use super::charts::{Chart, SETS};
use super::svg::{Anchor, Svg};
use crate::domain::words::clipped;
use crate::report::study::{Overlap, Study};

/// Where circles and numbers stand.
struct Layout {
    circles: &'static [(f64, f64)],
    radius: f64,
    /// By combination, as a mask of sets: where its number stands.
    numbers: &'static [(usize, (f64, f64))],
    high: f64,
}

const TWO: Layout = Layout {
    circles: &[(130.0, 90.0), (230.0, 90.0)],
    radius: 80.0,
    numbers: &[(0b01, (92.0, 96.0)), (0b10, (268.0, 96.0)), (0b11, (180.0, 96.0))],
    high: 180.0,
};

const THREE: Layout = Layout {
    circles: &[(135.0, 90.0), (225.0, 90.0), (180.0, 165.0)],
    radius: 80.0,
    numbers: &[
        (0b001, (98.0, 76.0)),
        (0b010, (262.0, 76.0)),
        (0b100, (180.0, 216.0)),
        (0b011, (180.0, 66.0)),
        (0b101, (128.0, 146.0)),
        (0b110, (232.0, 146.0)),
        (0b111, (180.0, 122.0)),
    ],
    high: 250.0,
};

/// The circles of two or three sets; more are only told in the table.
pub fn venn(study: &Study) -> Option<Chart> {
    let Overlap { sets, regions } = &study.overlap;
    let layout = match sets.len() {
        2 => &TWO,
        3 => &THREE,
        _ => return None,
    };
    let mut svg = Svg::default();
    for (place, class) in layout.circles.iter().zip(SETS) {
        svg.circle(*place, layout.radius, class);
    }
    for (mask, place) in layout.numbers {
        let n = regions.iter().find(|region| region.mask == *mask).map_or(0, |region| region.bugs.len());
        svg.text(*place, Anchor::Middle, "figure", &n.to_string());
    }
    let key =
        sets.iter().zip(SETS).map(|(set, class)| (class, format!("{}: {}", clipped(&set.name, 48), set.bugs.len())));
    let note = "Bugs repaired plausibly; the table Overlap names them.";
    let label = "How sets of repaired bugs overlap; the same figures are in the table Overlap of repaired bugs";
    Some(
        Chart::new("overlap", "Overlap of repaired bugs", key.collect(), svg.finish(360.0, layout.high, label))
            .noted(note),
    )
}
