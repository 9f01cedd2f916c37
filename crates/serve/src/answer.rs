//! An answer as bytes that are made once: with their hash, and packed when somebody first asks for it.

use std::sync::OnceLock;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use crate::compressed::{Packing, brotli, gzip};

/// Smaller answers are not worth packing: they fit a packet anyway.
const LEAST_PACKED: usize = 1_400;

/// Bytes with their hash.
#[derive(Debug)]
pub(crate) struct Answer {
    bytes: Bytes,
    kind: &'static str,
    hash: String,
    /// Asked for once or twice only, so packed quickly rather than well.
    fleeting: bool,
    gzip: OnceLock<Bytes>,
    brotli: OnceLock<Bytes>,
}

impl Answer {
    /// An answer that stays.
    pub(crate) fn new(kind: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let hash = format!("{:x}", md5::compute(&bytes));
        Self { bytes, kind, hash, fleeting: false, gzip: OnceLock::new(), brotli: OnceLock::new() }
    }

    /// JSON.
    pub(crate) fn json(bytes: impl Into<Bytes>) -> Self {
        Self::new("application/json", bytes)
    }

    /// An answer that is wanted now.
    pub(crate) fn fleeting(kind: &'static str, bytes: impl Into<Bytes>) -> Self {
        Self { fleeting: true, ..Self::new(kind, bytes) }
    }

    /// The bytes as JSON.
    pub(crate) fn value(&self) -> serde_json::Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    /// How much memory it takes, packed forms and all.
    pub(crate) fn size(&self) -> usize {
        let packed = [self.gzip.get(), self.brotli.get()].into_iter().flatten();
        self.bytes.len() + packed.map(Bytes::len).sum::<usize>()
    }

    fn packed(&self, packing: Packing) -> (Packing, Bytes) {
        match packing {
            _ if self.bytes.len() < LEAST_PACKED => (Packing::Plain, self.bytes.clone()),
            Packing::Plain => (Packing::Plain, self.bytes.clone()),
            Packing::Brotli if !self.fleeting => {
                (packing, self.brotli.get_or_init(|| brotli(&self.bytes)).clone())
            }
            _ => {
                let level = if self.fleeting { 1 } else { 6 };
                (Packing::Gzip, self.gzip.get_or_init(|| gzip(&self.bytes, level)).clone())
            }
        }
    }

    /// The response to a request with these headers: nothing if the client has it, else packed as it likes. May take a
    /// while the first time.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> Response {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).unwrap_or("");
        let (packing, bytes) = self.packed(Packing::accepted(text(header::ACCEPT_ENCODING)));
        // Strong, so each packing has its own.
        let tag =
            format!("\"{}{}\"", self.hash, packing.name().map(|name| format!("-{name}")).unwrap_or_default());
        let known = text(header::IF_NONE_MATCH);
        let unchanged = known.split(',').any(|one| one.trim() == tag || one.trim() == "*");
        let mut response = if unchanged {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let mut response = Body::from(bytes).into_response();
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
            if let Some(name) = packing.name() {
                response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
            }
            response
        };
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn who_has_it_gets_nothing() {
        let answer = Answer::json(vec![b'x'; 5000]);
        let first = answer.respond(&headers(&[(header::ACCEPT_ENCODING, "gzip")]));
        assert_eq!(first.headers()[header::CONTENT_ENCODING], "gzip");
        let tag = first.headers()[header::ETAG].to_str().unwrap().to_owned();
        let again =
            headers(&[(header::ACCEPT_ENCODING, "gzip"), (header::IF_NONE_MATCH, &format!("\"a\", {tag}"))]);
        assert_eq!(answer.respond(&again).status(), StatusCode::NOT_MODIFIED);
        // Other bytes on the wire, another tag.
        let plain = headers(&[(header::IF_NONE_MATCH, &tag)]);
        assert_eq!(answer.respond(&plain).status(), StatusCode::OK);
        assert_eq!(
            Answer::json("{}")
                .respond(&headers(&[(header::ACCEPT_ENCODING, "br")]))
                .headers()
                .get(header::CONTENT_ENCODING),
            None
        );
    }
}
