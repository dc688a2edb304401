//! Makes a build see new and removed files of the folders that are compiled into the program: the compiler follows
//! only changes of files it already knows.

fn main() {
    for folder in ["prompts", "agents", "fixtures/bugs", "src/validate/jvm/java"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
