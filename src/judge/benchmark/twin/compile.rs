//! New names in Java: the compiler says which uses of a name mean a library's.

use super::{Manner, Renamed, Side, files};
use crate::benchmark::copy::io_error;
use crate::benchmark::jdk::{self, Jdk};
use crate::benchmark::{BenchmarkError, Checkout};
use crate::language;
use crate::sandbox::{Job, Sandbox};
use crate::twin::{Declared, Java, Naming, Placed, words_of};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

/// Compilations of one side until nothing is wrong.
const ROUNDS: usize = 60;
const WALL: Duration = Duration::from_secs(300);
/// Complaints that are looked at in one round.
const COMPLAINTS: &str = "2000";
/// As the compiler counts columns.
const TAB: usize = 8;

/// Both sides under names with which they compile.
pub(super) async fn renamed(
    checkout: &Checkout,
    (buggy, fixed): (&Side, &Side),
    manner: Manner,
    (project, repaired): (&Utf8Path, &Utf8Path),
    sandbox: &Sandbox,
) -> Result<Renamed, BenchmarkError> {
    let (one, other) = (Java::read(&buggy.sources), Java::read(&fixed.sources));
    let mut declared = one.declared(manner.caution);
    let of_other = other.declared(manner.caution);
    declared.names.extend(of_other.names);
    declared.kept.extend(of_other.kept);
    let all: Vec<_> = buggy.sources.iter().chain(&fixed.sources).cloned().collect();
    let taken = words_of(&all);
    let compiler = Compiler { checkout, sandbox, jdk: jdk::find(checkout.project.jdk.as_deref())? };
    // What means a library's in both sides, by the place of a use in each.
    let mut foreign = [BTreeSet::new(), BTreeSet::new()];
    'names: loop {
        let naming = Naming::draw(&declared, &taken, false, manner.seed);
        let mut texts = [Vec::new(), Vec::new()];
        for (nth, (side, java, folder)) in [(buggy, &one, project), (fixed, &other, repaired)].into_iter().enumerate() {
            let mut rounds = 0;
            loop {
                let new = java.renamed(&naming, &foreign[nth]);
                let complaints = compiler.compile(side, &new, &naming, folder).await?;
                if complaints.is_empty() {
                    texts[nth] = new.into_iter().map(|(text, _)| text).collect();
                    break;
                }
                rounds += 1;
                match learn(&complaints, &new, side, &naming, &mut declared) {
                    _ if rounds > ROUNDS => return Err(stuck(&complaints)),
                    Learnt::Name => continue 'names,
                    Learnt::Uses(uses) if uses.iter().any(|one| !foreign[nth].contains(one)) => {
                        foreign[nth].extend(uses)
                    }
                    Learnt::Uses(_) | Learnt::Nothing => return Err(stuck(&complaints)),
                }
            }
        }
        let [new, new_fixed] = texts;
        return Ok(Renamed { naming, declared, buggy: new, fixed: new_fixed });
    }
}

fn stuck(complaints: &[Complaint]) -> BenchmarkError {
    let first = complaints.first().map_or_else(String::new, |one| format!("{}:{}: {}", one.file, one.line, one.what));
    BenchmarkError::Setup {
        what: format!("its twin does not compile: {first}"),
        hint: "it is left out; the original may not compile here either".into(),
    }
}

/// A complaint of the compiler in its raw form.
#[derive(Debug, PartialEq, Eq)]
struct Complaint {
    /// The file's name without folders.
    file: String,
    line: usize,
    column: usize,
    /// Its key and what it tells.
    what: String,
}

