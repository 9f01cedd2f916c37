//! `eaves profile`, `attach` and `trigger` with real PyTorch on the processor. Where there is none a test says so.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::python::python;
use crate::support::{Answer, eaves};

/// A model with an optimizer, a line on stdout at the end, and room for what a test needs in the loop.
fn training(steps: u32, within: &str) -> String {
    format!(
        "import os, signal, sys, time, torch
from torch import nn
model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())
if __name__ == '__main__':
    for step in range({steps}):
        model(torch.randn(8, 16)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
{}
    print('the end')
",
        within.lines().map(|line| format!("        {line}\n")).collect::<String>()
    )
}

/// No test depends on how busy the machine is.
const PATIENT: &str = "--timeout=600s";

/// Two ranks that train until there is a file `stop`, for `torchrun`.
const DISTRIBUTED: &str = "import gc, os, sys, time, torch
import torch.distributed as dist
from torch import nn
dist.init_process_group('gloo')
model = nn.parallel.DistributedDataParallel(nn.Linear(16, 16))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(int(sys.argv[1])):
    model(torch.randn(8, 16)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    stop = torch.tensor([float(os.path.exists('stop'))])
    dist.all_reduce(stop)
    if stop.item():
        break
    if len(sys.argv) > 2:
        time.sleep(float(sys.argv[2]))
# PyTorch 2.15 by itself aborts at one exit in ten if a thread of gloo outlives its group.
del model, optimizer
gc.collect()
dist.barrier()
dist.destroy_process_group()
";

fn script(text: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("script.py"), text).unwrap();
    directory
}

fn command(directory: &Path, verb: &str, options: &[&str], program: &[&str]) -> Command {
    let mut words = vec![verb, "--output-dir", "out"];
    words.extend(options);
    words.push("--");
    words.extend(program);
    let mut command = eaves(directory, words);
    command.env("OMP_NUM_THREADS", "1").env_remove("PYTHONPATH");
    command
}

fn profile(directory: &Path, options: &[&str], program: &[&str]) -> Answer {
    let options = [&["--json"], options].concat();
    command(directory, "profile", &options, program).output().unwrap().into()
}

fn traces(directory: &Path) -> Vec<PathBuf> {
    let folder = directory.join("out/torch_raw");
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".pt.trace.json"))
        .collect();
    found.sort_unstable();
    found
}

fn trace(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// How many events a trace has of a category whose names begin so, counted without our reader.
fn events(path: &Path, category: &str, name: &str) -> usize {
    let trace = trace(path);
    let events = trace["traceEvents"].as_array().unwrap();
    let is = |event: &&Value| {
        event["cat"] == category && event["name"].as_str().is_some_and(|text| text.starts_with(name))
    };
    events.iter().filter(is).count()
}

/// The number of steps of each rank in the report.
fn steps(answer: &Answer) -> Vec<u64> {
    let document: Value = serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("{answer:?}"));
    let sections = document["sections"].as_array().unwrap();
    let section = sections.iter().find(|section| section["id"] == "steps").unwrap();
    let numbers = section["numbers"].as_array().unwrap();
    numbers
        .iter()
        .filter(|number| number["id"] == "steps")
        .map(|number| number["value"].as_u64().unwrap())
        .collect()
}

