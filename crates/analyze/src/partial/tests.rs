//! A report of merged partials is the report of the whole; bytes that are not a partial are refused.

use eaves_model::SliceKind::{self, Kernel, Memcpy};
use eaves_model::{RankSource, Run, WarningKind};
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::test_trace::{TestTrace, run_of};
use crate::{RankView, Selection, measure};

/// One line of a random trace: what, which name, when, how long.
type Line = (u8, u8, i64, i64);

fn trace(lines: &[Line]) -> TestTrace {
    let mut test = TestTrace::default();
    test.step(1, 0, 5_000).step(2, 5_000, 12_000);
    for (number, &(what, name, start, length)) in lines.iter().enumerate() {
        let (end, number) = (start + length, number as i64);
        let text = ["aten::mm", "aten::add", "sgemm", "elementwise", "aten::copy_"][usize::from(name) % 5];
        match what % 8 {
            0 => test.op(text, start, end),
            1 => test.launch(number, start, start + 5).kernel(text, number, start + 10, end + 10),
            2 => test.gpu(Memcpy, "Memcpy HtoD (Pageable -> Device)", start, end).bytes(length * 10),
            3 => test
                .gpu(Kernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", start, end)
                .on_stream(20)
                .collective("allreduce", (length, length), "Float", ("0", 2)),
            4 => test.allocation(start, (1, 0), 64 * number, length, Some((length, 2 * length))),
            5 => test.host(SliceKind::Runtime, "cudaDeviceSynchronize", start, end),
            6 => test.annotation(text, start, end, "[[4,4],[4,4]]", "[\"float\",\"float\"]"),
            _ => test.module(text, start, end),
        };
    }
    test
}

fn a_trace() -> impl Strategy<Value = Vec<Line>> {
    vec((any::<u8>(), any::<u8>(), 0..10_000_i64, 1..3_000_i64), 0..40)
}

fn partial_of(run: &Run, options: &Options) -> Partial {
    let analyses = Partial::analyses();
    let measured: Vec<Measured> =
        run.recordings.iter().map(|one| measure(&RankView::new(&one.trace, options), &analyses)).collect();
    Partial::of(run, &measured, options).unwrap()
}

/// A run of each recording alone, as a process that reads it alone makes it.
fn alone(run: &Run) -> Vec<Run> {
    let of = |recording: &Recording| Run { recordings: vec![recording.clone()], ..Run::default() };
    run.recordings.iter().map(of).collect()
}

fn whole(run: &Run, options: &Options) -> String {
    let analyses = Partial::analyses();
    let measured: Vec<Measured> =
        run.recordings.iter().map(|one| measure(&RankView::new(&one.trace, options), &analyses)).collect();
    format!("{:?}", crate::assemble(&run.recordings, &measured, options, &analyses))
}

fn assembled(partial: &Partial, options: &Options) -> String {
    let analyses = Partial::analyses();
    let outcomes = partial.assemble(options, &analyses).map(|(_, outcomes)| outcomes);
    format!(
        "{:?}",
        outcomes.map_err(|error| match error {
            PartialError::Selection(error) => error,
            other => panic!("{other}"),
        })
    )
}

fn through_bytes(partial: &Partial) -> Partial {
    Partial::from_bytes(partial.to_bytes().unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_split_and_any_tree_give_the_report_of_the_whole(
        traces in vec(a_trace(), 1..6),
        order in any::<u64>(),
        details in any::<bool>(),
        steps in proptest::option::of(1..4_u64),
    ) {
        let run = run_of(traces.iter().map(|lines| trace(lines)).collect());
        let mut selection = Selection::default();
        if let Some(step) = steps {
            selection = selection.with_steps(step..=step);
        }
        let options = Options::default().with_details(details).with_selection(selection);
        let expected = whole(&run, &options);
        prop_assert_eq!(&assembled(&through_bytes(&partial_of(&run, &options)), &options), &expected);
        // Two of those that are left, whichever the number says, until one is left.
        let mut left: Vec<Partial> = alone(&run).iter().map(|one| partial_of(one, &options)).collect();
        let mut number = order;
        let mut next = |below: usize| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (number >> 33) as usize % below
        };
        while left.len() > 1 {
            let first = left.swap_remove(next(left.len()));
            let second = left.swap_remove(next(left.len()));
            let merged = first.merge(second).unwrap();
            left.push(if next(2) == 0 { through_bytes(&merged) } else { merged });
        }
        let merged = left.pop().unwrap();
        prop_assert_eq!(&assembled(&merged, &options), &expected);
        prop_assert_eq!(&merged, &merged.clone().merge(merged.clone()).unwrap());
        prop_assert_eq!(merged.to_bytes().unwrap(), partial_of(&run, &options).to_bytes().unwrap());
    }

    /// Whatever is changed, the answer is an error or the same.
    #[test]
    fn changed_bytes_are_refused(
        lines in a_trace(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in any::<prop::sample::Index>(),
    ) {
        let options = Options::default();
        let partial = partial_of(&run_of(vec![trace(&lines)]), &options);
        let bytes = partial.to_bytes().unwrap();
        let mut changed = bytes.clone();
        for (at, to) in changes {
            let at = at.index(changed.len());
            changed[at] = to;
        }
        if let Ok(read) = Partial::from_bytes(changed) {
            // What Arrow pads with, or keeps for others, may be anything.
            prop_assert_eq!(read, partial.clone());
        }
        let cut = length.index(bytes.len());
        prop_assert!(Partial::from_bytes(bytes[..cut].to_vec()).is_err());
        prop_assert!(Partial::from_bytes([bytes.as_slice(), b"more"].concat()).is_err());
    }

    /// Bytes that were made with care, checksums right: every part is read, or refused, and never more.
    #[test]
    fn parts_of_others_are_no_danger(
        lines in a_trace(),
        analysis in any::<prop::sample::Index>(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let options = Options::default();
        let mut partial = partial_of(&run_of(vec![trace(&lines), trace(&lines)]), &options);
        let rank = &mut partial.ranks[0];
        let count = rank.parts.len();
        let (_, part) = rank.parts.get_mut(analysis.index(count)).unwrap();
        let mut bytes = part.to_vec();
        for (at, to) in changes {
            let at = at.index(bytes.len() + 1);
            if let Some(byte) = bytes.get_mut(at) { *byte = to } else { bytes.push(to) }
        }
        *part = bytes.into();
        let read = through_bytes(&partial);
        let known = |error| matches!(error, PartialError::Damaged(_));
        prop_assert!(read.assemble(&options, &Partial::analyses()).map_or_else(known, |_| true));
    }

    #[test]
    fn any_bytes_are_refused(bytes in vec(any::<u8>(), 0..400)) {
        prop_assert!(Partial::from_bytes(bytes).is_err());
    }
}

fn small_run() -> Run {
    run_of(vec![trace(&[(1, 2, 100, 50)]), trace(&[(1, 2, 100, 70), (3, 0, 300, 90)])])
}

#[test]
fn ranks_that_nothing_tells_are_given_when_all_are_there() {
    let mut run = small_run();
    for recording in &mut run.recordings {
        recording.rank = 0;
        recording.rank_source = RankSource::Assumed;
    }
    let options = Options::default();
    let partials = alone(&run).into_iter().rev().map(|one| partial_of(&one, &options));
    let merged = through_bytes(&Partial::merge_all(partials).unwrap());
    let (read, _) = merged.assemble(&options, &[]).unwrap();
    let named: Vec<_> = read.recordings.iter().map(|one| (one.rank, one.path.as_str())).collect();
    assert_eq!(named, [(0, "rank0.json"), (1, "rank1.json")]);
    assert_eq!(read.diagnostics.count(WarningKind::UnknownRank), 2);
}

#[test]
fn inputs_that_were_passed_over_are_counted_once() {
    let options = Options::default();
    let mut runs = alone(&small_run());
    runs[0].diagnostics.note_detail(WarningKind::NotATrace, None, "b.json: no");
    runs[1].diagnostics.note_detail(WarningKind::NotATrace, None, "a.json: no");
    let mut partials: Vec<Partial> = runs.iter().map(|one| partial_of(one, &options)).collect();
    partials[0].note_unreadable("c.json".to_owned(), "empty".to_owned());
    let again = partials.clone();
    partials.extend(again);
    let merged = through_bytes(&Partial::merge_all(partials).unwrap());
    let (read, _) = merged.assemble(&options, &[]).unwrap();
    let warning = &read.diagnostics.warnings()[0];
    assert_eq!((warning.kind, warning.count), (WarningKind::NotATrace, 2));
    assert_eq!(warning.detail.as_deref(), Some("a.json: no"));
    assert_eq!(merged.unreadable().collect::<Vec<_>>(), [("c.json", "empty")]);
}

#[test]
fn other_options_are_refused_and_ranks_are_chosen_later() {
    let (run, options) = (small_run(), Options::default());
    let partial = partial_of(&run, &options);
    let others = Options::default().with_queue_limit(7);
    let refused = partial.clone().merge(partial_of(&run, &others)).unwrap_err();
    assert!(refused.to_string().contains("queue-limit=7"), "{refused}");
    assert!(matches!(partial.assemble(&others, &[]), Err(PartialError::Options { .. })));
    let one = options.clone().with_selection(Selection::default().with_ranks(vec![1]));
    assert_eq!(assembled(&partial, &one), whole(&run, &one));
    let none = options.with_selection(Selection::default().with_ranks(vec![9]));
    assert!(matches!(partial.assemble(&none, &[]), Err(PartialError::Selection(_))));
}

#[test]
fn other_versions_are_refused() {
    let facts = |version: &str| {
        let facts = [(FORMAT_KEY, FORMAT), (VERSION_KEY, version), (OPTIONS_KEY, "")];
        facts.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
    };
    let refused = Partial::from_bytes(container::write(facts("0.0.0"), &[]).unwrap()).unwrap_err();
    assert_eq!(refused, PartialError::Version { found: "0.0.0".to_owned() });
    assert!(Partial::from_bytes(container::write(facts(env!("CARGO_PKG_VERSION")), &[]).unwrap()).is_ok());
    let foreign = container::write(HashMap::new(), &[]).unwrap();
    assert_eq!(Partial::from_bytes(foreign).unwrap_err(), PartialError::Foreign);
}

/// Read by the crate that wrote it, as another program would.
#[test]
fn the_bytes_are_an_arrow_stream() {
    let bytes = partial_of(&small_run(), &Options::default()).to_bytes().unwrap();
    let reader = arrow_ipc::reader::StreamReader::try_new(bytes.as_slice(), None).unwrap();
    let names: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["rank", "path", "analysis", "part", "checksum"]);
    let rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    // The inputs, and a head and every analysis of two ranks, but for those that are measured as another.
    let measured: BTreeSet<&str> = Partial::analyses().iter().map(|analysis| analysis.measured_as).collect();
    assert_eq!(rows, 1 + 2 * (1 + measured.len()));
}
