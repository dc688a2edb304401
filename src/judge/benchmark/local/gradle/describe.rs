//! A module as Gradle tells it, as a project for the judge.

use super::answers::{Build, Compiled, CompilerAnswer, ModuleAnswer, SourceSet, TestsAnswer};
use crate::benchmark::Project;
use crate::benchmark::local::javac;
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};

/// From this version on tests see the JDK's own packages closed.
const CLOSES_THE_JDK: (u32, u32) = (7, 5);
/// From this version on annotation processors are named apart from the class path.
const NAMES_PROCESSORS: (u32, u32) = (5, 0);

/// The project of a module that was compiled in the copy `root`.
pub(super) fn project(
    root: &Utf8Path,
    build: &Build,
    module: &ModuleAnswer,
    compiled: &Compiled,
    notes: &mut Vec<String>,
) -> Project {
    let mut project = Project { module: inside(root, &module.folder).unwrap_or_default(), ..Project::default() };
    let mut sets: Vec<(&ModuleAnswer, &SourceSet)> = Vec::new();
    let none = CompilerAnswer::default();
    let compiler = compiled.compiler.as_ref().unwrap_or(&none);
    let paths = compiler.class_path.iter().chain(&compiler.processors);
    for entry in compiled.tests.class_path.iter().chain(paths) {
        match set_of(build, entry) {
            Some(found) if sets.iter().any(|known| std::ptr::eq(known.1, found.1)) => {}
            Some(found) => {
                add_set(root, found, &compiled.tests, &mut project);
                sets.push(found);
            }
            None => add_entry(root, entry, &mut project, notes),
        }
    }
    compile_as(build, compiler, &mut project);
    test_as(root, build, module, &compiled.tests, &mut project, notes);
    let level = project.release.clone().or_else(|| compiler.source.clone());
    let level = level.map_or_else(|| "the JDK's own source level".into(), |level| format!("source level {level}"));
    notes.push(format!("class path of {} entries, {level}, {}", project.class_path.len(), project.encoding));
    project
}

/// Folders of a module's product classes.
pub(super) fn outputs(root: &Utf8Path, module: &ModuleAnswer) -> Vec<RepoPath> {
    let product = module.sets.iter().filter(|set| !is_test(&set.name));
    product.flat_map(|set| &set.output).filter_map(|folder| inside(root, folder)).collect()
}

/// Folders of a module's test sources.
pub(super) fn tests(root: &Utf8Path, module: &ModuleAnswer) -> Vec<RepoPath> {
    let sets = module.sets.iter().filter(|set| is_test(&set.name));
    sets.flat_map(|set| &set.sources).filter_map(|folder| inside(root, folder)).collect()
}

/// The path of a file of the project, relative to it.
pub(super) fn inside(root: &Utf8Path, full: &Utf8Path) -> Option<RepoPath> {
    RepoPath::new(full.strip_prefix(root).ok()?.as_str()).ok()
}

fn is_test(name: &str) -> bool {
    name.to_lowercase().contains("test")
}

/// The sources that an entry of a class path is made of.
fn set_of<'b>(build: &'b Build, entry: &Utf8Path) -> Option<(&'b ModuleAnswer, &'b SourceSet)> {
    let all = build.modules.iter().flat_map(|module| module.sets.iter().map(move |set| (module, set)));
    let is_made = |set: &SourceSet| set.jar.as_deref() == Some(entry) || set.output.iter().any(|out| out == entry);
    all.into_iter().find(|(_, set)| is_made(set))
}

fn add_set(root: &Utf8Path, (module, set): (&ModuleAnswer, &SourceSet), tests: &TestsAnswer, project: &mut Project) {
    let runs = set.output.iter().any(|folder| tests.classes.contains(folder));
    for folder in &set.sources {
        let Some(path) = inside(root, folder).filter(|_| folder.is_dir()) else { continue };
        if folder.starts_with(&module.build_dir) {
            project.generated.push(path);
        } else if runs || is_test(&set.name) {
            project.test_roots.push(path);
        } else {
            project.source_roots.push(path);
        }
    }
    let made = set.output.iter().filter(|folder| folder.is_dir()).filter_map(|folder| inside(root, folder));
    match (runs, is_test(&set.name)) {
        (true, _) => project.compiled_tests.extend(made),
        (false, true) => project.compiled_helpers.extend(made),
        (false, false) => project.compiled.extend(made),
    }
}

