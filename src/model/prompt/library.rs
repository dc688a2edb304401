//! All templates, parsed once.

use super::PromptError;
use camino::{Utf8Path, Utf8PathBuf};
use include_dir::{Dir, include_dir};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};
use serde::Serialize;
use std::collections::BTreeMap;

/// The templates the program was built with.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../prompts");

/// The one Markdown file that is no template.
const NOT_A_TEMPLATE: &str = "README.md";

/// Folders inside the folder of prompts deeper than this are not looked at.
const MAX_DEPTH: usize = 4;

/// All templates, parsed; names are paths below `prompts/`: `fixer.md`, `partials/state.md`.
#[derive(Debug)]
pub struct Library {
    environment: Environment<'static>,
    /// Where each template came from, for messages, and its text.
    sources: BTreeMap<String, (String, String)>,
}

impl Library {
    /// Parses the built-in templates, each replaced by the file of the same name in `folder`, if there is one; other
    /// Markdown files of the folder are added.
    ///
    /// # Errors
    /// The folder cannot be read, or a template is malformed or includes one that does not exist.
    pub fn load(folder: Option<&Utf8Path>) -> Result<Self, PromptError> {
        let mut sources = BTreeMap::new();
        built_in(&BUILT_IN, &mut sources);
        if let Some(folder) = folder {
            read_folder(folder, folder, 0, &mut sources)?;
        }
        Self::parse(sources)
    }

    /// The built-in templates, each replaced by the given one of the same name; others are added.
    ///
    /// # Errors
    /// A template is malformed or includes one that does not exist.
    pub fn with(own: &[(String, String)]) -> Result<Self, PromptError> {
        let mut sources = BTreeMap::new();
        built_in(&BUILT_IN, &mut sources);
        sources.extend(own.iter().map(|(name, text)| (name.clone(), (name.clone(), text.clone()))));
        Self::parse(sources)
    }

    /// Parses templates given as name → (origin, text).
    fn parse(sources: BTreeMap<String, (String, String)>) -> Result<Self, PromptError> {
        let mut library = Self { environment: strict_environment(), sources: BTreeMap::new() };
        let mut includes = Vec::new();
        for (name, (origin, text)) in sources {
            includes.extend(included(&text).into_iter().map(|(line, wanted)| (name.clone(), line, wanted)));
            library.sources.insert(name.clone(), (origin, text.clone()));
            let added = library.environment.add_template_owned(name.clone(), text);
            added.map_err(|error| library.malformed(&name, &error))?;
        }
        for (name, line, wanted) in includes {
            if !library.sources.contains_key(&wanted) {
                return Err(PromptError::Malformed {
                    file: library.origin(&name),
                    line,
                    what: format!("it includes `{wanted}`, which does not exist"),
                    hint: format!("templates are: {}", library.known()),
                });
            }
        }
        Ok(library)
    }

    /// Renders one template.
    ///
    /// # Errors
    /// There is no such template, or it uses what `ctx` does not have.
    pub fn render(&self, name: &str, ctx: impl Serialize) -> Result<String, PromptError> {
        let template = self
            .environment
            .get_template(name)
            .map_err(|_| PromptError::Unknown { name: name.to_owned(), known: self.known() })?;
        template.render(Serde(ctx)).map_err(|error| self.failed(name, &error))
    }

    /// Names of all templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// The source text of a template as it was loaded, for hashes of what a run was made with.
    pub fn source(&self, name: &str) -> Option<&str> {
        self.sources.get(name).map(|(_, text)| text.as_str())
    }

    fn known(&self) -> String {
        self.names().collect::<Vec<_>>().join(", ")
    }

    fn origin(&self, name: &str) -> String {
        self.sources.get(name).map_or_else(|| name.to_owned(), |(origin, _)| origin.clone())
    }

    fn malformed(&self, name: &str, error: &minijinja::Error) -> PromptError {
        PromptError::Malformed {
            file: self.origin(name),
            line: error.line().unwrap_or(0),
            what: describe(error),
            hint: "write `{{ name }}` for a value, `{% if x %}…{% endif %}` for a condition; a literal `{{` is \
                   written `{{ '{{' }}`"
                .to_owned(),
        }
    }

    fn failed(&self, name: &str, error: &minijinja::Error) -> PromptError {
        // An error inside an included piece is reported where it is, not where it was included.
        let innermost = std::iter::successors(std::error::Error::source(error), |cause| cause.source())
            .filter_map(|cause| cause.downcast_ref::<minijinja::Error>())
            .last()
            .unwrap_or(error);
        let hint = match innermost.kind() {
            ErrorKind::UndefinedError => {
                "use only variables that the program gives to this template, or test them with \
                                          `is defined`"
            }
            _ => "compare the template with the built-in one",
        };
        PromptError::Render {
            file: self.origin(innermost.name().unwrap_or(name)),
            line: innermost.line().unwrap_or(0),
            what: describe(innermost),
            hint: hint.to_owned(),
        }
    }
}

fn strict_environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    if let Ok(syntax) = syntax.build() {
        environment.set_syntax(syntax);
    }
    environment
}

/// The error in one line, without the position, which is shown beside it.
fn describe(error: &minijinja::Error) -> String {
    match error.detail() {
        Some(detail) => format!("{}: {detail}", error.kind()),
        None => error.kind().to_string(),
    }
}

