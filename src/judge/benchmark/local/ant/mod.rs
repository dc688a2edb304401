//! Ant projects: what `build.xml` compiles and tests, read without running Ant. Jars that a target would download are not
//! there; the compiler then says what is missing.

mod build_file;
mod tasks;

use super::plain;
use crate::benchmark::facts::Facts;
use crate::benchmark::settings::Settings;
use crate::benchmark::{BenchmarkError, Project, layout};
use crate::domain::RepoPath;
use build_file::BuildFile;
use camino::Utf8Path;
use tasks::{Javac, Tasks};

/// What Ant reads.
pub(super) const FILE: &str = "build.xml";

/// Describes the Ant project in the private copy `root`.
///
/// # Errors
/// The file compiles nothing that is there, or has no folder of tests.
pub(super) async fn set_up(
    root: &Utf8Path,
    settings: &Settings,
    facts: &Facts,
    notes: &mut Vec<String>,
) -> Result<Project, BenchmarkError> {
    let described = BuildFile::read(root).and_then(|file| describe(root, &Tasks::of(&file)));
    let mut project = match described {
        Ok(project) => project,
        // Macros and tasks of others hide what is compiled; folders may tell it.
        Err(_) if layout::plain(root).is_some() => return plain::set_up(root, settings, facts, notes).await,
        Err(error) => return Err(error),
    };
    notes.push(format!("Ant project: {FILE} was read, Ant is not run"));
    plain::add_libraries(root, &mut project, settings, notes).await?;
    Ok(project)
}

fn describe(root: &Utf8Path, tasks: &Tasks) -> Result<Project, BenchmarkError> {
    let there: Vec<&Javac> = tasks.javac.iter().filter(|javac| !javac.sources.is_empty()).collect();
    if there.is_empty() {
        return Err(refuse(root, "compiles no folder that is there"));
    }
    let mut project = Project { encoding: "UTF-8".into(), ..Project::default() };
    for javac in there.iter().filter(|javac| is_wanted(javac, tasks)) {
        for source in &javac.sources {
            let list = match is_test(source, javac, tasks) {
                true => &mut project.test_roots,
                false => &mut project.source_roots,
            };
            add(list, source);
        }
        project.release = project.release.or_else(|| javac.release.clone());
        project.encoding = javac.encoding.clone().unwrap_or(project.encoding);
    }
    if project.test_roots.is_empty() {
        return Err(refuse(root, "names no folder of tests"));
    }
    // Tests often read files that lie beside them.
    let folders = tasks.copied.iter().chain(&tasks.test_folders).chain(&project.test_roots);
    for folder in folders.filter(|folder| folder.under(root).is_dir() && !tasks.is_made(folder)) {
        add(&mut project.resources, folder);
    }
    project.class_path = tasks.jars.iter().map(|jar| jar.under(root)).collect();
    project.jvm_args.clone_from(&tasks.jvm_args);
    project.tests.include.clone_from(&tasks.include);
    project.tests.exclude.clone_from(&tasks.exclude);
    Ok(project)
}

fn refuse(root: &Utf8Path, what: &str) -> BenchmarkError {
    BenchmarkError::Root {
        what: format!("{FILE} {what}"),
        path: root.join(FILE),
        hint: "use `--build \"ant compile\" --test \"ant test\"`; results are read from JUnit XML".into(),
    }
}

/// Whether tests need what a task compiles: it lands on their class path, where that is known.
fn is_wanted(javac: &Javac, tasks: &Tasks) -> bool {
    let is_known =
        tasks.javac.iter().filter_map(|javac| javac.made.as_ref()).any(|made| tasks.test_path.contains(made));
    !is_known || javac.made.as_ref().is_some_and(|made| tasks.test_path.contains(made))
}

/// Whether a folder holds tests: the file says that they are run from there, or its name does.
fn is_test(source: &RepoPath, javac: &Javac, tasks: &Tasks) -> bool {
    let run = |folder: &RepoPath| tasks.test_folders.contains(folder);
    let shares = javac.made.as_ref().is_some_and(run) && !tasks.is_shared(javac);
    let named = || source.as_str().to_lowercase().split('/').any(|part| part.starts_with("test") || part == "junit");
    run(source) || shares || named()
}

fn add(list: &mut Vec<RepoPath>, folder: &RepoPath) {
    if !list.contains(folder) {
        list.push(folder.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::testing::{project as files, write};

    const BUILD: &str = r#"<project name="shop" default="test" basedir=".">
  <property file="build.properties"/>
  <property name="src" location="java"/>
  <property name="src" location="elsewhere"/>
  <property name="out" value="${basedir}/bin"/>
  <path id="libraries"><fileset dir="libs" includes="**/*.jar" excludes="old/*"/></path>
  <path id="all"><path refid="libraries"/><pathelement location="${out}/main"/><pathelement path="${out}/checks"/></path>
  <target name="compile">
    <javac srcdir="${src}" destdir="${out}/main" source="${level}" encoding="ISO-8859-1" classpathref="libraries"/>
    <copy todir="${out}/main"><fileset dir="${src}" excludes="**/*.java"/></copy>
    <javac srcdir="demo" destdir="${out}/demo"/>
    <javac destdir="${out}/checks"><src path="checks"/><classpath refid="all"/></javac>
  </target>
  <target name="test" depends="compile">
    <junit fork="yes"><jvmarg value="-Xss4m"/><sysproperty key="data" value="checks/data"/><classpath refid="all"/>
      <batchtest todir="reports"><fileset dir="checks" includes="**/*Check.java"><exclude name="**/Abstract*"/></fileset></batchtest>
    </junit>
  </target>
</project>"#;

    #[test]
    fn a_build_file_tells_what_is_compiled_and_tested() {
        let (_keep, root) = files(&[
            (FILE, BUILD),
            ("build.properties", "# levels\nlevel = 1.8\n"),
            ("java/shop/Cart.java", ""),
            ("demo/Demo.java", ""),
            ("checks/shop/CartCheck.java", ""),
            ("libs/old/a.jar", ""),
            ("libs/deep/b.jar", ""),
        ]);
        let project = describe(&root, &Tasks::of(&BuildFile::read(&root).unwrap())).unwrap();
        let path = |text: &str| RepoPath::new(text).unwrap();
        assert_eq!(project.source_roots, [path("java")], "the demo is on no class path of tests");
        assert_eq!(project.test_roots, [path("checks")]);
        assert_eq!(project.resources, [path("java"), path("checks")]);
        assert_eq!(project.class_path, [root.join("libs/deep/b.jar")]);
        assert_eq!((project.release.as_deref(), project.encoding.as_str()), (Some("8"), "ISO-8859-1"));
        assert_eq!(project.jvm_args, ["-Xss4m", "-Ddata=checks/data"]);
        assert_eq!(
            (project.tests.include, project.tests.exclude),
            (vec!["**/*Check.java".into()], vec!["**/Abstract*".into()])
        );
        write(&root.join(FILE), "<project><target name='x'><javac srcdir='../out'/></target></project>");
        let error = describe(&root, &Tasks::of(&BuildFile::read(&root).unwrap())).unwrap_err().to_string();
        assert!(error.contains("compiles no folder that is there"), "{error}");
    }
}
