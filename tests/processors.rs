//! Projects with annotation processors on their class path, with and without a part in what is repaired.

use crate::support::{unidebug, write_files};
use std::path::Path;
use std::process::Command;

/// Makes a class with a constant for each annotated class.
const PROCESSOR: &str = r#"package gen;

import java.io.Writer;
import java.util.Set;
import javax.annotation.processing.*;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.*;

@SupportedAnnotationTypes("gen.Rated")
public class Rates extends AbstractProcessor {
    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> kinds, RoundEnvironment round) {
        for (Element each : round.getElementsAnnotatedWith(Rated.class)) {
            String name = each.getSimpleName() + "Rate";
            try (Writer file = processingEnv.getFiler().createSourceFile("shop." + name, each).openWriter()) {
                file.write("package shop;\nclass " + name + " { static final int RATE = Integer.parseInt(\"");
                file.write(each.getAnnotation(Rated.class).value() + "\"); }\n");
            } catch (java.io.IOException error) {
                throw new RuntimeException(error);
            }
        }
        return true;
    }
}
"#;
const RATED: &str = "package gen;\n\nimport java.lang.annotation.*;\n\n@Retention(RetentionPolicy.SOURCE)\n\
                     public @interface Rated {\n    int value();\n}\n";
const CART: &str = "package shop;\n\nimport gen.Rated;\n\n@Rated(2)\npublic class Cart {\n    public int price(int n) {\n        \
                    return n * CartRate.RATE;\n    }\n}\n";
const BASKET: &str = "package shop;\n\npublic class Basket {\n    public int price(int n) {\n        \
                      return n > 3 ? n * 2 : n;\n    }\n}\n";

fn test_of(class: &str, price: u32) -> String {
    format!(
        "package shop;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class {class}Test {{\n    \
         @Test\n    public void many() {{\n        assertEquals({price}, new {class}().price(4));\n    }}\n\n    \
         @Test\n    public void none() {{\n        assertEquals(0, new {class}().price(0));\n    }}\n}}\n"
    )
}

/// Compiles the processor into `lib` and registers it.
fn add_processor(project: &Path, text: &str) {
    write_files(project, &[("gen/gen/Rates.java", text), ("gen/gen/Rated.java", RATED)]);
    let files = ["gen/gen/Rates.java", "gen/gen/Rated.java"];
    let done = Command::new("javac").args(["-proc:none", "-d", "lib"]).args(files).current_dir(project).output();
    let done = done.unwrap();
    assert!(done.status.success(), "{done:?}");
    std::fs::remove_dir_all(project.join("gen")).unwrap();
    let services = [("lib/META-INF/services/javax.annotation.processing.Processor", "gen.Rates\n")];
    write_files(project, &services);
}

fn project(class: &str, text: &str, price: u32) -> tempfile::TempDir {
    project_with(class, text, price, PROCESSOR)
}

fn project_with(class: &str, text: &str, price: u32, processor: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (source, test) = (format!("src/main/java/shop/{class}.java"), format!("src/test/java/shop/{class}Test.java"));
    let files =
        [(source.as_str(), text), (&test, &test_of(class, price)), (".unidebug.toml", "class_path = [\"lib\"]\n")];
    write_files(folder.path(), &files);
    add_processor(folder.path(), processor);
    folder
}

/// The processor, which writes a class that was compiled before in the place of a source.
fn that_writes_a_class() -> String {
    let begin = PROCESSOR.find("            try (Writer").unwrap();
    let end = PROCESSOR.find("            } catch").unwrap();
    let body = "            try (java.io.OutputStream file = processingEnv.getFiler().createClassFile(\"shop.\" + name, each)\n\
                \x20                   .openOutputStream();\n\
                \x20                   java.io.InputStream made = Rates.class.getResourceAsStream(\"rate.bin\")) {\n\
                \x20               made.transferTo(file);\n";
    format!("{}{body}{}", &PROCESSOR[..begin], &PROCESSOR[end..])
}

/// Repairs a project whose processor writes a class, without a fresh compiler for each candidate.
fn repaired_in_a_compiler_that_stays(processor: &str) {
    let cart = CART.replace("return n * CartRate.RATE;", "return n > 4 ? n * CartRate.RATE : n;");
    let folder = project_with("Cart", &cart, 8, processor);
    let rate = "package shop;\n\nclass CartRate {\n    static final int RATE = Integer.parseInt(\"2\");\n}\n";
    write_files(folder.path(), &[("rate/CartRate.java", rate), ("rates.config", "made = yes\n")]);
    let done = Command::new("javac").args(["-d", "rate", "rate/CartRate.java"]).current_dir(folder.path()).output();
    assert!(done.unwrap().status.success());
    std::fs::rename(folder.path().join("rate/shop/CartRate.class"), folder.path().join("lib/gen/rate.bin")).unwrap();
    std::fs::remove_dir_all(folder.path().join("rate")).unwrap();
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin", "--json", "--log", "info"]);
    done.expect_code(0);
    let patch = done.json()["patch"].as_str().unwrap().to_owned();
    assert!(patch.contains("n > 3") || patch.contains("n >= 4"), "{done}");
    assert!(!done.stderr.contains("annotation processors"), "{done}");
}

#[test]
fn a_processor_that_makes_classes_runs_in_the_compiler_that_stays() {
    repaired_in_a_compiler_that_stays(&that_writes_a_class());
}

#[test]
fn a_processor_finds_its_settings_above_the_sources() {
    // As Lombok looks for `lombok.config`.
    let looks = "for (Element each : round.getElementsAnnotatedWith(Rated.class)) {
            var unit = com.sun.source.util.Trees.instance(processingEnv).getPath(each).getCompilationUnit();
            var folder = java.nio.file.Paths.get(unit.getSourceFile().toUri());
            while (!java.nio.file.Files.exists(folder.resolve(\"rates.config\"))) folder = folder.getParent();
";
    let begin = "for (Element each : round.getElementsAnnotatedWith(Rated.class)) {\n";
    repaired_in_a_compiler_that_stays(&that_writes_a_class().replace(begin, looks));
}

#[test]
fn a_processor_without_a_part_in_the_product_does_not_stand_in_the_way() {
    let folder = project("Basket", &BASKET.replace("n > 3", "n > 4"), 8);
    let done = unidebug(&["run", folder.path().to_str().unwrap(), "--model", "builtin", "--json"]);
    done.expect_code(0);
    let patch = done.json()["patch"].as_str().unwrap().to_owned();
    assert!(patch.contains("n > 3") || patch.contains("n >= 4"), "{done}");
}

#[test]
fn what_a_processor_makes_of_a_patch_counts() {
    let folder = project("Cart", CART, 12);
    let path = folder.path().to_str().unwrap();
    for (rate, verdict) in [(3, "plausible"), (4, "failed")] {
        let name = folder.path().join("fix.diff");
        let file = "src/main/java/shop/Cart.java";
        let diff = format!("--- a/{file}\n+++ b/{file}\n@@ -5,1 +5,1 @@\n-@Rated(2)\n+@Rated({rate})\n");
        std::fs::write(&name, diff).unwrap();
        let done = unidebug(&["judge", path, "--patch", name.to_str().unwrap()]);
        assert!(done.stdout.contains(&format!("{verdict}: ")), "{done}");
    }
}
