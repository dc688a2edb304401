//! The modules of a Maven project, as its poms list them.

use crate::benchmark::BenchmarkError;
use crate::benchmark::copy::io_error;
use crate::benchmark::local::modules::Module;
use crate::benchmark::xml::Element;
use crate::domain::RepoPath;
use camino::{Utf8Path, Utf8PathBuf};
use std::fs;

/// A reactor of more modules than this is not read further.
const MAX_MODULES: usize = 500;

/// Where plugins for other languages look for tests.
pub(super) const OTHER_TESTS: [&str; 2] = ["src/test/groovy", "src/test/kotlin"];

/// What a pom calls its own folder.
const BASE: [&str; 2] = ["${basedir}/", "${project.basedir}/"];

/// Larger poms are no poms.
const MAX_POM_BYTES: usize = 8 << 20;

/// The module at `root` and, below it, all that the poms list, parents first.
///
/// # Errors
/// The pom at the root cannot be read or is no pom.
pub(super) fn read(root: &Utf8Path) -> Result<Vec<Module>, BenchmarkError> {
    let mut found: Vec<Module> = Vec::new();
    // Each with the folder of tests that the module which lists it names.
    let mut open = vec![(RepoPath::default(), None::<String>)];
    while let Some((folder, inherited)) = open.pop() {
        let path = folder.under(root).join("pom.xml");
        let bytes = match fs::read(&path) {
            Ok(bytes) if bytes.len() <= MAX_POM_BYTES => bytes,
            Ok(_) => continue,
            Err(source) if found.is_empty() => return Err(io_error("cannot read the pom", &path, source)),
            Err(_) => continue,
        };
        let document = Element::parse(&String::from_utf8_lossy(&bytes));
        let Some((pom, artifact)) =
            document.child("project").and_then(|pom| Some((pom, pom.child_text("artifactId")?.to_owned())))
        else {
            if found.is_empty() {
                return Err(not_a_pom(path));
            }
            continue;
        };
        let own = pom.child("build").and_then(|build| build.child_text("testSourceDirectory"));
        let own = own.map(|text| BASE.iter().find_map(|base| text.strip_prefix(base)).unwrap_or(text).to_owned());
        let named = own.or_else(|| inherited.filter(|_| pom.child("parent").is_some()));
        let below: Vec<_> = listed(pom).filter_map(|module| folder.join(module).ok()).collect();
        open.extend(below.into_iter().rev().map(|folder| (folder, named.clone())));
        let tests = named.as_deref().filter(|text| !text.contains("${")).unwrap_or("src/test/java");
        let tests = [tests].into_iter().chain(OTHER_TESTS).filter_map(|tests| folder.join(tests).ok()).collect();
        let module = Module { folder, name: artifact, tests };
        if found.len() < MAX_MODULES && !found.contains(&module) {
            found.push(module);
        }
    }
    Ok(found)
}

/// The folders of the modules that a pom lists, by itself and in profiles that are active unless somebody says otherwise.
/// A profile for some Java counts: Maven says in the end which modules there are.
pub(super) fn listed(pom: &Element) -> impl Iterator<Item = &str> {
    let profiles = pom.child("profiles").into_iter().flat_map(|profiles| profiles.all("profile"));
    let is_active = |profile: &&Element| {
        profile.child("activation").is_some_and(|when| {
            let is_without = |name: &str| name.starts_with('!');
            let property = when.child("property").and_then(|property| property.child_text("name"));
            when.child_text("activeByDefault") == Some("true")
                || when.child("jdk").is_some()
                || property.is_some_and(is_without)
        })
    };
    let lists = std::iter::once(pom).chain(profiles.filter(is_active)).filter_map(|place| place.child("modules"));
    lists.flat_map(|modules| modules.all("module")).filter_map(Element::text)
}

fn not_a_pom(path: Utf8PathBuf) -> BenchmarkError {
    BenchmarkError::Root {
        what: "the pom names no project".into(),
        path,
        hint: "see what `mvn validate` says in the project".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::testing::project;

    #[test]
    fn modules_are_read_from_the_poms_and_stay_inside() {
        let top = "<project><artifactId>top</artifactId><modules><module>core</module><module>../out</module>\
                   <module>app</module><module>gone</module></modules></project>";
        let part = |name: &str| format!("<project><parent/><artifactId>{name}</artifactId></project>");
        let (_keep, root) =
            project(&[("pom.xml", top), ("core/pom.xml", &part("core")), ("app/pom.xml", &part("app"))]);
        let labels: Vec<_> = read(&root).unwrap().iter().map(|m| m.label().to_owned()).collect();
        assert_eq!(labels, ["top", "core", "app"]);
    }

    #[test]
    fn modules_of_profiles_that_are_active_by_themselves_count() {
        let profile = |when: &str, module: &str| {
            format!("<profile><activation>{when}</activation><modules><module>{module}</module></modules></profile>")
        };
        let profiles = [
            profile("<activeByDefault>true</activeByDefault>", "core"),
            profile("<jdk>[11,)</jdk>", "new"),
            profile("<property><name>!quick</name></property>", "slow"),
            profile("<property><name>release</name></property>", "site"),
        ];
        let all = "<profile><id>all</id><modules><module>bench</module></modules></profile>";
        let pom = format!("<project><profiles>{all}{}</profiles></project>", profiles.concat());
        let document = Element::parse(&pom);
        assert_eq!(listed(document.child("project").unwrap()).collect::<Vec<_>>(), ["core", "new", "slow"]);
    }

    #[test]
    fn a_module_has_the_folder_of_tests_that_its_parent_names() {
        let top = "<project><artifactId>top</artifactId><modules><module>core</module><module>app</module></modules>\
                   <build><testSourceDirectory>${basedir}/src/java/test</testSourceDirectory></build></project>";
        let core = "<project><parent/><artifactId>core</artifactId></project>";
        let app = "<project><parent/><artifactId>app</artifactId><build><testSourceDirectory>t</testSourceDirectory></build></project>";
        let (_keep, root) = project(&[("pom.xml", top), ("core/pom.xml", core), ("app/pom.xml", app)]);
        let all = read(&root).unwrap();
        let tests: Vec<_> = all.iter().map(|module| module.tests[0].to_string()).collect();
        assert_eq!(tests, ["src/java/test", "core/src/java/test", "app/t"]);
        assert!(all[1].tests.iter().any(|folder| folder.as_str() == "core/src/test/groovy"), "for Spock");
    }

    #[test]
    fn what_is_no_pom_is_refused() {
        let (_keep, root) = project(&[("pom.xml", "<html/>")]);
        assert!(read(&root).unwrap_err().to_string().contains("names no project"));
    }
}
