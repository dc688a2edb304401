//! What is measured on: a generated project or a copy of a local one, with a bug put in, and candidates for it.

use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::time::SystemTime;
use tempfile::TempDir;
use unidebug::benchmark::jdk::{self, Jdk};
use unidebug::benchmark::{Checkout, Settings, find, parse_bug, private_copy};
use unidebug::domain::{FileChange, Outcome, Patch, RepoPath, TestId};
use unidebug::language::{self, Java, Language};
use unidebug::sandbox::{Choice, Sandbox};
use unidebug::validate::{ColdJudge, Judge, Options, ValidateError};

/// Classes of the generated project, and as many of tests.
const CLASSES: usize = 100;
/// Methods of each class, and tests of each test class.
const METHODS: usize = 20;
/// Seed of the drawn methods.
const SEED: u64 = 1;
/// Draws after which a project is given up.
const DRAWS: usize = 40;
/// Other methods of a file that are tried for the candidate that breaks another test.
const OTHERS: usize = 12;
/// The largest share of tests that the bug may fail: one in so many.
const FEW: usize = 20;

/// A bug on the bench.
pub struct Subject {
    _folder: TempDir,
    /// For people.
    pub title: String,
    pub checkout: Checkout,
    pub options: Options,
    file: RepoPath,
    /// The file without the bug.
    healthy: String,
    /// Where the bug stands: the start of a method's body.
    at: usize,
    /// Start of the body of a method whose tests pass in spite of the bug.
    other: usize,
}

impl Subject {
    /// The generated project.
    pub async fn generated() -> Self {
        Self::of(&|root| {
            // Another one each time, so that nothing of it is in the cache.
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
            let write = |path: String, text: String| {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            };
            write("src/gen/Salt.java".into(), format!("package gen;\n\nclass Salt {{\n    // {now}\n}}\n"));
            for class in 0..CLASSES {
                write(format!("src/gen/C{class}.java"), product(class));
                write(format!("test/gen/C{class}Test.java"), test(class));
            }
        })
        .await
    }

    /// A copy of a project in a folder, set up as `unidebug run FOLDER` does it.
    pub async fn copy_of(project: &Utf8Path) -> Self {
        Self::of(&|root| drop(private_copy(project, root).unwrap())).await
    }

