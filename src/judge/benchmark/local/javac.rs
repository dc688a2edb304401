//! Arguments that builds give to the compiler, as far as a candidate is compiled with them.

/// Arguments that only judge, and those of plug-ins that our compiler does not load (Error Prone's begin with `-Xep`).
const LEFT_OUT: &[&str] = &["-Werror", "-Xlint", "-Xplugin", "-Xep", "-XDcompilePolicy", "-Xdoclint"];

/// Whether candidates are compiled with an argument: warnings must not fail one that the build would take on another JDK.
pub(super) fn keeps(argument: &str) -> bool {
    !LEFT_OUT.iter().any(|left_out| argument.trim_start().starts_with(left_out))
}
