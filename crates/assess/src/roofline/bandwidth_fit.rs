//! What messages of several sizes say about their way: what starting one costs, and what the way carries.

use std::collections::{BTreeMap, BTreeSet};

use eaves_section::{Column, Table, Unit, Value};

use super::Transfer;

/// A message may be called slow to start if it reaches less than this share of the bandwidth that others reach: most of
/// its time then is not spent on its bytes.
const SLOW_TO_START: f64 = 0.5;

const NOT_SLOW: &str = "every size is close to the bandwidth, so the start-up time is unknown";

/// The best that messages of one name did.
struct Best {
    /// Nanoseconds and bus bandwidth of the fastest.
    quickest: (f64, f64),
    /// Bus bandwidth of the fastest, in bytes a nanosecond.
    bandwidth: f64,
    /// Every size, by its bits.
    sizes: BTreeSet<u64>,
}

/// For messages of one name with more than one size, the lines that none of them is above: none was faster than the
/// fastest one, and, if the fastest one was far from that, none was faster. A table only if there is one. Nothing is
/// fitted: where messages waited, the lines are too pessimistic, never too good.
pub fn bandwidth_fit(transfers: &[Transfer]) -> Option<Table> {
    let mut found: BTreeMap<(&str, u64), Best> = BTreeMap::new();
    for transfer in transfers {
        let (Some(bytes), Some(time)) = (transfer.bytes, transfer.time) else { continue };
        let mean = time / transfer.calls.max(1) as f64;
        let bandwidth = bytes * transfer.bus_factor / mean;
        if !(bytes > 0.0 && mean > 0.0 && bandwidth.is_finite() && bandwidth > 0.0) {
            continue;
        }
        let best = found.entry((&transfer.name, transfer.bus_factor.to_bits())).or_insert_with(|| Best {
            quickest: (mean, bandwidth),
            bandwidth,
            sizes: BTreeSet::new(),
        });
        if mean < best.quickest.0 {
            best.quickest = (mean, bandwidth);
        }
        best.bandwidth = best.bandwidth.max(bandwidth);
        best.sizes.insert(bytes.to_bits());
    }
    let rows: Vec<Vec<Value>> = found
        .into_iter()
        .filter(|(_, best)| best.sizes.len() > 1)
        .map(|((name, factor), best)| cells(name, f64::from_bits(factor), &best))
        .collect();
    (!rows.is_empty()).then(|| Table {
        id: "reached",
        title: "Measured link limits: bandwidth, start-up time, and the knee where both take equally long",
        columns: vec![
            Column::new("name", "Collective", Unit::None),
            Column::new("sizes", "Sizes", Unit::Count),
            Column::new("bus_factor", "Bus factor", Unit::None),
            Column::new("bandwidth_gbps", "Bus bandwidth reached", Unit::GigabytesPerSecond),
            Column::new("startup_ns", "Start-up, at most", Unit::Nanoseconds),
            Column::new("knee_bytes", "Bytes at the knee", Unit::Bytes),
        ],
        rows,
    })
}

fn cells(name: &str, factor: f64, best: &Best) -> Vec<Value> {
    let (startup, rate) = best.quickest;
    let of_start = |value| {
        if rate < SLOW_TO_START * best.bandwidth { Value::Float(value) } else { Value::Missing(NOT_SLOW) }
    };
    vec![
        name.into(),
        best.sizes.len().into(),
        Value::Float(factor),
        Value::Float(best.bandwidth),
        of_start(startup),
        of_start(startup * best.bandwidth / factor),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transfer(name: &str, bytes: f64, time: f64, calls: u64) -> Transfer {
        Transfer {
            name: name.to_owned(),
            link: None,
            bytes: Some(bytes),
            calls,
            time: Some(time),
            protocol: None,
            bus_factor: 1.5,
        }
    }

    #[test]
    fn no_message_is_above_the_lines() {
        // 10 us to start and 100 GB/s on the bus, as a model has it.
        let model = |bytes: f64| 10_000.0 + bytes * 1.5 / 100.0;
        let sizes = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
        let transfers: Vec<Transfer> =
            sizes.iter().map(|&bytes| transfer("all_reduce", bytes, 3.0 * model(bytes), 3)).collect();
        let table = bandwidth_fit(&transfers).unwrap();
        let [
            Value::Text(name),
            Value::Integer(6),
            Value::Float(1.5),
            Value::Float(bandwidth),
            Value::Float(startup),
            Value::Float(knee),
        ] = &table.rows[0][..]
        else {
            panic!("{:?}", table.rows);
        };
        assert_eq!(name, "all_reduce");
        assert!((10_000.0..10_020.0).contains(startup), "{startup}");
        assert!((99.0..100.0).contains(bandwidth), "{bandwidth}");
        assert!((startup - knee * 1.5 / bandwidth).abs() < 1e-6);
        for one in &transfers {
            let (bytes, mean) = (one.bytes.unwrap(), one.time.unwrap() / 3.0);
            let roof = (bytes * 1.5 / startup).min(*bandwidth);
            assert!(bytes * 1.5 / mean <= roof * (1.0 + 1e-12), "{bytes}");
        }
    }

    #[test]
    fn one_size_says_nothing_about_a_slope() {
        let all = [
            transfer("one", 8.0, 10.0, 1),
            transfer("one", 8.0, 12.0, 1),
            transfer("two", 8.0, 10.0, 1),
            transfer("two", 16.0, 10.0, 1),
            transfer("three", 8.0, 10.0, 1),
            transfer("three", 80.0, 10.0, 1),
            transfer("none", 0.0, 10.0, 1),
            transfer("none", 8.0, 0.0, 1),
        ];
        let rows = bandwidth_fit(&all).unwrap().rows;
        assert_eq!(rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>(), ["three".into(), "two".into()]);
        // Half of the bandwidth is near it; a tenth is not.
        assert_eq!(rows[0][4], Value::Float(10.0));
        assert_eq!(rows[1][3], Value::Float(2.4));
        assert_eq!((&rows[1][4], &rows[1][5]), (&Value::Missing(NOT_SLOW), &Value::Missing(NOT_SLOW)));
        assert!(bandwidth_fit(&all[..2]).is_none());
    }
}
