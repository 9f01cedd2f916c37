//! The description of the interface in the repository is the one that a server gives.

use serde_json::Value;

use crate::client::Served;

#[test]
fn the_published_description_is_current() {
    let served = Served::start();
    let described = served.get("/api/v1/openapi.json").json();
    let published: Value = serde_json::from_str(include_str!("../../../../schema/openapi.json")).unwrap();
    assert!(described == published, "run `cargo xtask gen` and look at the difference");
}
