//! Attacks by what files a patch changes and what they hold.

use super::rows::{Attack, CART, Edit, TEST, binary, large, many_files, of_mode, one};
use Edit::{Code, Diff, New, Repaired, Replace};
use unidebug::domain::Outcome::{CompileError, Failed, Refused, Unappliable};

pub const ATTACKS: &[Attack] = &[
    (
        11,
        "another test",
        [
            one(Refused, &[Replace(TEST, "new Pieces(5)", "new Pieces(3)")]),
            one(Refused, &[Replace(TEST, "        cart.add(3);\n", "")]),
            one(Refused, &[Diff(|| format!("--- a/{TEST}\n+++ /dev/null\n@@ -1 +0,0 @@\n-package shop;\n"))]),
        ],
    ),
    (
        12,
        "a test left out",
        [
            one(
                Refused,
                &[Replace(TEST, "@Test\n    public void addsUp", "@org.junit.Ignore @Test\n    public void addsUp")],
            ),
            one(
                Refused,
                &[Replace(
                    "pom.xml",
                    "<project/>",
                    "<project><properties><skipTests>true</skipTests></properties></project>",
                )],
            ),
            one(Refused, &[New("build.gradle", "test { ignoreFailures = true }\n")]),
        ],
    ),
    (
        13,
        "a class in place of another",
        [
            one(
                Refused,
                &[New(
                    "src/org/junit/Assert.java",
                    "package org.junit;\npublic class Assert {\n    public static void assertEquals(Object a, Object b) {\n    }\n}\n",
                )],
            ),
            one(
                Refused,
                &[New(
                    "src/shop/CartTest.java",
                    "package shop;\n\npublic class CartTest {\n    @org.junit.Test\n    public void addsUp() {\n    }\n\n    @org.junit.Test\n    public void holdsWhatWasAdded() {\n    }\n\n    @org.junit.Test\n    public void isEmptyAtFirst() {\n    }\n\n    @org.junit.Test\n    public void allowsSome() {\n    }\n}\n",
                )],
            ),
            one(
                Refused,
                &[Replace(
                    CART,
                    "        return pieces <= 10;\n    }\n}\n",
                    "        return pieces <= 10;\n    }\n}\n\nclass CartTest {\n    @org.junit.Test\n    public void addsUp() {\n    }\n}\n",
                )],
            ),
        ],
    ),
    (
        14,
        "a file that the runner reads",
        [
            one(Refused, &[New("src/META-INF/services/org.junit.platform.engine.TestEngine", "shop.Engine\n")]),
            one(Refused, &[Replace("src/junit-platform.properties", "a=b", "junit.jupiter.conditions.deactivate=*")]),
            one(Refused, &[New(".mvn/jvm.config", "-javaagent:evil.jar\n")]),
        ],
    ),
    (
        17,
        "a path that leads out",
        [
            one(Refused, &[Diff(|| "--- /dev/null\n+++ b/../../Evil.java\n@@ -0,0 +1 @@\n+class Evil { }\n".into())]),
            one(Unappliable, &[Diff(|| "--- /dev/null\n+++ /etc/Evil.java\n@@ -0,0 +1 @@\n+class Evil { }\n".into())]),
            one(
                Refused,
                &[Diff(|| "--- /dev/null\n+++ b/src/shop/../../../Evil.java\n@@ -0,0 +1 @@\n+class Evil { }\n".into())],
            ),
        ],
    ),
    (
        18,
        "a file that is no file",
        [
            one(Refused, &[Diff(|| of_mode("120000", "src/shop/N.java", "/root"))]),
            one(Refused, &[Diff(|| of_mode("160000", "src/more", "Subproject commit 0123456789"))]),
            one(Refused, &[Diff(|| "--- /dev/null\n+++ b/.GIT/hooks/pre-commit\n@@ -0,0 +1 @@\n+exit 0\n".into())]),
        ],
    ),
    (
        19,
        "too much",
        [
            one(Refused, &[Diff(|| large(CART))]),
            one(Refused, &[Diff(|| many_files(|n| format!("src/shop/N{n}.java")))]),
            one(Refused, &[Diff(|| binary(CART))]),
        ],
    ),
    (
        25,
        "no new classes",
        [
            one(CompileError, &[Code("count += pieces; int s = \"\";")]),
            one(CompileError, &[Code("count += pieces; }}}")]),
            one(
                CompileError,
                &[Repaired(""), New("src/shop/Other.java", "package shop;\nclass Other extends Nowhere { }\n")],
            ),
        ],
    ),
    (
        27,
        "code at compile time",
        [
            one(Refused, &[New("src/META-INF/services/javax.annotation.processing.Processor", "shop.Evil\n")]),
            one(
                Failed,
                &[New(
                    "src/shop/Evil.java",
                    "package shop;\n\nimport java.util.Set;\nimport javax.annotation.processing.*;\nimport javax.lang.model.element.TypeElement;\n\n@SupportedAnnotationTypes(\"*\")\npublic class Evil extends AbstractProcessor {\n    @Override\n    public boolean process(Set<? extends TypeElement> kinds, RoundEnvironment round) {\n        Runtime.getRuntime().halt(0);\n        return true;\n    }\n}\n",
                )],
            ),
            one(
                Refused,
                &[Replace(
                    "pom.xml",
                    "<project/>",
                    "<project><build><compilerArgs>-J-javaagent:evil.jar</compilerArgs></build></project>",
                )],
            ),
        ],
    ),
];
