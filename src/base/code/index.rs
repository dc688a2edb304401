//! Building the index of a checkout, and finding files, types and methods in it.

use super::{Method, SourceFile, Type, outline_text};
use crate::domain::{Hidden, RepoPath};
use crate::language::{self, Language, Unresolved};
use camino::Utf8Path;
use ignore::WalkBuilder;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;

/// Larger files are skipped: nobody wrote them by hand, and no agent could be shown them.
const MAX_FILE_BYTES: u64 = 5 * 1024 * 1024;

/// Place of a method: file, type in the file, method in the type.
pub(super) type MethodAt = (usize, usize, usize);

/// Outline and texts of all source files of one checkout, tests included.
#[derive(Debug)]
pub struct CodeIndex {
    pub(super) language: &'static dyn Language,
    pub(super) files: Vec<Arc<SourceFile>>,
    /// All methods in the order of their names, those of one name in the order of the code.
    methods_by_name: Vec<MethodAt>,
    types_by_name: HashMap<String, Vec<(usize, usize)>>,
    types_by_full_name: HashMap<String, (usize, usize)>,
    pub(super) subtypes: HashMap<String, Vec<(usize, usize)>>,
}

impl CodeIndex {
    /// Reads every source file below the roots, in parallel. Symbolic links are not followed; files that are too
    /// large, binary or unreadable are left out. Code that does not parse is taken as far as it goes.
    pub fn build(
        root: &Utf8Path,
        source_roots: &[RepoPath],
        test_roots: &[RepoPath],
        language: &'static dyn Language,
    ) -> Self {
        Self::without(&Hidden::default(), root, source_roots, test_roots, language)
    }

    /// The same without files that are hidden.
    pub fn without(
        hidden: &Hidden,
        root: &Utf8Path,
        source_roots: &[RepoPath],
        test_roots: &[RepoPath],
        language: &'static dyn Language,
    ) -> Self {
        let mut paths = source_paths(root, source_roots, test_roots, language);
        paths.retain(|path| !hidden.hides(path));
        paths.sort();
        paths.dedup();
        let read = |path: &RepoPath| read_file(root, path, source_roots, test_roots, language);
        let mut index = Self {
            language,
            files: paths.par_iter().filter_map(read).collect(),
            methods_by_name: Vec::new(),
            types_by_name: HashMap::new(),
            types_by_full_name: HashMap::new(),
            subtypes: HashMap::new(),
        };
        index.connect();
        index
    }

    /// Builds the maps from names to places.
    fn connect(&mut self) {
        let mut methods = Vec::new();
        for (f, file) in self.files.iter().enumerate() {
            for (t, kind) in file.types.iter().enumerate() {
                self.types_by_name.entry(kind.simple_name().to_owned()).or_default().push((f, t));
                self.types_by_full_name.entry(full_name(file, kind)).or_insert((f, t));
                for above in &kind.supertypes {
                    self.subtypes.entry(above.clone()).or_default().push((f, t));
                }
                methods.extend((0..kind.methods.len()).map(|m| (f, t, m)));
            }
        }
        methods.sort_by_key(|&at| &self.method(at).name);
        methods.shrink_to_fit();
        self.methods_by_name = methods;
    }

    /// All files, ordered by path.
    pub fn files(&self) -> &[Arc<SourceFile>] {
        &self.files
    }

