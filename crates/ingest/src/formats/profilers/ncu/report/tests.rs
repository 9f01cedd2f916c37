//! Reports written by hand after the real ones.

use eaves_model::{SliceKind, WarningKind};

use crate::{Options, read_bytes, read_stream};

/// Fields of protocol buffers, written down.
#[derive(Clone, Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(mut value: u64, bytes: &mut Vec<u8>) {
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        Self::varint(field << 3, &mut self.0);
        Self::varint(value, &mut self.0);
        self
    }

    fn double(mut self, field: u64, value: f64) -> Self {
        Self::varint(field << 3 | 1, &mut self.0);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn bytes(mut self, field: u64, bytes: impl AsRef<[u8]>) -> Self {
        Self::varint(field << 3 | 2, &mut self.0);
        Self::varint(bytes.as_ref().len() as u64, &mut self.0);
        self.0.extend(bytes.as_ref());
        self
    }

    fn message(self, field: u64, message: Message) -> Self {
        self.bytes(field, message.0)
    }

    fn sized(&self) -> Vec<u8> {
        [&(self.0.len() as u32).to_le_bytes()[..], &self.0].concat()
    }
}

/// A report with texts in two blocks, a source to step over, and a launch in each block.
fn report(version: u64) -> Vec<u8> {
    let metric = |name: u64, value: f64| {
        Message::default().number(1, name).message(2, Message::default().double(3, value))
    };
    let texts = |texts: &[&str]| texts.iter().fold(Message::default(), |table, text| table.bytes(1, text));
    let extent = |x, y| Message::default().number(1, x).number(2, y).number(3, 1);
    let rule = Message::default().bytes(1, "Rule").message(
        3,
        Message::default()
            .message(1, Message::default().message(1, Message::default().bytes(1, "do this").number(2, 4))),
    );
    let range = Message::default().message(
        2,
        Message::default().message(2, Message::default().message(3, Message::default().bytes(1, "step"))),
    );
    let launch = |name: &str, metrics: Vec<Message>| {
        let launch = Message::default()
            .bytes(6, "k")
            .bytes(7, name)
            .message(10, extent(64, 2))
            .message(11, extent(256, 1));
        let launch = metrics.into_iter().fold(launch, |launch, metric| launch.message(13, metric));
        launch
            .message(19, rule.clone())
            .message(21, range.clone())
            .number(22, 1)
            .number(23, 7)
            .bytes(99, "unknown")
    };
    // The number 0 of the first name is not written.
    let first = Message::default().message(2, Message::default().double(3, 1_500.0));
    let name = Message::default().number(1, 1).message(2, Message::default().bytes(1, "NVIDIA Test"));
    let results = [
        launch("k(int)", vec![first.clone(), name]),
        launch("k(float)", vec![first, metric(2, 9.0), metric(3, 0.0), metric(1_000, 5.0)]),
    ];
    let tables = [
        texts(&["gpu__time_duration.sum", "device__attribute_display_name"]),
        texts(&["device__attribute_compute_capability_major", "device__attribute_compute_capability_minor"]),
    ];
    let mut bytes = [&b"NVR\0"[..], &Message::default().number(1, version).sized()].concat();
    for (result, table) in results.into_iter().zip(tables) {
        let source = Message::default().bytes(4, vec![0x7F; 40]).sized();
        let payload = [source, result.sized()].concat();
        let header =
            Message::default().number(1, 1).number(2, 1).message(4, table).number(5, payload.len() as u64);
        bytes.extend(header.message(6, Message::default().number(1, 77).bytes(2, "node3")).sized());
        bytes.extend(payload);
    }
    bytes
}

#[test]
fn a_report_has_launches_of_every_block() {
    let recording = read_bytes("x", &report(7)).unwrap();
    let trace = &recording.trace;
    assert_eq!(recording.format, "ncu-rep");
    let names: Vec<_> = trace.gpu.slice.iter().map(|&slice| trace.slice_name(slice)).collect();
    assert_eq!(names, ["k(int)", "k(float)"]);
    let values: Vec<_> = trace.range_counters.value.iter().map(|value| value.get()).collect();
    assert_eq!(values, [Some(1_500.0), Some(1_500.0)]);
    assert_eq!((trace.gpu.grid[1].0, trace.gpu.block[1].0), ([64, 2, 1], [256, 1, 1]));
    assert_eq!((trace.gpu.context[0].get(), trace.gpu.stream[0].get()), (Some(1), Some(7)));
    let device = &trace.metadata.devices[0];
    assert_eq!((device.name.as_str(), device.architecture.as_str()), ("NVIDIA Test", "sm_90"));
    assert_eq!(trace.metadata.host_name.as_deref(), Some("node3"));
    let remark = trace.remarks.row(1);
    assert_eq!((trace.strings.get(remark.kind), trace.strings.get(remark.text)), ("OPT", "do this"));
    assert_eq!(trace.slices.kind[2], SliceKind::GpuAnnotation);
    assert_eq!((trace.slices.start[2].0, trace.slices.duration[2].0), (0, 3_000));
    assert_eq!(trace.diagnostics.warnings().len(), 1);
    assert_eq!(trace.diagnostics.count(WarningKind::NoStartTimes), 1);
}

#[test]
fn a_report_of_another_version_is_refused_with_the_command_to_export_it() {
    let error = read_bytes("a.ncu-rep", &report(8)).unwrap_err();
    assert!(error.to_string().contains("version 8"), "{error}");
    assert!(error.hint().contains("ncu -i a.ncu-rep --csv --page raw"));
    let error = read_bytes("it's a run.ncu-rep", &report(8)).unwrap_err();
    assert!(error.hint().contains(r"ncu -i 'it'\''s a run.ncu-rep' --csv"), "{}", error.hint());
}

#[test]
fn reports_cut_or_changed_anywhere_are_no_panic() {
    let report = report(7);
    for length in 0..report.len() {
        let found = read_bytes("x", &report[..length]);
        if let Ok(recording) = found {
            assert!(recording.trace.gpu.len() <= 2);
        }
        for change in [0x01, 0x80, 0xFF] {
            let mut bytes = report.clone();
            bytes[length] ^= change;
            let _ = read_bytes("x", &bytes);
        }
    }
}

#[test]
fn a_report_in_zstd_is_the_same() {
    // A frame of one raw block, by RFC 8878: magic, descriptor with a content size of two bytes, size, block header.
    let report = report(7);
    let mut packed = vec![0x28, 0xB5, 0x2F, 0xFD, 0x60];
    packed.extend(((report.len() - 256) as u16).to_le_bytes());
    packed.extend(&((report.len() as u32) << 3 | 1).to_le_bytes()[..3]);
    packed.extend(&report);
    let run = read_stream("x", Box::new(std::io::Cursor::new(packed)), &Options::default()).unwrap();
    let expected = read_bytes("x", &report).unwrap();
    assert_eq!(run.recordings[0].trace.difference(&expected.trace), None);
    assert_eq!(run.recordings[0].container, "zstd");
}