impl Complaint {
    /// `Till.java:3:9: compiler.err.cant.resolve: kindname.variable, sum, , `.
    fn read(line: &str) -> Option<Self> {
        let (place, what) = line.split_once(": compiler.err.")?;
        let mut parts = place.rsplitn(3, ':');
        let (column, row) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Self { file: parts.next()?.to_owned(), line: row, column, what: what.to_owned() })
    }

    fn key(&self) -> &str {
        self.what.split(':').next().unwrap_or_default()
    }

    /// Whether it tells of a name that is not there, in a type that is known: a lambda whose parameter could not be told for
    /// another error takes it for any object.
    fn is_sure(&self) -> bool {
        let keys = ["cant.resolve", "doesnt.exist", "does.not.override", "method.does.not.override"];
        keys.iter().any(|key| self.key().starts_with(key)) && !self.what.contains("java.lang.Object")
    }

    /// The words that it tells of.
    fn words(&self) -> impl Iterator<Item = &str> {
        let message = self.what.split_once(':').map_or("", |(_, message)| message);
        message.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').filter(|word| !word.is_empty())
    }
}

/// What a round of complaints teaches.
enum Learnt {
    /// A name must stay.
    Name,
    /// These uses mean somebody else's name.
    Uses(BTreeSet<(usize, usize)>),
    /// Nothing that helps.
    Nothing,
}

fn learn(
    complaints: &[Complaint],
    new: &[(String, Vec<Placed>)],
    side: &Side,
    naming: &Naming,
    declared: &mut Declared,
) -> Learnt {
    let mut uses = BTreeSet::new();
    let mut stays = false;
    // Of what follows from another complaint nothing is learnt as long as there are others.
    let any_sure = complaints.iter().any(Complaint::is_sure);
    for one in complaints.iter().filter(|one| !any_sure || one.is_sure()) {
        if one.key() == "does.not.override.abstract" {
            // The second thing it tells is a method of a library, under its own name.
            for name in one.words().filter(|word| naming.of(word).is_some()).map(str::to_owned).collect::<Vec<_>>() {
                declared.keep(&name, "a type of a library asks for it");
                stays = true;
            }
            continue;
        }
        for (nth, (text, placed)) in new.iter().enumerate().filter(|(nth, _)| is_named(side, *nth, naming, &one.file)) {
            let Some((begin, at, end)) = place(text, one) else { continue };
            if one.key() == "method.does.not.override.superclass" {
                if let Some(method) = placed.iter().find(|placed| placed.at >= at && placed.declares_method) {
                    declared.keep(&method.name, "it overrides a method of a library");
                    stays = true;
                }
                continue;
            }
            // What it tells of first is what it could not find; then comes where it looked.
            let named = one.words().find_map(|word| naming.original(word));
            let fits = |placed: &&Placed| named == Some(placed.name.as_str());
            let behind = placed.iter().find(|placed| placed.at >= at && placed.at < end + 400 && fits(placed));
            let inside = || placed.iter().find(|placed| placed.at >= begin && placed.at < end && fits(placed));
            uses.extend(behind.or_else(inside).map(|placed| (nth, placed.from)));
        }
    }
    match (stays, uses.is_empty()) {
        (true, _) => Learnt::Name,
        (false, false) => Learnt::Uses(uses),
        (false, true) => Learnt::Nothing,
    }
}

/// Whether the file at this place of a side has that name in the twin.
fn is_named(side: &Side, nth: usize, naming: &Naming, file: &str) -> bool {
    side.sources.get(nth).is_some_and(|source| naming.each(source.path.file_name()) == file)
}

/// Where a line begins, where a complaint stands, and where the line ends.
fn place(text: &str, one: &Complaint) -> Option<(usize, usize, usize)> {
    let mut begin = 0;
    for (nth, line) in text.split_inclusive('\n').enumerate() {
        if nth + 1 < one.line {
            begin += line.len();
            continue;
        }
        let mut column = 0;
        for (at, c) in line.char_indices() {
            if column + 1 >= one.column {
                return Some((begin, begin + at, begin + line.len()));
            }
            column = if c == '\t' { (column / TAB + 1) * TAB } else { column + c.len_utf16() };
        }
        return Some((begin, begin, begin + line.len()));
    }
    None
}

struct Compiler<'a> {
    checkout: &'a Checkout,
    sandbox: &'a Sandbox,
    jdk: Jdk,
}

