//! What a module's effective pom says about compiling and testing.

use crate::benchmark::Project;
use crate::benchmark::local::javac;
use crate::benchmark::xml::Element;
use camino::Utf8PathBuf;

/// Which test classes surefire runs when the pom does not say.
const SUREFIRE_INCLUDES: &[&str] = &["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"];

/// Settings of surefire that change what runs and that we do not follow.
const NOT_FOLLOWED: &[&str] = &["groups", "excludedGroups", "parallel", "includesFile", "test"];

/// Puts the settings of the compiler and of surefire into a project.
pub(super) fn apply(pom: &Element, project: &mut Project, notes: &mut Vec<String>) {
    compiler(pom, project);
    surefire(pom, project, notes);
}

/// The source level, for people.
pub(super) fn level(project: &Project) -> String {
    let source = project.javac_args.iter().skip_while(|arg| *arg != "-source").nth(1);
    let level = project.release.as_ref().or(source);
    level.map_or_else(|| "the JDK's own source level".into(), |level| format!("source level {level}"))
}

/// Source folders that build-helper adds with a goal (`add-source`, `add-test-source`).
pub(super) fn added_sources(pom: &Element, goal: &str) -> Vec<String> {
    let executions = plugin(pom, "build-helper-maven-plugin").and_then(|plugin| plugin.child("executions"));
    let has_goal = |execution: &&Element| {
        execution.child("goals").is_some_and(|goals| goals.all("goal").any(|g| g.text() == Some(goal)))
    };
    let executions = executions.into_iter().flat_map(|executions| executions.all("execution")).filter(has_goal);
    executions
        .filter_map(|execution| execution.at(&["configuration", "sources"]))
        .flat_map(|sources| sources.children.iter().filter_map(Element::text))
        .map(str::to_owned)
        .collect()
}

/// Source folders that the compiler has by an execution of their own, where tests run what is made of them: the classes of a
/// multi-release jar for a newer Java, in a folder that surefire is told of.
pub(super) fn versioned_sources(pom: &Element) -> Vec<String> {
    if !added_class_path(pom).iter().any(|element| element.contains("META-INF/versions/")) {
        return Vec::new();
    }
    let executions = plugin(pom, "maven-compiler-plugin").and_then(|plugin| plugin.child("executions"));
    let configured =
        executions.into_iter().flat_map(|all| all.all("execution")).filter_map(|e| e.child("configuration"));
    let versioned = configured.filter(|settings| settings.child_text("multiReleaseOutput") == Some("true"));
    let folders = versioned.filter_map(|settings| settings.child("compileSourceRoots"));
    folders.flat_map(|roots| roots.children.iter().filter_map(Element::text)).map(str::to_owned).collect()
}

/// Folders and jars that surefire puts on the class path of the tests, beside what the project depends on.
pub(super) fn added_class_path(pom: &Element) -> Vec<String> {
    Configuration::of(pom, "maven-surefire-plugin", "default-test").texts("additionalClasspathElements")
}

/// Where surefire runs the tests, if that is not the module's folder.
pub(super) fn working_directory(pom: &Element) -> Option<String> {
    Configuration::of(pom, "maven-surefire-plugin", "default-test")
        .text("workingDirectory")
        .filter(|text| resolved(text))
}

fn compiler(pom: &Element, project: &mut Project) {
    let settings = Configuration::of(pom, "maven-compiler-plugin", "default-compile");
    let setting = |name: &str, property: &str| settings.text(name).or_else(|| self::property(pom, property));
    project.encoding = setting("encoding", "project.build.sourceEncoding").unwrap_or_else(|| "UTF-8".into());
    project.release = setting("release", "maven.compiler.release");
    if project.release.is_none() {
        // Not `--release`: a project without it may use classes of the JDK that `--release` hides.
        for (option, property) in [("source", "maven.compiler.source"), ("target", "maven.compiler.target")] {
            if let Some(level) = setting(option, property) {
                project.javac_args.extend([format!("-{option}"), level]);
            }
        }
    }
    if settings.text("parameters").as_deref() == Some("true") {
        project.javac_args.push("-parameters".into());
    }
    let listed = settings.texts("compilerArgs").into_iter().chain(settings.text("compilerArgument"));
    project.javac_args.extend(listed.filter(|arg| resolved(arg) && javac::keeps(arg)));
}

