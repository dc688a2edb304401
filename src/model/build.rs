//! Makes a build see new and removed prompts, which are compiled into the program: the compiler follows
//! only changes of files it already knows.

fn main() {
    println!("cargo:rerun-if-changed=../../prompts");
}