/// Adds a jar or folder that no source set of the build makes.
fn add_entry(root: &Utf8Path, entry: &Utf8PathBuf, project: &mut Project, notes: &mut Vec<String>) {
    if project.class_path.contains(entry) {
        return;
    }
    match inside(root, entry) {
        Some(folder) if entry.is_dir() => project.compiled.push(folder),
        _ if entry.exists() => project.class_path.push(entry.clone()),
        // Gradle names folders of resources and classes that nothing was put into.
        Some(_) => {}
        None => notes.push(format!("left out of the class path, because it does not exist: {entry}")),
    }
}

fn compile_as(build: &Build, compiler: &CompilerAnswer, project: &mut Project) {
    project.encoding = compiler.encoding.clone().unwrap_or_else(|| "UTF-8".into());
    let names_release = compiler.arguments.iter().any(|arg| arg == "--release");
    project.release.clone_from(&compiler.release);
    if project.release.is_none() && !names_release {
        for (option, level) in [("-source", &compiler.source), ("-target", &compiler.target)] {
            project.javac_args.extend(level.iter().flat_map(|level| [option.to_owned(), level.clone()]));
        }
    }
    project.javac_args.extend(compiler.arguments.iter().filter(|arg| javac::keeps(arg)).cloned());
    if compiler.processors.is_empty() && version(build) >= NAMES_PROCESSORS {
        project.javac_args.push("-proc:none".into());
    }
}

fn test_as(
    root: &Utf8Path,
    build: &Build,
    module: &ModuleAnswer,
    tests: &TestsAnswer,
    project: &mut Project,
    notes: &mut Vec<String>,
) {
    project.tests.include.clone_from(&tests.include);
    project.tests.exclude.clone_from(&tests.exclude);
    if tests.jdk.as_ref().is_some_and(|jdk| *jdk != build.jdk) {
        project.jdk.clone_from(&tests.jdk);
    }
    let mut args = Vec::new();
    if !tests.assertions {
        args.push("-da".to_owned());
    }
    if version(build) < CLOSES_THE_JDK {
        args.extend(["java.lang", "java.util"].map(|name| format!("--add-opens=java.base/{name}=ALL-UNNAMED")));
    }
    args.extend(tests.encoding.iter().map(|name| format!("-Dfile.encoding={name}")));
    args.extend(tests.heap.iter().map(|heap| format!("-Xmx{heap}")));
    let is_coverage = |arg: &&String| arg.starts_with("-javaagent:") && arg.contains("jacoco");
    args.extend(tests.arguments.iter().chain(&tests.provided).filter(|arg| !is_coverage(arg)).cloned());
    let valued = tests.properties.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    args.extend(valued.map(|(name, value)| format!("-D{name}={value}")));
    project.jvm_args.extend(args.iter().map(|arg| relative(root, &module.folder, arg)));
    if tests.folder != module.folder {
        let folder = inside(root, &tests.folder).map_or_else(|| tests.folder.to_string(), |path| path.to_string());
        notes.push(format!("tests run in the module's folder, not in `{folder}`"));
    }
    for (name, values) in [
        ("tags", [&tests.tags[..], &tests.not_tags].concat()),
        ("categories", tests.categories.clone()),
        ("filter", tests.filters.clone()),
    ] {
        if !values.is_empty() {
            notes.push(format!("the test task's {name} are not followed: {}", values.join(", ")));
        }
    }
    if tests.framework.starts_with("TestNG") {
        notes.push("the test task runs TestNG".into());
    }
}

/// An argument whose paths in the copy are seen from the module's folder: tests run in a throw-away copy.
fn relative(root: &Utf8Path, module: &Utf8Path, arg: &str) -> String {
    let depth = module.strip_prefix(root).map_or(0, |inside| inside.components().count());
    let up = if depth == 0 { ".".to_owned() } else { vec![".."; depth].join("/") };
    arg.replace(module.as_str(), ".").replace(root.as_str(), &up)
}