    async fn of(make: &dyn Fn(&Utf8Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap().canonicalize_utf8().unwrap();
        let project = base.join("project");
        std::fs::create_dir_all(&project).unwrap();
        make(&project);
        let untouched = check_out(&project, &base.join("untouched")).await;
        let options = Options::new(folder_in(&base, "work"));
        let known = match open(&untouched, &options).await {
            Ok(judge) => judge.baseline().triggering.iter().cloned().collect(),
            Err(ValidateError::NothingFails { .. }) => BTreeSet::new(),
            Err(error) => panic!("{error}; {}", error.hint()),
        };
        for (draw, (file, bodies)) in drawn(&untouched).into_iter().take(DRAWS).enumerate() {
            let healthy = std::fs::read_to_string(file.under(&project)).unwrap();
            let mut subject = Self {
                title: String::new(),
                checkout: untouched.clone(),
                options: options.clone(),
                at: bodies[0],
                other: 0,
                file,
                healthy,
                _folder: tempfile::tempdir().unwrap(),
            };
            std::fs::write(subject.file.under(&project), subject.buggy()).unwrap();
            subject.checkout = check_out(&project, &base.join(format!("draw-{draw}"))).await;
            std::fs::write(subject.file.under(&project), &subject.healthy).unwrap();
            if subject.is_seen(&known, &bodies[1..]).await {
                subject._folder = folder;
                return subject;
            }
        }
        panic!("{DRAWS} methods were drawn, and no bug in them was noticed by a few tests alone");
    }

    /// Whether a few tests see the bug, and others see what goes wrong in another method.
    async fn is_seen(&mut self, known: &BTreeSet<TestId>, others: &[usize]) -> bool {
        let Ok(judge) = open(&self.checkout, &self.options).await else { return false };
        let tests = judge.baseline().report.results.len();
        let new: Vec<TestId> = judge.baseline().triggering.iter().filter(|id| !known.contains(*id)).cloned().collect();
        if new.is_empty() || new.len() > tests / FEW {
            return false;
        }
        self.title = format!("{} of {tests} tests fail by a bug in {}", new.len(), self.file);
        self.options.failing = new;
        let Ok(judge) = open(&self.checkout, &self.options).await else { return false };
        for other in others.iter().take(OTHERS) {
            self.other = *other;
            if judge.validate(&self.breaking(0)).await.is_ok_and(|validation| validation.outcome == Outcome::Regression)
            {
                return true;
            }
        }
        false
    }

    /// Options under which the same JDK gets none of our flags: what a user's own `javac` and `java` cost.
    pub fn with_plain_jdk(&self) -> Options {
        let jdk = jdk::find(None).unwrap();
        let home = folder_in(self.options.work_dir.parent().unwrap(), "plain-jdk");
        let ours = "-XX:+UseSerialGC|-XX:TieredStopAtLevel=1|-J-XX:+UseSerialGC|-J-XX:TieredStopAtLevel=1";
        for (name, real) in [("java", jdk.java()), ("javac", jdk.javac())] {
            let script = format!(
                "#!/bin/sh\nfor arg do shift; case \"$arg\" in {ours}) ;; *) set -- \"$@\" \"$arg\" ;; esac; done\nexec \
                 {real} \"$@\"\n"
            );
            let file = folder_in(&home, "bin").join(name);
            std::fs::write(&file, script).unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Options { jdk: Some(Jdk { home, ..jdk }), ..self.options.clone() }
    }

    fn buggy(&self) -> String {
        with(&self.healthy, &[(self.at, thrown(0))])
    }

    fn patch(&self, edits: &[(usize, String)]) -> Patch {
        let (before, after) = (self.buggy().into_bytes(), with(&self.healthy, edits).into_bytes());
        Patch { files: vec![FileChange { path: self.file.clone(), before: Some(before.into()), after: after.into() }] }
    }

    /// A candidate without the bug.
    pub fn repaired(&self, salt: usize) -> Patch {
        self.patch(&[(self.at, format!(" int unidebugKept = {salt};"))])
    }

    /// A candidate that still fails.
    pub fn failing(&self, salt: usize) -> Patch {
        self.patch(&[(self.at, thrown(salt + 1))])
    }

    /// A candidate without the bug that breaks another method.
    fn breaking(&self, salt: usize) -> Patch {
        self.patch(&[(self.at, format!(" int unidebugKept = {salt};")), (self.other, thrown(salt))])
    }

    /// 30 candidates as a search makes them: 6 do not compile, 20 fail, 1 breaks another test, 3 pass.
    pub fn variants(&self, salt: usize) -> Vec<Patch> {
        let salt = salt * 100;
        let unknown = |n: usize| self.patch(&[(self.at, format!(" int unidebugKept = unidebugNobody{n};"))]);
        let mut all: Vec<Patch> = (salt..salt + 6).map(unknown).collect();
        all.extend((salt..salt + 20).map(|n| self.failing(n)));
        all.push(self.breaking(salt));
        all.extend((salt..salt + 3).map(|n| self.repaired(n)));
        all
    }

    /// What becomes of [`Self::variants`].
    pub const EXPECTED: [(Outcome, usize); 4] =
        [(Outcome::CompileError, 6), (Outcome::Failed, 20), (Outcome::Regression, 1), (Outcome::PassedWarm, 3)];
}

/// The bug: a method that ends at once.
fn thrown(n: usize) -> String {
    format!(" if (true) {{ throw new IllegalStateException(\"made to fail {n}\"); }}")
}

fn with(text: &str, edits: &[(usize, String)]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    edits.iter().fold(text.to_owned(), |mut text, (at, insert)| {
        text.insert_str(*at, insert);
        text
    })
}

fn folder_in(base: &Utf8Path, name: &str) -> Utf8PathBuf {
    let folder = base.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

async fn check_out(project: &Utf8Path, into: &Utf8Path) -> Checkout {
    std::fs::create_dir_all(into).unwrap();
    let id = parse_bug(project.as_str()).unwrap();
    let checkout = find(&id.benchmark, &Settings::default()).unwrap().checkout(&id, into).await;
    checkout.unwrap_or_else(|error| panic!("{error}; {}", error.hint()))
}

/// The kernel does not credit a parent with what runs in a name space of its own, so processor seconds are taken
/// without one on both sides.
async fn open(checkout: &Checkout, options: &Options) -> Result<ColdJudge, ValidateError> {
    let sandbox = Sandbox::detect(Choice::None).await.unwrap();
    ColdJudge::open(checkout, &sandbox, options.clone()).await
}

/// Product files in the order of the seed, each with the starts of its methods' bodies in such an order.
fn drawn(checkout: &Checkout) -> Vec<(RepoPath, Vec<usize>)> {
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut files = Vec::new();
    for root in &checkout.project.source_roots {
        for entry in ignore::WalkBuilder::new(root.under(&checkout.root)).sort_by_file_path(Ord::cmp).build().flatten()
        {
            let Some(path) = Utf8Path::from_path(entry.path()).filter(|path| path.extension() == Some("java")) else {
                continue;
            };
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let mut bodies = bodies(&text);
            random.shuffle(&mut bodies);
            if bodies.len() > 1 {
                let inside = path.strip_prefix(&checkout.root).unwrap();
                files.push((RepoPath::new(inside.as_str()).unwrap(), bodies));
            }
        }
    }
    random.shuffle(&mut files);
    files
}

fn bodies(text: &str) -> Vec<usize> {
    let java: &dyn Language = &Java;
    let mut found = Vec::new();
    if let Some(tree) = language::parse(text, java) {
        language::preorder(tree.root_node(), |node| {
            let body = node.child_by_field_name("body").filter(|_| node.kind() == "method_declaration");
            found.extend(body.map(|body| body.start_byte() + 1));
            true
        });
    }
    found
}

fn product(class: usize) -> String {
    let mut text = format!("package gen;\n\npublic class C{class} {{\n");
    for method in 0..METHODS {
        text.push_str(&format!(
            "    public static int m{method}(int x) {{\n        return x * {method} + {class};\n    }}\n\n"
        ));
    }
    let below = class.saturating_sub(1);
    text.push_str(&format!(
        "    public static int chain(int x) {{\n        return C{below}.m1(x) + m2(x);\n    }}\n}}\n"
    ));
    text
}

fn test(class: usize) -> String {
    let mut text = format!(
        "package gen;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class C{class}Test {{\n"
    );
    for method in 0..METHODS {
        let (call, wanted) = if method == 0 {
            (format!("C{class}.chain(3)"), 3 + class.saturating_sub(1) + 6 + class)
        } else {
            (format!("C{class}.m{method}(3)"), 3 * method + class)
        };
        text.push_str(&format!(
            "    @Test\n    public void m{method}() {{\n        assertEquals({wanted}, {call});\n    }}\n\n"
        ));
    }
    text + "}\n"
}
