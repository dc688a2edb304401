//! Makes a build see new and removed fixtures and the Java half of the judge, which are compiled into the program: the compiler follows
//! only changes of files it already knows.

fn main() {
    for folder in ["../../fixtures/bugs", "validate/jvm/java"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
