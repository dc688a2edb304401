//! Fault localization: from failing tests to a ranking of lines, and to the bug-located file.
