//! What a project's `.mvn` asks of Maven's own process. Options that only set numbers, properties and access are passed
//! on; those that load code into the build tool are left out of the private copy unless the user trusts the build.

use crate::benchmark::BenchmarkError;
use crate::benchmark::copy::io_error;
use camino::Utf8Path;
use std::fs;

/// Options of a JVM that run no code.
const HARMLESS: &[&str] =
    &["-Xm", "-Xs", "-XX:", "-D", "-ea", "-da", "-Xint", "-Xlog", "-Xverify", "-server", "-client", "--enable-preview"];
/// Options whose value is the next word.
const WITH_VALUE: &[&str] = &["--add-exports", "--add-opens", "--add-modules", "--add-reads", "--enable-native-access"];
/// Options that begin as harmless ones do, and run code or read further options from files.
const CODE: &[&str] = &[
    "-XX:OnError",
    "-XX:OnOutOfMemoryError",
    "-XX:Flags",
    "-XX:VMOptionsFile",
    "-Djava.system.class.loader",
    "-Dmaven.ext.class.path",
    "-Dmaven.multiModuleProjectDirectory",
    "-Dmaven.home",
    "-Dclassworlds.conf",
];

/// Leaves out what runs code; tells what, one line each.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn leave_out(root: &Utf8Path) -> Result<Vec<String>, BenchmarkError> {
    let folder = root.join(".mvn");
    let mut notes = Vec::new();
    let extensions = folder.join("extensions.xml");
    if extensions.is_file() {
        fs::remove_file(&extensions).map_err(|source| io_error("cannot leave out", &extensions, source))?;
        notes.push("left out, because it loads code into Maven: .mvn/extensions.xml (--trust-build keeps it)".into());
    }
    for (name, runs_code) in
        [("jvm.config", of_a_jvm as fn(&[&str]) -> Vec<bool>), ("maven.config", of_maven as fn(&[&str]) -> Vec<bool>)]
    {
        let path = folder.join(name);
        let Ok(bytes) = fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let words: Vec<&str> = text.split_whitespace().collect();
        let (left, rest): (Vec<_>, Vec<_>) = words.iter().zip(runs_code(&words)).partition(|(_, code)| *code);
        if left.is_empty() {
            continue;
        }
        let join =
            |all: Vec<(&&str, bool)>, between| all.into_iter().map(|(word, _)| *word).collect::<Vec<_>>().join(between);
        fs::write(&path, join(rest, "\n") + "\n").map_err(|source| io_error("cannot leave out", &path, source))?;
        let left: String = join(left, " ").chars().take(200).collect();
        notes.push(format!("left out, because it runs code in Maven: .mvn/{name} {left:?} (--trust-build keeps it)"));
    }
    Ok(notes)
}

/// Whether each word of `jvm.config` runs code: whatever is not known to be harmless.
fn of_a_jvm(words: &[&str]) -> Vec<bool> {
    let mut is_value = false;
    let runs_code = |word: &&str| {
        if std::mem::take(&mut is_value) {
            return word.starts_with(['-', '@']);
        }
        is_value = WITH_VALUE.contains(word);
        let begins = |all: &[&str]| all.iter().any(|begin| word.starts_with(begin));
        let known = begins(HARMLESS) || WITH_VALUE.iter().any(|option| word.starts_with(&format!("{option}=")));
        !(is_value || known) || begins(CODE)
    };
    words.iter().map(runs_code).collect()
}

/// Whether each word of `maven.config` runs code in Maven itself. Goals and profiles run plug-ins as the poms do.
fn of_maven(words: &[&str]) -> Vec<bool> {
    words.iter().map(|word| CODE.iter().any(|code| word.starts_with(code))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(runs_code: fn(&[&str]) -> Vec<bool>, text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let left = words.iter().zip(runs_code(&words)).filter(|(_, code)| *code);
        left.map(|(word, _)| *word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn usual_options_of_a_jvm_stay_and_those_that_run_code_do_not() {
        let usual = "-Xmx2g -Xss4m -XX:+UseSerialGC -Dfile.encoding=UTF-8 --add-opens java.base/java.lang=ALL-UNNAMED \
                     --add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED --enable-preview -ea";
        assert_eq!(left(of_a_jvm, usual), "");
        for code in [
            "-javaagent:evil.jar",
            "-agentlib:jdwp=x",
            "-agentpath:./evil.so",
            "-Xbootclasspath/a:evil.jar",
            "-Xrunevil",
            "-XX:OnOutOfMemoryError=sh",
            "-XX:VMOptionsFile=x",
            "@options",
            "Evil",
            "-jar",
            "-cp",
            "--patch-module",
            "-Djava.system.class.loader=Evil",
            "$(sh)",
        ] {
            assert_eq!(left(of_a_jvm, &format!("-Xmx1g {code} -Dx=1")), code);
        }
        assert_eq!(left(of_a_jvm, "--add-opens -javaagent:evil.jar"), "-javaagent:evil.jar");
    }

    #[test]
    fn usual_options_of_maven_stay() {
        assert_eq!(left(of_maven, "-T 1C -B -Pfast -DskipITs -ntp --fail-at-end"), "");
        assert_eq!(left(of_maven, "-T1 -Dmaven.ext.class.path=evil.jar"), "-Dmaven.ext.class.path=evil.jar");
    }
}
