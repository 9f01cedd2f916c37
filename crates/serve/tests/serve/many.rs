//! Many clients at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::client::Served;

/// Two hundred clients ask for everything there is, and each gets what a lonely client gets.
#[test]
fn two_hundred_clients() {
    const CLIENTS: usize = 200;
    let served = Served::start();
    let paths = [
        "/",
        "/app.js",
        "/api/v1/runs",
        "/api/v1/runs/latest/document",
        "/api/v1/runs/1/timeline",
        "/api/v1/runs/1/timeline?start=1000000&end=9000000&pixels=500",
        "/api/v1/runs/1/flame",
        "/api/v1/runs/1/slices?contains=gemm",
        "/api/v1/devices",
    ];
    let wrong = AtomicUsize::new(0);
    // All at once from the first request on: the run is read by one of them while the others wait.
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (served, wrong) = (&served, &wrong);
            scope.spawn(move || {
                for turn in 0..paths.len() {
                    let answer = served.get(paths[(client + turn) % paths.len()]);
                    if answer.status != 200 || answer.body.is_empty() {
                        wrong.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(wrong.load(Ordering::Relaxed), 0);
    for path in paths {
        assert_eq!(served.get(path).body, served.get(path).body, "{path}");
    }
}
