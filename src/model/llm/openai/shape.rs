//! Which form a request has, and what an answer of any form is in the one form that everything behind reads.

use super::super::{Abilities, Api, Query};
use super::{messages, responses, wire};
use serde_json::Value;

/// The body of a request in the form that the endpoint takes for its model.
pub(super) fn request(query: &Query, caps: &Abilities, host: &str, stream: bool) -> Value {
    match caps.api {
        Api::Chat => wire::request(query, caps, host, stream),
        Api::Responses => responses::request(query, caps, stream),
        Api::Messages => messages::request(query, caps, stream),
    }
}

/// An answer of any form as chat completions have it; what is no answer stays as it is.
pub(super) fn as_chat(body: Value) -> Value {
    if messages::is_answer(&body) {
        messages::as_chat(&body)
    } else if responses::is_answer(&body) {
        responses::as_chat(&body)
    } else {
        body
    }
}

impl Api {
    /// The address of the call, behind the base URL.
    pub(super) fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
        }
    }
}