    /// The language of the files.
    pub fn language(&self) -> &'static dyn Language {
        self.language
    }

    /// The file of exactly that path.
    pub fn file(&self, path: &RepoPath) -> Option<&Arc<SourceFile>> {
        self.files.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| &self.files[at])
    }

    /// The file that a text names: exact path, else longest unique suffix, else a class name (`a.b.C`, `C`,
    /// `a.b.C$Inner`, also of a class that has no file of its own name).
    ///
    /// # Errors
    /// Names the files that fit when several do, or those with the most similar names when none does.
    pub fn resolve(&self, text: &str) -> Result<&Arc<SourceFile>, Unresolved> {
        let found = language::resolve(text, self.files.iter().map(|file| &file.path), self.language);
        match found {
            Ok(path) => {
                self.file(path).ok_or_else(|| Unresolved::Unknown { text: text.to_owned(), nearest: Vec::new() })
            }
            Err(error) => self.class(text).map(|(file, _)| file).ok_or(error),
        }
    }

    /// All methods and constructors, ordered by file, then type by type.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.files.iter().flat_map(|file| file.methods())
    }

    /// All methods and constructors of that name, every overload.
    pub fn methods_named(&self, name: &str) -> impl Iterator<Item = &Method> {
        self.places_named(name).iter().map(|&at| self.method(at))
    }

    pub(super) fn places_named(&self, name: &str) -> &[MethodAt] {
        let named = |at: &MethodAt| self.method(*at).name.as_str();
        let first = self.methods_by_name.partition_point(|at| named(at) < name);
        let rest = &self.methods_by_name[first..];
        &rest[..rest.partition_point(|at| named(at) == name)]
    }

    pub(super) fn method(&self, (file, kind, method): MethodAt) -> &Method {
        &self.files[file].types[kind].methods[method]
    }

    /// The innermost method whose span holds the line.
    pub fn method_at(&self, path: &RepoPath, line: u32) -> Option<&Method> {
        self.file(path)?.method_at(line)
    }

    /// The type of that name with its package, nested types after `$` or a point (`a.b.C$Inner`); without a package
    /// when only one type has the name.
    pub fn class(&self, name: &str) -> Option<(&Arc<SourceFile>, &Type)> {
        let dotted = name.trim().replace('$', ".");
        let place = self.types_by_full_name.get(name.trim()).or_else(|| self.types_by_full_name.get(&dotted));
        let (file, kind) = place.copied().or_else(|| {
            let known = self.types_by_name.get(dotted.rsplit('.').next()?)?;
            let fits = |&&(f, t): &&(usize, usize)| {
                let full = full_name(&self.files[f], &self.files[f].types[t]);
                full.strip_suffix(&dotted).is_some_and(|head| head.is_empty() || head.ends_with('.'))
            };
            let mut fitting = known.iter().filter(fits);
            fitting.next().filter(|_| fitting.next().is_none()).copied()
        })?;
        Some((&self.files[file], &self.files[file].types[kind]))
    }

    /// Places of all types of that simple name.
    pub(super) fn types_named(&self, simple: &str) -> &[(usize, usize)] {
        self.types_by_name.get(simple).map_or(&[], Vec::as_slice)
    }

    /// The method's exact text, from its first annotation or modifier to its closing brace.
    pub fn text(&self, method: &Method) -> &str {
        self.file(&method.file).and_then(|file| file.text.get(method.bytes.clone())).unwrap_or("")
    }
}

/// `a.b.Outer.Inner`.
pub(super) fn full_name(file: &SourceFile, kind: &Type) -> String {
    if file.package.is_empty() { kind.name.clone() } else { format!("{}.{}", file.package, kind.name) }
}

fn source_paths(
    root: &Utf8Path,
    source_roots: &[RepoPath],
    test_roots: &[RepoPath],
    language: &dyn Language,
) -> Vec<RepoPath> {
    let mut found = Vec::new();
    for folder in source_roots.iter().chain(test_roots) {
        let mut walk = WalkBuilder::new(folder.under(root));
        walk.standard_filters(false).follow_links(false);
        // A root may be the checkout itself: `.git` and what tools hide there is no source.
        walk.filter_entry(|entry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.'));
        for entry in walk.build().flatten() {
            let inside = Utf8Path::from_path(entry.path()).and_then(|path| path.strip_prefix(root).ok());
            let Some(inside) = inside.filter(|_| entry.file_type().is_some_and(|kind| kind.is_file())) else {
                continue;
            };
            if language.is_source(inside) {
                found.extend(RepoPath::new(inside.as_str()));
            }
        }
    }
    found
}

fn read_file(
    root: &Utf8Path,
    path: &RepoPath,
    source_roots: &[RepoPath],
    test_roots: &[RepoPath],
    language: &dyn Language,
) -> Option<Arc<SourceFile>> {
    let full = path.under(root);
    if fs::metadata(&full).ok()?.len() > MAX_FILE_BYTES {
        return None;
    }
    let bytes = fs::read(&full).ok()?;
    if bytes.contains(&0) {
        return None;
    }
    let (text, encoding) = language::decode(&bytes);
    let mut file = outline_text(path, &text, language);
    file.encoding = encoding;
    file.test = language::is_test(path, source_roots, test_roots, language);
    Some(Arc::new(file))
}
