//! Why an endpoint's certificate was not taken, and what to do about it.

/// What to do when a connection failed over a certificate; `None` when it failed over something else.
pub(super) fn hint(message: &str) -> Option<&'static str> {
    let text = message.to_lowercase().replace([' ', '_'], "");
    if !text.contains("certificate") {
        return None;
    }
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    Some(if says(&["expired", "notvalidyet"]) {
        "is this machine's clock right? if it is, the endpoint needs a new certificate"
    } else if says(&["unknownissuer", "unknownca", "selfsigned", "caused"]) {
        "if you trust who signed it, name a file with their certificate in SSL_CERT_FILE"
    } else if says(&["forname"]) {
        "is the host in the base URL the one that the certificate was made for?"
    } else {
        "the endpoint's certificate is not accepted; ask whoever runs it"
    })
}

#[cfg(test)]
mod tests {
    use super::hint;

    #[test]
    fn each_fault_of_a_certificate_has_its_way_out() {
        let says = |message: &str, part: &str| hint(message).is_some_and(|hint| hint.contains(part));
        assert!(says("invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"));
        assert!(says("invalid peer certificate: certificate expired: verification time 5", "clock"));
        assert!(says("invalid peer certificate: NotValidYet", "clock"));
        assert!(says("invalid peer certificate: certificate not valid for name \"a\"", "base URL"));
        assert!(says("invalid peer certificate: BadEncoding", "ask whoever"));
        assert_eq!(hint("connection refused"), None);
    }
}
