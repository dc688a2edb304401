//! What everything else speaks: plain data, programming languages, sources and patches. No I/O but reading a checkout.

pub mod code;
pub mod domain;
pub mod language;
pub mod patch;
pub mod tls;
pub mod twin;
