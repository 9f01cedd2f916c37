//! Who may ask: this machine, or whoever knows the token; and no page of another site in either case.
//!
//! A page elsewhere can make a browser send requests to this machine, also under its own name that it lets resolve
//! to it ("DNS rebinding"). So the names in `Host` and `Origin` must be ours.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use eaves_present::page::SERVED_POLICY;

use crate::Problem;
use crate::state::Shared;

/// The address of our side of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAddress(pub(crate) SocketAddr);

/// Lets a request through or not, and puts the headers on the answer that every answer has.
pub(crate) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match check(&shared, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, SERVED_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // The address may hold the token.
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn check(shared: &Shared, request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let host = one(headers, &header::HOST)?.ok_or_else(|| Problem::bad("the request has no Host"))?;
    let local = request.extensions().get::<LocalAddress>().map(|local| local.0.ip());
    if !is_ours(host, local, &shared.options.host_names) {
        return Err(Problem::forbidden(format!("unknown host name `{host}`"))
            .hint("use the address the server printed, or start it with --host-name NAME"));
    }
    if let Some(origin) = one(headers, &header::ORIGIN)? {
        let theirs = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        if theirs != Some(host) {
            return Err(Problem::forbidden("requests from other origins are not allowed"));
        }
    }
    let path = request.uri().path();
    let site = one(headers, &HeaderName::from_static("sec-fetch-site"))?;
    if path.starts_with("/api") && matches!(site, Some("cross-site" | "same-site")) {
        return Err(Problem::forbidden("requests from other origins are not allowed"));
    }
    // The program of the page is not a secret, and browsers load it without the token.
    if matches!(path, "/app.js" | "/app.css") {
        return Ok(());
    }
    let Some(token) = &shared.options.token else { return Ok(()) };
    let given = one(headers, &header::AUTHORIZATION)?.and_then(|value| value.strip_prefix("Bearer "));
    let in_address = request.uri().query().and_then(token_in);
    match given.map(str::to_owned).or(in_address) {
        Some(given) if same(&given, token) => Ok(()),
        Some(_) => Err(Problem::new(StatusCode::UNAUTHORIZED, "wrong token")
            .hint("the server printed the address with its token when it started")),
        None => Err(Problem::new(StatusCode::UNAUTHORIZED, "this server requires a token")
            .hint("open the address with ?token=..., or send `Authorization: Bearer ...`")),
    }
}

/// A header that must be there once at most.
fn one<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::bad(format!("more than one header `{name}`")));
    }
    let text = first
        .map(|value| value.to_str().map_err(|_| Problem::bad(format!("the header `{name}` is not text"))));
    text.transpose()
}

/// True if a `Host` means this machine: by a name of the loopback, by the address that the connection came in at, or by
/// a name that the user gave. An address is nothing that a foreign name could be made to resolve to.
fn is_ours(host: &str, local: Option<IpAddr>, names: &[String]) -> bool {
    let name = match host.rsplit_once(':') {
        // Also `[::1]:80`; an IPv6 address without a port ends in a bracket.
        Some((name, port)) if !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    if let Ok(address) = address.parse::<IpAddr>() {
        return address.is_loopback() || Some(address) == local;
    }
    let name = name.trim_end_matches('.');
    name.eq_ignore_ascii_case("localhost") || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The token in a query.
fn token_in(query: &str) -> Option<String> {
    let value = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    let mut bytes = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|&letter| char::from(letter).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Compares in a time that says nothing about how much of it is right.
fn same(given: &str, token: &str) -> bool {
    let (given, token) = (given.as_bytes(), token.as_bytes());
    let mut difference = given.len() ^ token.len();
    for (at, ours) in token.iter().enumerate() {
        let theirs = given.get(at).copied().unwrap_or(0);
        difference |= usize::from(std::hint::black_box(theirs ^ ours));
    }
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_ours() {
        let local = Some(IpAddr::from([10, 0, 0, 7]));
        let names = ["gpu-box".to_owned()];
        for ours in [
            "localhost",
            "LOCALHOST:1",
            "127.0.0.1:6970",
            "127.8.8.8",
            "[::1]:6970",
            "10.0.0.7:80",
            "gpu-box:6970",
            "localhost.",
        ] {
            assert!(is_ours(ours, local, &names), "{ours}");
        }
        for foreign in [
            "",
            ":",
            "evil.example",
            "evil.example:6970",
            "10.0.0.8",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "[::2]",
            "gpu-box.evil",
        ] {
            assert!(!is_ours(foreign, local, &names), "{foreign}");
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same("abc", "abc"));
        for wrong in ["", "ab", "abcd", "abd", "ABC"] {
            assert!(!same(wrong, "abc"), "{wrong}");
        }
        assert_eq!(token_in("a=1&token=x%2By%"), Some("x+y%".to_owned()));
        assert_eq!(token_in("tokens=1"), None);
    }
}
