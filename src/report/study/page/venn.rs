//! Two or three sets of repaired bugs as circles. Areas do not mean numbers: those are written.

use super::charts::{Chart, SETS};
use super::svg::{Anchor, Svg};
use crate::domain::words::clipped;
use crate::report::study::{Overlap, Quality, Study};

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

/// The circles of two or three sets; more stand only in the table.
pub(super) fn venn(study: &Study, quality: Quality) -> Option<Chart> {
    let (file, title, Overlap { sets, regions }, note) = match quality {
        Quality::Plausible => (
            "overlap",
            "Overlap of repaired bugs",
            &study.overlap,
            "Bugs repaired plausibly; the table Overlap of repaired bugs names them.",
        ),
        Quality::Correct => (
            "overlap-of-correct",
            "Overlap of correct repairs",
            &study.overlap_of_correct,
            "Bugs repaired correctly; the table Overlap of correctly repaired bugs names them.",
        ),
    };
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
    let label = format!("{title}: how the sets lie to each other; the same figures are in {file}.csv");
    Some(Chart::new(file, title, key.collect(), svg.finish(360.0, layout.high, &label)).noted(note))
}