fn surefire(pom: &Element, project: &mut Project, notes: &mut Vec<String>) {
    let settings = Configuration::of(pom, "maven-surefire-plugin", "default-test");
    project.tests.include = settings.texts("includes");
    if project.tests.include.is_empty() {
        project.tests.include = SUREFIRE_INCLUDES.iter().map(|&pattern| pattern.to_owned()).collect();
    }
    project.tests.exclude = settings.texts("excludes");
    project.tests.platform_only = has_platform(pom, &project.class_path);
    if settings.text("enableAssertions").as_deref() == Some("false") {
        project.jvm_args.push("-da".into());
    }
    project.class_path_property = Some("surefire.test.class.path");
    // Tests run in a throw-away copy, so the path of the module's folder is not known here.
    let up = project.cwd().as_str().split('/').filter(|part| !part.is_empty()).map(|_| "../").collect::<String>();
    let back = if project.working_directory.is_some() { format!("{up}{}", project.module) } else { ".".to_owned() };
    project.jvm_args.push(format!("-Dbasedir={back}"));
    let line = settings.raw("argLine").or_else(|| raw_property(pom, "argLine")).unwrap_or_default();
    for word in words(&line) {
        if resolved(&word) {
            project.jvm_args.push(word);
        } else {
            notes.push(format!("left out of the test JVM's arguments: {word}"));
        }
    }
    for (name, value) in settings.variables("systemPropertyVariables") {
        if resolved(&value) {
            project.jvm_args.push(format!("-D{name}={value}"));
        }
    }
    let set = settings.variables("environmentVariables").into_iter();
    project.environment.extend(set.filter(|(_, value)| resolved(value)));
    for name in NOT_FOLLOWED.iter().filter(|name| settings.has(name)) {
        notes.push(format!("surefire's `{name}` is not followed"));
    }
}

/// Whether surefire runs tests by the JUnit Platform, which has no engine for JUnit 3 and 4 there.
fn has_platform(pom: &Element, class_path: &[Utf8PathBuf]) -> bool {
    // The last surefire that knows no platform.
    const LAST_WITHOUT: (u32, u32) = (2, 21);
    let surefire = plugin(pom, "maven-surefire-plugin");
    let version = surefire.and_then(|plugin| plugin.child_text("version")).unwrap_or_default();
    let mut numbers = version.split('.').map_while(|number| number.parse::<u32>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let provider = surefire.and_then(|plugin| plugin.child("dependencies"));
    let named = |names: &[&str], text: &str| names.iter().any(|name| text.starts_with(name));
    let chosen =
        provider.into_iter().flat_map(|all| all.children.iter()).filter_map(|one| one.child_text("artifactId"));
    let has = |name: &str| class_path.iter().filter_map(|jar| jar.file_name()).any(|jar| jar.starts_with(name));
    version > LAST_WITHOUT
        && has("junit-jupiter-engine-")
        && !has("junit-vintage-engine-")
        && !chosen.into_iter().any(|name| named(&["surefire-junit4", "surefire-junit3", "junit-vintage"], name))
}

/// A plugin's configuration: of one execution, else of the plugin.
struct Configuration<'a> {
    sources: Vec<&'a Element>,
}

impl<'a> Configuration<'a> {
    fn of(pom: &'a Element, artifact: &str, execution: &str) -> Self {
        let plugin = plugin(pom, artifact);
        let executions = plugin.and_then(|p| p.child("executions"));
        let executed = executions.and_then(|all| all.all("execution").find(|e| e.child_text("id") == Some(execution)));
        let sources = [executed, plugin].into_iter().flatten().filter_map(|place| place.child("configuration"));
        Self { sources: sources.collect() }
    }

    fn element(&self, name: &str) -> Option<&'a Element> {
        self.sources.iter().find_map(|source| source.child(name))
    }

    fn has(&self, name: &str) -> bool {
        self.element(name).is_some_and(|element| element.text().is_some() || !element.children.is_empty())
    }

    /// A text as it is, with places that only a running Maven fills.
    fn raw(&self, name: &str) -> Option<String> {
        self.element(name).and_then(Element::text).map(str::to_owned)
    }

    fn text(&self, name: &str) -> Option<String> {
        self.raw(name).filter(|text| resolved(text))
    }

    /// The texts of the elements inside a list.
    fn texts(&self, name: &str) -> Vec<String> {
        let items = self.element(name).into_iter().flat_map(|list| list.children.iter());
        items.filter_map(Element::text).filter(|text| resolved(text)).map(str::to_owned).collect()
    }

    /// Names and texts of the elements inside.
    fn variables(&self, name: &str) -> Vec<(String, String)> {
        let items = self.element(name).into_iter().flat_map(|list| list.children.iter());
        items.map(|item| (item.name.clone(), item.text().unwrap_or("").to_owned())).collect()
    }
}

fn plugin<'a>(pom: &'a Element, artifact: &str) -> Option<&'a Element> {
    pom.at(&["build", "plugins"])?.all("plugin").find(|plugin| plugin.child_text("artifactId") == Some(artifact))
}

fn raw_property(pom: &Element, name: &str) -> Option<String> {
    pom.child("properties")?.child_text(name).map(str::to_owned)
}

fn property(pom: &Element, name: &str) -> Option<String> {
    raw_property(pom, name).filter(|text| resolved(text))
}