#[test]
fn a_training_loop_is_recorded_as_it_is() {
    let Some(python) = python() else { return };
    let directory = script(&training(8, ""));
    let options = ["--steps", "4", "--warmup", "3", "--shapes", "--stacks", "--memory"];
    let answer = profile(directory.path(), &options, &[python.to_str().unwrap(), "script.py"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    // Stdout is the answer's; what the program says is there, and nothing of the recorder or of Kineto.
    assert!(answer.stderr.contains("the end\n"), "{answer:?}");
    assert!(!answer.stderr.contains("USDT") && !answer.stderr.contains("ERROR"), "{answer:?}");
    let [path] = traces(directory.path()).try_into().unwrap();
    assert_eq!(events(&path, "user_annotation", "ProfilerStep#"), 4);
    assert_eq!(events(&path, "user_annotation", "Optimizer.step#AdamW.step"), 4);
    assert_eq!(steps(&answer), [4]);
    let trace = trace(&path);
    for flag in ["record_shapes", "with_stack", "profile_memory"] {
        assert_eq!(trace[flag], 1, "{flag}");
    }
    let first = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|event| event["name"].as_str().filter(|name| name.starts_with("ProfilerStep#")));
    assert_eq!(first, Some("ProfilerStep#3"), "three steps pass before");
}

#[test]
fn without_an_optimizer_a_step_is_a_call_of_the_model() {
    let Some(python) = python() else { return };
    let directory = script(
        "import torch
from torch import nn
model = nn.Sequential(nn.Linear(16, 16), nn.Sequential(nn.ReLU(), nn.Linear(16, 4))).eval()
with torch.no_grad():
    for _ in range(9):
        model(torch.randn(8, 16))
",
    );
    let answer = profile(directory.path(), &[], &[python.to_str().unwrap(), "script.py"]);
    assert_eq!(steps(&answer), [3], "{answer:?}");
    assert!(answer.stderr.contains("a step is a call of Sequential"), "{answer:?}");
    // Three calls of a model with two linear layers.
    assert_eq!(events(&traces(directory.path())[0], "cpu_op", "aten::linear"), 6);
}

#[test]
fn without_torch_it_is_said() {
    let Some(python) = python() else { return };
    let directory = script("print('no torch here')\n");
    let answer = profile(directory.path(), &[], &[python.to_str().unwrap(), "script.py"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("no torch here\n"), "{answer:?}");
    assert!(answer.stderr.contains("no process imported torch"), "{answer:?}");
}

#[test]
fn without_steps_it_is_recorded_by_time() {
    let Some(python) = python() else { return };
    // Ends when the window was open for a while, however slow the machine is.
    let directory = script(
        "import time, torch
from torch.autograd import profiler
def work():
    return torch.randn(64, 64) @ torch.randn(64, 64)
while not profiler._is_profiler_enabled:
    work()
for _ in range(50):
    work()
",
    );
    let answer = profile(directory.path(), &["--timeout", "300s"], &[python.to_str().unwrap(), "script.py"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stderr.contains("recorded by time"), "{answer:?}");
    assert!(events(&traces(directory.path())[0], "cpu_op", "aten::matmul") >= 50, "{answer:?}");
}

/// The launcher of a program with two ranks on this machine.
fn on_two_ranks(python: &Path) -> [&str; 6] {
    [python.to_str().unwrap(), "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
}

#[test]
fn every_rank_gives_its_trace_and_the_launcher_none() {
    let Some(python) = python() else { return };
    let directory = script(DISTRIBUTED);
    let program = [&on_two_ranks(python)[..], &["script.py", "8"]].concat();
    let answer = profile(directory.path(), &["--steps", "2"], &program);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(steps(&answer), [2, 2], "{answer:?}");
    let files = traces(directory.path());
    assert_eq!(files.len(), 2, "{files:?}");
    for (rank, path) in files.iter().enumerate() {
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(name.starts_with(&format!("rank{rank}_pid")), "{name}");
        let trace = trace(path);
        assert_eq!(trace["distributedInfo"]["rank"], rank);
        assert_eq!(trace["distributedInfo"]["world_size"], 2);
    }
}

#[test]
fn workers_of_a_data_loader_are_not_recorded() {
    let Some(python) = python() else { return };
    for context in ["fork", "spawn"] {
        let directory = script(&format!(
            "import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __init__(self):
        self.transform = nn.Linear(16, 16)
    def __len__(self):
        return 64
    def __getitem__(self, index):
        with torch.no_grad():
            return self.transform(torch.randn(16))
if __name__ == '__main__':
    model = nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in DataLoader(Data(), batch_size=8, num_workers=2, multiprocessing_context='{context}'):
        model(batch).square().mean().backward()
        optimizer.step()
"
        ));
        let answer = profile(directory.path(), &[], &[python.to_str().unwrap(), "script.py"]);
        assert_eq!(steps(&answer), [3], "{context}: {answer:?}");
        assert_eq!(traces(directory.path()).len(), 1, "{context}: {answer:?}");
    }
}

#[test]
fn a_script_that_profiles_itself_is_left_alone() {
    let Some(python) = python() else { return };
    // Its profiler starts before ours would, and while ours is at work.
    for (before, starts) in [(0, "before"), (3, "while")] {
        let within = format!(
            "if step == {before}:
    own = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    own.start()
if step == {before} + 4:
    own.stop()
    own.export_chrome_trace('own.json')"
        );
        let directory = script(&training(9, &within));
        let answer = profile(directory.path(), &[], &[python.to_str().unwrap(), "script.py"]);
        assert!(answer.stderr.contains("the end\n"), "{starts}: {answer:?}");
        assert!(answer.stderr.contains("uses torch.profiler itself"), "{starts}: {answer:?}");
        assert!(traces(directory.path()).is_empty(), "{starts}: {answer:?}");
        assert_eq!(events(&directory.path().join("own.json"), "user_annotation", "Optimizer.step#"), 4);
    }
}

#[test]
fn whatever_ends_a_program_the_steps_until_then_are_there() {
    let Some(python) = python() else { return };
    for (end, code) in [
        ("raise RuntimeError('broken')", 1),
        ("sys.exit(7)", 7),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", 143),
        ("signal.raise_signal(signal.SIGINT)", 130),
    ] {
        let directory = script(&training(9, &format!("if step == 4:\n    {end}")));
        let answer = profile(directory.path(), &["--steps", "50"], &[python.to_str().unwrap(), "script.py"]);
        assert_eq!(answer.code, Some(code), "{end}: {answer:?}");
        // Five steps, of which two are warm-up.
        assert_eq!(steps(&answer), [3], "{end}: {answer:?}");
        assert!(answer.stderr.contains("3 of 50 steps are recorded"), "{end}: {answer:?}");
    }
}

#[test]
fn after_an_interrupt_the_steps_until_then_are_there() {
    let Some(python) = python() else { return };
    let directory =
        script(&training(1_000_000, "if step == 6: open('ready', 'w').close()\ntime.sleep(0.01)"));
    let program = [python.to_str().unwrap(), "script.py"];
    let mut command = command(directory.path(), "profile", &["--json", "--steps", "1000000"], &program);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(&directory.path().join("ready"));
    interrupt(&child);
    let answer: Answer = child.wait_with_output().unwrap().into();
    assert_eq!(answer.code, Some(130), "{answer:?}");
    let [steps] = steps(&answer).try_into().unwrap();
    assert!(steps >= 5, "{steps}: {answer:?}");
}

#[test]
fn a_model_that_is_compiled_is_compiled_as_without_us() {
    let Some(python) = python() else { return };
    let program = "import sys, torch
from torch import nn
from torch._dynamo.utils import counters
graphs = []
def backend(graph, inputs):
    graphs.append(graph)
    return graph.forward
model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))
compiled = torch.compile(model, backend=backend, fullgraph=True)
if TRAINS:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(9):
    loss = compiled(torch.randn(8, 16)).square().mean()
    if TRAINS:
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
print('graphs', len(graphs), 'breaks', sum(counters['graph_break'].values()))
";
    for trains in ["True", "False"] {
        let directory = script(&program.replace("TRAINS", trains));
        let answer = profile(directory.path(), &[], &[python.to_str().unwrap(), "script.py"]);
        assert_eq!(steps(&answer), [3], "{trains}: {answer:?}");
        // One graph for all calls, and no word about hooks.
        assert!(answer.stderr.contains("graphs 1 breaks 0\n"), "{trains}: {answer:?}");
        assert!(!answer.stderr.contains("Warning"), "{trains}: {answer:?}");
    }
}

#[test]
fn a_sitecustomize_of_the_users_is_still_run() {
    let Some(python) = python() else { return };
    let directory = script(&training(6, ""));
    std::fs::create_dir(directory.path().join("site")).unwrap();
    let theirs = "import sys\nsys.stderr.write('theirs %s\\n' % __name__)\n";
    std::fs::write(directory.path().join("site/sitecustomize.py"), theirs).unwrap();
    let program = [python.to_str().unwrap(), "script.py"];
    let mut command = command(directory.path(), "profile", &["--json"], &program);
    let answer: Answer = command.env("PYTHONPATH", "site").output().unwrap().into();
    assert_eq!(answer.stderr.matches("theirs sitecustomize\n").count(), 1, "{answer:?}");
    assert_eq!(steps(&answer), [3]);
}

#[test]
fn a_program_under_attach_records_exactly_the_steps_that_are_asked_for() {
    let Some(python) = python() else { return };
    let directory = script(DISTRIBUTED);
    let program = [&on_two_ranks(python)[..], &["script.py", "1000000", "0.01"]].concat();
    let child = command(directory.path(), "attach", &[], &program)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&directory.path().join("out/attach.address"));
    // At once, long before the first step.
    let trigger = |words: [&str; 3]| {
        eaves(directory.path(), [&["trigger", "--json", PATIENT, "out"], &words[..]].concat())
            .output()
            .unwrap()
    };
    let answer: Answer = trigger(["--steps", "4", "--shapes"]).into();
    let again = trigger(["--duration", "200ms", "--quiet"]);
    std::fs::write(directory.path().join("stop"), "").unwrap();
    let attached: Answer = child.wait_with_output().unwrap().into();
    assert_eq!(answer.code, Some(0), "{answer:?}\n{attached:?}");
    for rank in 0..2 {
        let folder = directory.path().join("out/recording-1");
        let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let is = |path: &PathBuf| path.to_string_lossy().contains(&format!("rank{rank}_pid"));
        let path = files.find(is).unwrap();
        assert_eq!(events(&path, "user_annotation", "Optimizer.step#SGD.step"), 4, "{}", path.display());
    }
    assert!(again.status.success(), "{again:?}");
    assert_eq!(attached.code, Some(0), "{attached:?}");
    assert!(attached.stderr.contains("4 traces in"), "{attached:?}");
    assert!(!directory.path().join("out/attach.address").exists());
}

/// Trains until there is a file `stop`, and names its steps.
const NAMED: &str = "import os, time, torch
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
step = 0
while not os.path.exists('stop'):
    with torch.profiler.record_function(f'mine {step}'):
        model(torch.randn(8, 16)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    step += 1
    time.sleep(0.01)
";

#[test]
fn a_program_that_is_started_elsewhere_is_recorded_by_its_number_from_a_multiple_on() {
    let Some(python) = python() else { return };
    let directory = script(NAMED);
    let exports = std::fs::File::create(directory.path().join("exports")).unwrap();
    let listening = eaves(directory.path(), ["attach", "--listen", "job"])
        .stdout(exports)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&directory.path().join("job/injected/sitecustomize.py"));
    while !std::fs::read_to_string(directory.path().join("exports")).unwrap().contains("KINETO_USE_DAEMON=1")
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    let program = format!(". ./exports; exec '{}' script.py", python.display());
    let trained = Command::new("sh")
        .args(["-c", &program])
        .current_dir(directory.path())
        .env("OMP_NUM_THREADS", "1")
        .env_remove("PYTHONPATH")
        .spawn()
        .unwrap();
    // It is known by its environment, once the shell has become Python.
    let number = trained.id().to_string();
    let words = ["trigger", "--steps", "2", "--align", "5", "--json", PATIENT, &number];
    let ask = || -> Answer { eaves(directory.path(), words).output().unwrap().into() };
    let mut answer = ask();
    while answer.stderr.contains("no program runs under") {
        std::thread::sleep(Duration::from_millis(200));
        answer = ask();
    }
    std::fs::write(directory.path().join("stop"), "").unwrap();
    let ended = trained.wait_with_output().unwrap();
    interrupt(&listening);
    let listened: Answer = listening.wait_with_output().unwrap().into();
    assert_eq!(answer.code, Some(0), "{answer:?}\n{listened:?}");
    assert!(ended.status.success());
    assert_eq!(listened.code, Some(0), "{listened:?}");
    assert!(!directory.path().join("job/attach.address").exists());
    let path = directory.path().join(format!("job/recording-1/pid{number}.pt.trace.json"));
    let trace = trace(&path);
    let events = trace["traceEvents"].as_array().unwrap();
    let names = events.iter().filter(|event| event["cat"] == "user_annotation");
    let mut steps: Vec<u64> =
        names.filter_map(|event| event["name"].as_str()?.strip_prefix("mine ")?.parse().ok()).collect();
    steps.sort_unstable();
    // Before step 5 n + 1 there were as many as a multiple of 5, and one that passes.
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!((steps[0] % 5, steps[1]), (1, steps[0] + 1), "{steps:?}");
}

#[test]
fn what_cannot_work_is_said_before_anything_runs() {
    let directory = tempfile::tempdir().unwrap();
    for (program, options, expected) in [
        (["python", "-I", "x.py"].as_slice(), [].as_slice(), "ignores PYTHONPATH"),
        (&["python3", "-uS", "x.py"], &[], "imports no sitecustomize"),
        (&["nsys", "profile", "x"], &[], "nsys is a profiler itself"),
        (&["python", "x.py"], &["--hip"], "always records calls"),
        (&["python", "x.py"], &["--counters", "SQ_WAVES"], "does not support AMD counters"),
        (&["python", "x.py"], &["--with", "nsys", "--steps", "3"], "nsys does not support --steps"),
        (&["/no/such/program"], &[], "cannot start /no/such/program"),
    ] {
        let answer = profile(directory.path(), options, program);
        assert_eq!(answer.code, Some(2), "{program:?}: {answer:?}");
        assert!(answer.stderr.contains(expected), "{program:?}: {answer:?}");
        drop(std::fs::remove_dir_all(directory.path().join("out")));
    }
    let answer: Answer = eaves(directory.path(), ["trigger", "nowhere"]).output().unwrap().into();
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("no program runs under `eaves attach` there"), "{answer:?}");
}

#[test]
fn a_dry_run_is_a_script_that_a_shell_takes() {
    let directory = tempfile::tempdir().unwrap();
    let words = ["--steps", "7", "--dry-run"];
    let program = ["sh", "-c", "echo \"$EAVES_TORCH_STEPS $PYTHONPATH\""];
    let answer: Answer = command(directory.path(), "profile", &words, &program).output().unwrap().into();
    assert!(!directory.path().join("out").exists());
    let shell = Command::new("sh").args(["-c", &answer.stdout]).env("PYTHONPATH", "mine").output().unwrap();
    let out = directory.path().join("out/torch_raw/injected");
    assert_eq!(String::from_utf8_lossy(&shell.stdout), format!("7 {}:mine\n", out.display()));
    assert!(out.join("sitecustomize.py").is_file());
}

/// Waits for something that another process does; the test as a whole has its limits elsewhere.
fn wait_for(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}
