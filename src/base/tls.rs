//! The cryptography of encrypted connections: ring, which builds in seconds with a C compiler alone.

/// Lets every client of HTTP that is built from now on use it; to be called before one is built.
pub fn use_ring() {
    // Only the first call counts, and each asks for the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