impl Compiler<'_> {
    /// Compiles one side in a folder, which is made anew and removed again.
    async fn compile(
        &self,
        side: &Side,
        new: &[(String, Vec<Placed>)],
        naming: &Naming,
        folder: &Utf8Path,
    ) -> Result<Vec<Complaint>, BenchmarkError> {
        let scratch = tempfile::tempdir().map_err(|source| io_error("cannot make a folder beside", folder, source))?;
        let Some(scratch) = Utf8Path::from_path(scratch.path()) else { return Ok(Vec::new()) };
        let texts: Vec<String> = new.iter().map(|(text, _)| text.clone()).collect();
        let paths = files::Paths::of(&side.sources, naming, &language::Java);
        let (tree, out, list) = (scratch.join("tree"), scratch.join("out"), scratch.join("arguments"));
        fs::create_dir_all(&out).map_err(|source| io_error("cannot make the folder", &out, source))?;
        let files = files::write_sources(side, &texts, &paths, &tree)?;
        let arguments: String = self.arguments(&out, &files).iter().map(|arg| quoted(arg)).collect();
        fs::write(&list, arguments)
            .map_err(|source| io_error("cannot write the arguments of the compiler", &list, source))?;
        let job = Job::new(self.jdk.javac(), &tree)
            .args(["-J-XX:+UseSerialGC", "-J-XX:TieredStopAtLevel=1", "-J-Xss16m", &format!("@{list}")])
            .read(self.checkout.project.class_path.iter().cloned())
            .read([self.jdk.home.clone(), self.checkout.root.clone(), list.clone()])
            .write(&out)
            .wall(WALL);
        let failed = |what: String| BenchmarkError::Setup { what, hint: "check the JDK with `unidebug doctor`".into() };
        let done = self
            .sandbox
            .run(job)
            .await
            .map_err(|error| failed(format!("the compiler could not be started: {error}")))?;
        let text = String::from_utf8_lossy(&done.stderr);
        let complaints: Vec<Complaint> = text.lines().filter_map(Complaint::read).collect();
        if complaints.is_empty() && !done.exit.success() {
            let first = text.lines().next().unwrap_or("it said nothing").to_owned();
            return Err(failed(format!("the compiler ended with {}: {first}", done.exit)));
        }
        Ok(complaints)
    }

    fn arguments(&self, out: &Utf8Path, files: &[Utf8PathBuf]) -> Vec<String> {
        let project = &self.checkout.project;
        let encoding = if project.encoding.is_empty() { "UTF-8" } else { &project.encoding };
        let resources = project.resources.iter().map(|folder| folder.under(&self.checkout.root));
        let path: Vec<String> =
            project.class_path.iter().cloned().chain(resources).map(Utf8PathBuf::into_string).collect();
        let mut args: Vec<String> =
            ["-XDrawDiagnostics", "-Xmaxerrs", COMPLAINTS, "-nowarn", "-proc:none"].map(String::from).to_vec();
        args.extend(["-encoding", encoding, "-implicit:none", "-sourcepath", "", "-d", out.as_str()].map(String::from));
        args.extend(["-classpath".to_owned(), path.join(":")]);
        let wanted = project.release.as_deref().and_then(|text| text.trim_start_matches("1.").parse::<u32>().ok());
        if let Some(level) = wanted.filter(|_| self.jdk.major >= 9) {
            args.extend(["--release".into(), level.clamp(self.jdk.oldest_release(), self.jdk.major).to_string()]);
        }
        args.extend(project.javac_args.iter().cloned());
        args.extend(files.iter().map(ToString::to_string));
        args
    }
}

fn quoted(arg: &str) -> String {
    format!("\"{}\"\n", arg.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_has_a_place_and_names() {
        let line = "Till.java:3:9: compiler.err.cant.resolve.location: kindname.variable, outerTower, , , (compiler.misc.location: kindname.class, p.Till, null)";
        let one = Complaint::read(line).unwrap();
        assert_eq!((one.file.as_str(), one.line, one.column, one.key()), ("Till.java", 3, 9, "cant.resolve.location"));
        assert!(one.words().any(|word| word == "outerTower"));
        assert!(Complaint::read("1 error").is_none());
        assert_eq!(place("a\n\tb c\n", &Complaint { line: 2, column: 11, ..one }), Some((2, 5, 7)));
    }
}