fn built_in(folder: &Dir<'_>, sources: &mut BTreeMap<String, (String, String)>) {
    for file in folder.files() {
        let name = file.path().to_string_lossy().replace('\\', "/");
        if name.ends_with(".md")
            && name != NOT_A_TEMPLATE
            && let Some(text) = file.contents_utf8()
        {
            sources.insert(name.clone(), (format!("built-in {name}"), text.to_owned()));
        }
    }
    for below in folder.dirs() {
        built_in(below, sources);
    }
}

fn read_folder(
    root: &Utf8Path,
    folder: &Utf8Path,
    depth: usize,
    sources: &mut BTreeMap<String, (String, String)>,
) -> Result<(), PromptError> {
    let unreadable = |path: &Utf8Path, cause: std::io::Error| PromptError::Unreadable {
        path: path.to_owned(),
        cause: cause.to_string(),
    };
    for entry in folder.read_dir_utf8().map_err(|cause| unreadable(folder, cause))? {
        let entry = entry.map_err(|cause| unreadable(folder, cause))?;
        let path: Utf8PathBuf = entry.path().to_owned();
        let kind = entry.file_type().map_err(|cause| unreadable(&path, cause))?;
        if kind.is_dir() && depth < MAX_DEPTH {
            read_folder(root, &path, depth + 1, sources)?;
        } else if kind.is_file() && path.extension() == Some("md") {
            let name = path.strip_prefix(root).unwrap_or(&path).as_str().to_owned();
            if name != NOT_A_TEMPLATE {
                let text = std::fs::read_to_string(&path).map_err(|cause| unreadable(&path, cause))?;
                sources.insert(name, (path.into_string(), text));
            }
        }
    }
    Ok(())
}

/// Literal names in `{% include "…" %}`, with their lines: checked at load, because an agent that is rarely asked
/// would else fail in the middle of a run.
fn included(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for block in line.split("{%").skip(1) {
            let inside = block.trim_start_matches(['-', '+']).trim_start();
            if let Some(rest) = inside.strip_prefix("include")
                && let Some(quote) = rest.trim_start().chars().next().filter(|c| matches!(c, '"' | '\''))
                && let Some(name) = rest.trim_start()[1..].split(quote).next()
                && !rest.contains("ignore missing")
                // A name that is put together is known only when it is rendered.
                && !rest.contains('~')
            {
                found.push((index + 1, name.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(templates: &[(&str, &str)]) -> Result<Library, PromptError> {
        let own = |&(name, text): &(&str, &str)| (name.to_owned(), (format!("mine/{name}"), text.to_owned()));
        Library::parse(templates.iter().map(own).collect())
    }

    #[test]
    fn built_in_templates_load() {
        let library = Library::load(None).unwrap();
        assert!(library.names().all(|name| name != NOT_A_TEMPLATE), "the notes are no template");
    }

    #[test]
    fn code_is_inserted_as_it_is() {
        let library = library(&[("a.md", "{% include 'partials/code.md' %}\n"), ("partials/code.md", "{{ code }}\n")]);
        let text =
            library.unwrap().render("a.md", serde_json::json!({"code": "if (a < b && c) { \"{{x}}\" }"})).unwrap();
        assert_eq!(text, "if (a < b && c) { \"{{x}}\" }\n");
    }

    #[test]
    fn a_missing_variable_names_the_file_and_line_where_it_is_used() {
        let library =
            library(&[("a.md", "# A\n{% include \"p.md\" %}\n"), ("p.md", "one\ntwo {{ state }}\n")]).unwrap();
        let error = library.render("a.md", serde_json::json!({})).unwrap_err();
        assert!(error.to_string().contains("mine/p.md:2") && !error.hint().is_empty(), "{error}");
        let error = library.render("b.md", serde_json::json!({})).unwrap_err().to_string();
        assert!(error.contains("no template `b.md` (there are: a.md, p.md)"), "{error}");
    }

    #[test]
    fn a_malformed_template_is_refused_at_load_with_its_line() {
        let error = library(&[("a.md", "# A\n\n{% if x %}\n")]).unwrap_err();
        assert!(
            matches!(&error, PromptError::Malformed { file, line, .. } if file == "mine/a.md" && *line >= 3),
            "{error}"
        );
        let error = library(&[("a.md", "x\n{% include \"gone.md\" %}")]).unwrap_err().to_string();
        assert!(error.contains("mine/a.md:2: it includes `gone.md`"), "{error}");
    }

    #[test]
    fn a_folder_replaces_single_templates_and_says_so_in_errors() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        std::fs::create_dir(root.join("partials")).unwrap();
        std::fs::write(root.join("own.md"), "# Own\n{% include \"partials/own.md\" %}").unwrap();
        std::fs::write(root.join("partials/own.md"), "hello {{ name }}").unwrap();
        let library = Library::load(Some(root)).unwrap();
        assert_eq!(library.render("own.md", serde_json::json!({"name": "x"})).unwrap(), "# Own\nhello x");
        std::fs::write(root.join("own.md"), [0xff, 0xfe]).unwrap();
        assert!(Library::load(Some(root)).unwrap_err().to_string().contains("own.md"));
        assert!(Library::load(Some(&root.join("none"))).unwrap_err().to_string().contains("none"));
    }
}
