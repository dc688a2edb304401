//! The built-in engine: fix templates as typed tree edits, and the order in which their candidates are tried.
