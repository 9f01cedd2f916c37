//! What is done with any bytes, by the fuzz target and by the replay of its corpus.

use eaves_capture::counters::{Dialect, Input, Load, architecture, check, loads};
use eaves_capture::ondemand::datagram::{self, Message};

/// Bytes as an input file of counters: read, checked for devices of three kinds, and what comes of it is sound.
pub(crate) fn counters_input(bytes: &[u8]) {
    let Ok(input) = Input::parse(&String::from_utf8_lossy(bytes)) else { return };
    assert_eq!(input.lines.len(), input.request.passes.len());
    for device in ["gfx906", "gfx942", "gfx1100"].into_iter().filter_map(architecture) {
        for dialect in [Dialect::First, Dialect::Later] {
            let checked = check(device, &input.request.passes, dialect);
            for pass in &checked.passes {
                // One name alone may be more than fits; several are never put where they do not.
                let over = loads(device, pass).iter().any(Load::is_over);
                assert!(!over || pass.len() == 1, "{}: {pass:?}", device.name);
            }
        }
    }
}

/// Bytes as a message of a process: read or refused, and what is read has no more in it than the bytes.
pub(crate) fn kineto_datagram(bytes: &[u8]) {
    let Ok(message) = datagram::parse(bytes) else { return };
    match message {
        Message::Hello { process } => assert!(process > 0),
        Message::Poll { process, ancestors, .. } => {
            assert!(process > 0);
            assert_eq!(bytes.len(), 40 + 16 + 4 * (ancestors.len() + 1));
        }
    }
}
