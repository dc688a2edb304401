//! Every integration test, in one binary: a file a subject, `support/` for what they share.

mod architecture;
