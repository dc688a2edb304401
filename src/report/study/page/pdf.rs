//! Figures as PDF, for papers: vectors, with the fonts of their texts embedded.

use std::sync::Arc;
use svg2pdf::usvg::{Options, Tree, fontdb::Database};
use svg2pdf::{ConversionOptions, PageOptions};

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PdfError {
    /// Texts would be missing.
    #[error("no font is installed here, so the figures would have no words")]
    NoFont,
    /// The figure could not be read or written.
    #[error("a figure cannot be made a PDF: {0}")]
    Figure(String),
}

/// Families without serifs that figures are set in, the best first.
const FAMILIES: [&str; 6] = ["Helvetica", "Arial", "Liberation Sans", "Noto Sans", "DejaVu Sans", "FreeSans"];

/// The best family that is installed; any, where none of the known ones is.
fn sans_serif(fonts: &Database) -> Option<String> {
    let installed = |family: &str| fonts.faces().any(|face| face.families.iter().any(|(name, _)| name == family));
    let known = FAMILIES.into_iter().find(|family| installed(family)).map(str::to_owned);
    known.or_else(|| fonts.faces().find_map(|face| face.families.first().map(|(name, _)| name.clone())))
}

/// Makes PDF files of pictures, with the fonts of this machine.
#[derive(Debug)]
pub(crate) struct PdfWriter {
    options: Options<'static>,
}

impl PdfWriter {
    /// One that knows the installed fonts.
    ///
    /// # Errors
    /// There are none.
    pub(crate) fn new() -> Result<Self, PdfError> {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        Self::with_fonts(fonts)
    }

    fn with_fonts(fonts: Database) -> Result<Self, PdfError> {
        let family = sans_serif(&fonts).ok_or(PdfError::NoFont)?;
        let mut fonts = fonts;
        fonts.set_sans_serif_family(family);
        Ok(Self { options: Options { fontdb: Arc::new(fonts), ..Options::default() } })
    }

    /// One picture as a PDF of its size; a unit of the picture is a point.
    ///
    /// # Errors
    /// The SVG is malformed, or a font is.
    pub(crate) fn pdf(&self, svg: &str) -> Result<Vec<u8>, PdfError> {
        let tree = Tree::from_str(svg, &self.options).map_err(|error| PdfError::Figure(error.to_string()))?;
        svg2pdf::to_pdf(&tree, ConversionOptions::default(), PageOptions::default())
            .map_err(|error| PdfError::Figure(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_without_words_are_not_made() {
        let refused = PdfWriter::with_fonts(Database::new()).unwrap_err();
        assert!(matches!(refused, PdfError::NoFont), "{refused}");
    }
}
