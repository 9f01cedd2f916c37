use std::path::{Path, PathBuf};
use std::sync::Arc;

use eaves_analyze::flame::Order;
use eaves_model::Ns;

use super::*;

fn example(name: &str) -> String {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    examples.join(name).display().to_string()
}

fn read(name: &str, selection: Selection) -> Arc<Recordings> {
    Arc::new(Recordings::read(&[PathBuf::from(example(name))], selection, None).unwrap())
}

fn asked(arguments: &[&str]) -> Document {
    ask(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>()).unwrap()
}

/// Recordings in memory say what the verbs say that read, measure and forget them.
#[test]
fn answers_are_those_of_the_verbs() {
    for name in ["training", "host-bound", "communication-bound", "damaged/truncated.json"] {
        let path = example(name);
        let recordings = read(name, Selection::default());
        assert_eq!(report(&recordings, &[], None, false).unwrap(), asked(&["report", &path]), "{name}");
        assert_eq!(hta(&recordings).unwrap(), asked(&["hta", &path]), "{name}");
        assert_eq!(info(&recordings), asked(&["info", &path]), "{name}");
    }
}

#[test]
fn a_part_is_the_same_part() {
    let path = example("training");
    let part = selection(Some("3"), None, Some("1")).unwrap();
    let recordings = read("training", part);
    assert_eq!(recordings.run.recordings.len(), 1);
    let sections = ["kernels".to_owned(), "temporal-breakdown".to_owned()];
    let alone = report(&recordings, &sections, None, true).unwrap();
    let verb = ["report", &path, "--rank=1", "--step=3", "--details", "--section=kernels"];
    let both = asked(&[&verb[..], &["--section=temporal-breakdown"]].concat());
    assert_eq!(alone.outcomes, both.outcomes);
}

#[test]
fn rooflines_and_comparisons_are_those_of_the_verbs() {
    let (base, new) = (example("healthy"), example("training"));
    let (healthy, training) = (read("healthy", Selection::default()), read("training", Selection::default()));
    assert_eq!(diff(&healthy, &training).unwrap(), asked(&["diff", &base, &new]));
    for (device, sparse) in [(None, false), (Some("a100-sxm"), true)] {
        let mut verb = vec!["roofline", &new];
        verb.extend(device.map(|_| "--device=a100-sxm"));
        verb.extend(sparse.then_some("--sparse"));
        assert_eq!(roofline(&training, device, sparse, None, None).unwrap(), asked(&verb), "{device:?}");
    }
}

#[test]
fn pictures_are_those_of_the_verbs() {
    let folder = tempfile::tempdir().unwrap();
    let path = example("training/rank0.json.gz");
    let recordings = read("training/rank0.json.gz", Selection::default());
    let order = Order::LeftHeavy;
    let view =
        FlameView { metric: None, order, least_share: None, least_duration: Ns::ZERO, most_levels: None };
    let graph = FlameGraph::new(recordings.clone(), None, view).unwrap();
    let timeline = Timeline::new(recordings).unwrap();
    for (verb, ending) in [
        ("flame", "html"),
        ("flame", "svg"),
        ("flame", "d3.json"),
        ("flame", "folded"),
        ("flame", "txt"),
        ("timeline", "html"),
        ("timeline", "svg"),
    ] {
        let (ours, verbs) =
            (folder.path().join(format!("ours.{ending}")), folder.path().join(format!("verb.{ending}")));
        match verb {
            "flame" => graph.save(&ours).unwrap(),
            _ => timeline.save(&ours, 1600).unwrap(),
        }
        let code = crate::exit_code(["eaves", verb, &path, "--quiet", "-o", &verbs.display().to_string()]);
        assert_eq!(code, 0);
        assert_eq!(std::fs::read(ours).unwrap(), std::fs::read(verbs).unwrap(), "{verb} {ending}");
    }
}

#[test]
fn what_goes_wrong_is_said_with_a_hint() {
    let failure = |arguments: &[&str]| {
        ask(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>()).unwrap_err()
    };
    assert!(failure(&["report", "absent.json"]).message.contains("no such file"));
    let unknown = failure(&["report", "x", "--sections"]);
    assert!(unknown.message.starts_with("unexpected argument '--sections'"), "{unknown:?}");
    assert!(!unknown.message.contains("Usage"), "{unknown:?}");
    assert!(failure(&["self", "schema"]).message.contains("no sections"));
    let selected = selection(None, None, Some("7")).unwrap();
    let absent = Recordings::read(&[PathBuf::from(example("training"))], selected, None).unwrap_err();
    assert!(absent.message.contains("no recording of rank 7"), "{absent:?}");
    assert!(selection(Some("x"), None, None).is_err());
}