/// Whether a text has no place left that only a running Maven would fill (`${…}`, surefire's `@{…}`).
fn resolved(text: &str) -> bool {
    !text.contains("${") && !text.contains("@{")
}

/// Cuts a line of arguments at white space outside quotes, as surefire does.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(inside: &str) -> (Project, Vec<String>) {
        let document = Element::parse(&format!("<project>{inside}</project>"));
        let (mut project, mut notes) = (Project::default(), Vec::new());
        apply(document.child("project").unwrap(), &mut project, &mut notes);
        (project, notes)
    }

    #[test]
    fn a_bare_pom_has_mavens_defaults() {
        let (project, notes) = read("");
        assert_eq!((project.release, project.encoding.as_str()), (None, "UTF-8"));
        assert!(project.tests.include.contains(&"**/*Test.java".to_owned()));
        assert_eq!(project.jvm_args, ["-Dbasedir=."]);
        assert!(notes.is_empty());
    }

    #[test]
    fn the_compiler_is_told_what_maven_tells_it() {
        let (project, _) = read(
            "<properties><maven.compiler.source>1.8</maven.compiler.source>\
             <maven.compiler.target>1.8</maven.compiler.target>\
             <project.build.sourceEncoding>ISO-8859-1</project.build.sourceEncoding></properties>\
             <build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
             <compilerArgs><arg>-proc:none</arg><arg>-Werror</arg><arg>-Xlint:all</arg>\
             <arg>-Xplugin:ErrorProne -XepDisableAllChecks</arg><arg>-Xep:DeadException:OFF</arg></compilerArgs>\
             <parameters>true</parameters></configuration></plugin></plugins></build>",
        );
        assert_eq!(project.javac_args, ["-source", "1.8", "-target", "1.8", "-parameters", "-proc:none"]);
        assert_eq!((project.encoding.as_str(), level(&project).as_str()), ("ISO-8859-1", "source level 1.8"));
        let (project, _) = read("<properties><maven.compiler.release>11</maven.compiler.release></properties>");
        assert_eq!(project.release.as_deref(), Some("11"));
    }

    #[test]
    fn surefire_is_followed() {
        let (project, notes) = read(
            "<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><executions><execution>\
             <id>default-test</id><configuration><includes><include>**/*Spec.java</include></includes>\
             <excludes><exclude>**/Slow*.java</exclude></excludes><groups>fast</groups>\
             <argLine>@{argLine} -Xmx512m \"-Dname=a b\"</argLine>\
             <systemPropertyVariables><mode>test</mode></systemPropertyVariables><environmentVariables><MODE>test</MODE>\
             <LEVEL>${no.level}</LEVEL></environmentVariables></configuration></execution>\
             </executions></plugin></plugins></build>",
        );
        assert_eq!(project.tests.include, ["**/*Spec.java"]);
        assert_eq!(project.tests.exclude, ["**/Slow*.java"]);
        assert_eq!(project.jvm_args[1..], ["-Xmx512m", "-Dname=a b", "-Dmode=test"]);
        assert_eq!(project.environment, [("MODE".to_owned(), "test".to_owned())]);
        assert_eq!(notes, ["left out of the test JVM's arguments: @{argLine}", "surefire's `groups` is not followed"]);
    }

    #[test]
    fn added_source_folders_are_found() {
        let text = "<project><build><plugins><plugin><artifactId>build-helper-maven-plugin</artifactId><executions>\
                    <execution><goals><goal>add-source</goal></goals><configuration><sources><source>gen</source>\
                    </sources></configuration></execution></executions></plugin></plugins></build></project>";
        let document = Element::parse(text);
        assert_eq!(added_sources(document.child("project").unwrap(), "add-source"), ["gen"]);
        assert!(added_sources(document.child("project").unwrap(), "add-test-source").is_empty());
    }

    #[test]
    fn sources_for_a_newer_java_count_where_tests_run_them() {
        let compiler = "<plugin><artifactId>maven-compiler-plugin</artifactId><executions><execution><configuration>\
                        <multiReleaseOutput>true</multiReleaseOutput><compileSourceRoots><root>/p/src/main/java11</root>\
                        </compileSourceRoots></configuration></execution></executions></plugin>";
        let surefire = "<plugin><artifactId>maven-surefire-plugin</artifactId><configuration>\
                        <additionalClasspathElements><one>/p/target/classes/META-INF/versions/11</one>\
                        </additionalClasspathElements></configuration></plugin>";
        let found = |plugins: &str| {
            let document = Element::parse(&format!("<project><build><plugins>{plugins}</plugins></build></project>"));
            versioned_sources(document.child("project").unwrap())
        };
        assert_eq!(found(&[compiler, surefire].concat()), ["/p/src/main/java11"]);
        assert!(found(compiler).is_empty(), "no test sees them");
    }
}