/// Major and minor number of the Gradle that told it.
fn version(build: &Build) -> (u32, u32) {
    let mut numbers = build.gradle.split(['.', '-']).map(|text| text.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::local::gradle::answers::Answers;

    /// What Gradle 8 tells of a module `app` that needs its sibling `core`, in a copy at `root`.
    fn described(root: &Utf8Path) -> (Build, Compiled) {
        let build = r#"{"gradle": "8.5", "jdk": "/jdk17", "modules": [
            {"name": "app", "folder": "ROOT/app", "buildDir": "ROOT/app/build", "test": ":app:test",
             "sets": [{"name": "main", "sources": ["ROOT/app/src/main/java", "ROOT/app/build/generated/java"],
                       "output": ["ROOT/app/build/classes/java/main"], "jar": "ROOT/app/build/libs/app.jar"},
                      {"name": "test", "sources": ["ROOT/app/src/test/java"],
                       "output": ["ROOT/app/build/classes/java/test", "ROOT/app/build/resources/test"], "jar": null}]},
            {"name": "core", "folder": "ROOT/core", "buildDir": "ROOT/core/build", "test": null,
             "sets": [{"name": "main", "sources": ["ROOT/core/src/main/java"],
                       "output": ["ROOT/core/build/classes/java/main"], "jar": "ROOT/core/build/libs/core.jar"}]}]}"#;
        let compiled = r#"{"compiler": {"classPath": ["ROOT/core/build/libs/core.jar", "ROOT/lib/only.jar"],
              "encoding": "UTF-8", "release": "11", "source": "11", "target": "11",
              "arguments": ["-Werror", "-Xlint:all", "-parameters"], "processors": []},
             "tests": {"classPath": ["ROOT/app/build/classes/java/test", "ROOT/app/build/resources/test",
              "ROOT/app/build/classes/java/main", "ROOT/app/build/resources/main", "ROOT/core/build/libs/core.jar",
              "/gone.jar"], "classes": ["ROOT/app/build/classes/java/test"], "framework": "JUnitPlatformOptions",
              "include": ["**/*Test.class"], "exclude": [], "tags": ["fast"], "notTags": [], "categories": [],
              "filters": [], "arguments": ["-javaagent:ROOT/x/jacocoagent.jar=a", "-Dy=ROOT/data"], "provided": [],
              "properties": {"home": "ROOT/app/x", "none": null}, "heap": "256m", "assertions": true,
              "encoding": null, "folder": "ROOT/app", "jdk": "/jdk21"}}"#;
        for folder in ["app/src/main/java", "app/src/test/java", "app/build/generated/java", "core/src/main/java"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for folder in ["app", "core"].map(|module| format!("{module}/build/classes/java/main")) {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::create_dir_all(root.join("app/build/classes/java/test")).unwrap();
        std::fs::create_dir_all(root.join("lib")).unwrap();
        std::fs::write(root.join("lib/only.jar"), "").unwrap();
        let answers = Answers::new().unwrap();
        let folder = answers.folder().unwrap();
        std::fs::write(folder.join("modules.json"), build.replace("ROOT", root.as_str())).unwrap();
        std::fs::write(folder.join("module-0.json"), compiled.replace("ROOT", root.as_str())).unwrap();
        (answers.build().unwrap(), answers.compiled(0).unwrap())
    }

    #[test]
    fn a_module_has_its_siblings_classes_and_its_own_settings() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let (build, compiled) = described(root);
        let mut notes = Vec::new();
        let project = project(root, &build, &build.modules[0], &compiled, &mut notes);
        let names = |paths: &[RepoPath]| paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&project.source_roots), "app/src/main/java core/src/main/java");
        assert_eq!(names(&project.test_roots), "app/src/test/java");
        assert_eq!(names(&project.generated), "app/build/generated/java");
        assert_eq!(names(&project.compiled), "app/build/classes/java/main core/build/classes/java/main");
        assert_eq!(names(&project.compiled_tests), "app/build/classes/java/test");
        assert_eq!(project.class_path, [root.join("lib/only.jar")]);
        assert_eq!((project.release.as_deref(), project.jdk), (Some("11"), Some("/jdk21".into())));
        assert_eq!(project.javac_args, ["-parameters", "-proc:none"]);
        assert_eq!(project.jvm_args, ["-Xmx256m", "-Dy=../data", "-Dhome=./x"]);
        assert_eq!(
            notes,
            [
                "left out of the class path, because it does not exist: /gone.jar",
                "the test task's tags are not followed: fast",
                "class path of 1 entries, source level 11, UTF-8"
            ]
        );
    }
}
