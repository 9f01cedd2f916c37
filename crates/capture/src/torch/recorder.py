"""Records some steps of a program that uses PyTorch. Run by `sitecustomize.py` once `torch` is imported, in one namespace
with `processes.py`.

What counts as a step is found out while the program runs. The end of an optimizer's step is the surest sign and wins
whenever it comes; without an optimizer it is the end of a call of the outermost module; without either, a window of time.
What a weaker sign led to is dropped when a stronger one is seen.

Every function here that the program calls into catches what goes wrong, for it is not the program's business; only
KeyboardInterrupt and SystemExit pass, for they are.
"""

import atexit
import functools
import os
import signal
import sys
import threading
import time
import warnings
import weakref

NOTHING, WINDOW, MODULE, OPTIMIZER = range(4)
# A program that has not shown a step so long after it imported torch may have none.
DELAY_SECONDS = 1.0
RETRY_SECONDS = 0.25
# So many steps of other optimizers in a row mean that the one we count by is no longer in use. More than any loop of
# several optimizers (adversarial training, one optimizer for each parameter) has between two steps of the same one.
STRANGERS = 256
# Events of the allocator that are kept for a snapshot.
MOST_ENTRIES = 1_000_000


class Settings:
    """What `eaves` asks for, by variables of the environment."""

    def __init__(self):
        number = lambda name: int(os.environ["EAVES_TORCH_" + name])
        self.directory = os.environ["EAVES_TORCH_DIRECTORY"]
        self.steps = max(number("STEPS"), 1)
        self.warmup = max(number("WARMUP"), 1)
        self.memory = number("MEMORY") == 1
        self.stacks = number("STACKS") == 1
        self.shapes = number("SHAPES") == 1
        self.snapshot = number("SNAPSHOT") == 1
        self.window = number("WINDOW_MS") / 1000


def guarded(method):
    """A method that the program calls without knowing: its errors end the recording, not the program."""

    @functools.wraps(method)
    def call(self, *arguments, **named):
        try:
            return method(self, *arguments, **named)
        except Exception as error:
            self.give_up(error)
            return None

    return call


class Recorder:
    def __init__(self, torch, settings):
        self.torch = torch
        self.settings = settings
        self.modules = ()
        self.own_module = ()
        self.depth = threading.local()
        self.last_module = None
        self.has_optimizer = False
        self.foreign = False
        self.opened = threading.Event()
        self.calls = []
        self.fresh()

    def fresh(self):
        """As if nothing had happened in this process yet."""
        self.process = os.getpid()
        self.level = NOTHING
        self.over = False
        self.profiler = None
        self.saved = None
        self.driver = None
        self.thread = None
        self.strangers = 0
        self.count = 0
        self.began = 0.0
        self.length = 0.0
        self.ours = None
        self.handles_termination = False

    # ---------------------------------------------------------------- signs of steps

    def install(self):
        torch = self.torch
        from torch.optim import Optimizer
        from torch.optim.optimizer import register_optimizer_step_post_hook
        from torch.nn.modules import module

        register_optimizer_step_post_hook(self.after_optimizer)
        self.modules = (
            module.register_module_forward_pre_hook(self.before_module),
            after_calls(module, self.after_module),
        )
        # A program that calls a compiled model would be told of hooks that are not its own, and do nothing to it.
        warnings.filterwarnings("ignore", r"Using `torch\.compile\(module\)` when there are global hooks", UserWarning)
        self.await_optimizer(Optimizer)
        self.watch_profilers(torch.autograd.profiler)
        if self.settings.snapshot:
            self.remember_allocations()
        atexit.register(self.finish)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forked)
        thread = threading.Thread(target=self.wait_for_window, name="eaves-window", daemon=True)
        thread.start()

    def await_optimizer(self, optimizer):
        """The first optimizer that is made says that the program trains. Then calls of modules are no steps, and hooks
        on them would only be traced, and their removal noticed, by whatever compiles the model later."""
        original = optimizer.__init__

        @functools.wraps(original)
        def made(this, *arguments, **named):
            if optimizer.__init__ is made:
                optimizer.__init__ = original
            self.trains()
            original(this, *arguments, **named)

        optimizer.__init__ = made

    @guarded
    def trains(self):
        self.has_optimizer = True
        self.unhook_modules()

    @guarded
    def after_optimizer(self, optimizer, arguments, named):
        if not self.over and not self.torch.compiler.is_compiling():
            self.step_ended(OPTIMIZER, optimizer)

    def before_module(self, module, arguments):
        # Compilers trace hooks; this one is nothing to them.
        if self.torch.compiler.is_compiling():
            return
        self.depth.value = getattr(self.depth, "value", 0) + 1

    def after_module(self, module, arguments, result):
        if self.torch.compiler.is_compiling():
            return
        depth = getattr(self.depth, "value", 1) - 1
        self.depth.value = max(depth, 0)
        if depth <= 0 and not self.over and self.level <= MODULE:
            self.outermost_called(module)

    @guarded
    def outermost_called(self, module):
        if self.driver is None and self.last_module is not None and self.last_module() is module:
            self.hook_only(module)
        if self.last_module is None or self.level == MODULE or self.last_module() is None:
            self.last_module = weakref.ref(module)
        self.step_ended(MODULE, module)

    def hook_only(self, module):
        """The module that is called again and again is known: the others need no hooks, which cost time, and show among
        the Python functions. A program that compiles keeps them, for it would compile anew without."""
        if "torch._dynamo" in sys.modules:
            return
        self.unhook_modules()
        self.own_module = (module.register_forward_hook(lambda *_: self.own_module_called(module)),)

    @guarded
    def own_module_called(self, module):
        if not self.over and self.level <= MODULE:
            self.step_ended(MODULE, module)

    def unhook_modules(self):
        if "torch._dynamo" in sys.modules and self.last_module is not None:
            return
        for handle in self.modules + self.own_module:
            handle.remove()
        self.modules = self.own_module = ()

    def wait_for_window(self):
        time.sleep(DELAY_SECONDS)
        while self.shows_nothing():
            self.on_main_thread(self.open_window)
            if self.opened.wait(RETRY_SECONDS):
                time.sleep(self.settings.window)
                self.on_main_thread(self.close_window)
                return

    def shows_nothing(self):
        nothing = self.level == NOTHING and not self.over and not self.has_optimizer
        return nothing and self.process == os.getpid() and not is_child() and not is_launcher(self.torch)

    def on_main_thread(self, method):
        """PyTorch records the thread that it is started on."""
        import ctypes

        call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda _: method() or 0)
        self.calls.append(call)
        ctypes.pythonapi.Py_AddPendingCall(call, None)

    # ---------------------------------------------------------------- recording

    def step_ended(self, level, driver):
        if level < self.level or self.is_elsewhere(level):
            return
        if level > self.level:
            self.drop()
            self.level, self.count, self.strangers = level, 0, 0
            self.driver, self.thread = weakref.ref(driver), threading.get_ident()
        if self.saved is not None or threading.get_ident() != self.thread:
            return
        if self.driver() is not driver:
            self.strangers += 1
            if self.strangers < STRANGERS and self.driver() is not None:
                return
            self.driver = weakref.ref(driver)
        self.strangers = 0
        self.count += 1
        if self.profiler is not None:
            self.step()
        elif self.count == max(self.settings.warmup - 1, 1):
            self.begin(self.schedule)

    def is_elsewhere(self, level):
        """True in processes whose steps nobody asks for. Pools of processes that prepare data call modules too."""
        return is_loader() or (level == MODULE and is_daemon()) or is_launcher(self.torch)

    def schedule(self, step):
        """Which part of the recording a step is, of which there are as many before it as its number."""
        from torch.profiler import ProfilerAction

        step = max(step, self.count)
        last = self.settings.warmup + self.settings.steps - 1
        if step < self.settings.warmup:
            return ProfilerAction.WARMUP
        if step < last:
            return ProfilerAction.RECORD
        return ProfilerAction.RECORD_AND_SAVE if step == last else ProfilerAction.NONE

    def begin(self, schedule):
        torch = self.torch
        if self.foreign or getattr(torch.autograd.profiler, "_is_profiler_enabled", False):
            self.step_aside()
            return
        from torch.profiler import ProfilerActivity, profile, supported_activities

        activities = set(supported_activities())
        if not torch.cuda.is_initialized():
            # To ask for it would initialise it, and programs have reasons for when they do.
            activities.discard(ProfilerActivity.CUDA)
        self.finish_when_ended()
        self.ours = threading.get_ident()
        try:
            profiler = profile(
                activities=activities,
                schedule=schedule,
                on_trace_ready=self.save if schedule else None,
                record_shapes=self.settings.shapes,
                profile_memory=self.settings.memory,
                with_stack=self.settings.stacks,
            )
            profiler.step_num = self.count
            profiler.start()
        finally:
            self.ours = None
        self.profiler = profiler
        self.began = time.monotonic()

    def step(self):
        self.ours = threading.get_ident()
        try:
            self.profiler.step()
            if self.saved is not None:
                self.profiler.stop()
        finally:
            self.ours = None
        if self.saved is not None:
            self.profiler = None
            self.write_snapshot()
            self.unhook_modules()
            self.leave_termination()
            if self.level == MODULE:
                self.tell_of_module()

    @guarded
    def open_window(self):
        if not self.shows_nothing() or is_importing(sys._getframe()):
            return
        self.level, self.thread = WINDOW, threading.get_ident()
        self.begin(None)
        self.opened.set()

    @guarded
    def close_window(self):
        """What was recorded stays in memory: it is written at the end if nothing better came."""
        if self.level == WINDOW and self.profiler is not None and not self.length:
            self.profiler.stop()
            self.length = time.monotonic() - self.began

    def save(self, profiler, unfinished=None):
        """Writes a trace, under its own name only when it is whole."""
        os.makedirs(self.settings.directory, exist_ok=True)
        path = self.path(".pt.trace.json")
        partial = path + ".partial"
        profiler.export_chrome_trace(partial)
        if unfinished is not None:
            rename_step(partial, unfinished)
        os.replace(partial, path)
        self.saved = path

    def drop(self):
        """Forgets what a weaker sign led to."""
        profiler, self.profiler = self.profiler, None
        if profiler is not None and not self.length:
            profiler.on_trace_ready = None
            profiler.stop()
        self.length = 0.0
        if self.saved is not None:
            saved, self.saved = self.saved, None
            os.remove(saved)

    # ---------------------------------------------------------------- the end

    @guarded
    def finish(self):
        """Writes what there is. Called at every end of the program but os._exit and a crash."""
        if self.process != os.getpid() or self.over:
            return
        self.over = True
        profiler, self.profiler = self.profiler, None
        if self.level == WINDOW and profiler is not None:
            self.finish_window(profiler)
        elif profiler is not None:
            self.finish_steps(profiler)
        elif self.saved is None and not is_child() and not is_launcher(self.torch):
            self.tell_of_nothing()
        if profiler is not None or self.saved is None:
            self.write_snapshot()

    def finish_window(self, profiler):
        if not self.length:
            profiler.stop()
            self.length = time.monotonic() - self.began
        self.save(profiler)
        what = "its steps did not end" if self.has_optimizer else "no optimizer and no module was called twice"
        self.note("note", f"{what}: {self.length:.1f} s are recorded by time")

    def finish_steps(self, profiler):
        recorded = self.count - self.settings.warmup
        if recorded < 0 or (recorded == 0 and threading.get_ident() != self.thread):
            profiler.on_trace_ready = None
            profiler.stop()
            self.tell_of_nothing()
            return
        unfinished = f"ProfilerStep#{profiler.step_num}"
        # Torch would save only what has a next step.
        profiler.on_trace_ready = None
        profiler.stop()
        self.save(profiler, unfinished)
        asked = self.settings.steps
        self.note("note", f"{recorded} of {asked} steps are recorded: the program ended after {self.count}")
        if self.level == MODULE:
            self.tell_of_module()

    def tell_of_module(self):
        driver = self.driver()
        name = "a module" if driver is None else type(driver).__name__
        self.note("note", f"no optimizer: a step is a call of {name}")

    def tell_of_nothing(self):
        if self.count:
            word = "step" if self.count == 1 else "steps"
            why = f"the program ended after {self.count} {word}, of which {self.settings.warmup} are warm-up (--warmup)"
        elif self.has_optimizer:
            why = "torch was imported and an optimizer made, but it made no step"
        else:
            why = "torch was imported, but no optimizer made a step and no module was called"
        self.note("nothing", why)

    def give_up(self, error):
        """Something of ours does not work with this program or this version of torch."""
        self.over = True
        try:
            profiler, self.profiler = self.profiler, None
            if profiler is not None and not self.length:
                profiler.on_trace_ready = None
                profiler.stop()
        except Exception:
            pass
        self.note("nothing" if self.saved is None else "note", f"the recording failed: {type(error).__name__}: {error}")

    @guarded
    def forked(self):
        """A child by fork starts anew. If its parent was being recorded it has a profiler that is not its own."""
        inherited = self.profiler is not None
        self.fresh()
        self.over = inherited

    def finish_when_ended(self):
        """Ways to end that pass by atexit."""
        if is_child():
            from multiprocessing.util import Finalize

            Finalize(None, self.finish, exitpriority=100)
        on_main = threading.current_thread() is threading.main_thread()
        if on_main and not self.handles_termination and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self.terminated)
            self.handles_termination = True

    def terminated(self, number, frame):
        self.finish()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)

    def leave_termination(self):
        mine = self.handles_termination and signal.getsignal(signal.SIGTERM) == self.terminated
        if mine and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            self.handles_termination = False

    # ---------------------------------------------------------------- profilers of the program's own

    def watch_profilers(self, module):
        """Torch has room for one profiler at a time, and the program's own comes first."""
        for name in ("_prepare_profiler", "_enable_profiler"):
            original = getattr(module, name, None)
            if original is not None:
                setattr(module, name, self.watched(original, name == "_prepare_profiler"))

    def watched(self, original, prepares):
        @functools.wraps(original)
        def call(*arguments, **named):
            if self.ours != threading.get_ident():
                self.met_another(prepares)
            return original(*arguments, **named)

        return call

    @guarded
    def met_another(self, prepares):
        self.foreign = prepares
        if self.profiler is not None and not self.length:
            self.drop()
            self.step_aside()

    def step_aside(self):
        self.over = True
        self.note("nothing", "the program uses torch.profiler itself, which nothing here disturbs; "
                  "`eaves report` reads the traces that it exports")

    # ---------------------------------------------------------------- memory of CUDA

    def remember_allocations(self):
        cuda = self.torch.cuda
        lazy = getattr(cuda, "_lazy_call", None)
        if lazy is not None and self.torch.backends.cuda.is_built():
            lazy(lambda: cuda.memory._record_memory_history(max_entries=MOST_ENTRIES))

    def write_snapshot(self):
        cuda = self.torch.cuda
        if not self.settings.snapshot or not cuda.is_initialized():
            return
        os.makedirs(self.settings.directory, exist_ok=True)
        path = self.path(".snapshot.pickle")
        cuda.memory._dump_snapshot(path + ".partial")
        os.replace(path + ".partial", path)
        cuda.memory._record_memory_history(enabled=None)

    # ---------------------------------------------------------------- files

    def path(self, suffix):
        rank = rank_of()
        name = f"pid{os.getpid()}" if rank is None else f"rank{rank}_pid{os.getpid()}"
        return os.path.join(self.settings.directory, name + suffix)

    def note(self, kind, text):
        """For `eaves` to say: the program's own streams stay as they are."""
        try:
            os.makedirs(self.settings.directory, exist_ok=True)
            with open(self.path(".note.txt"), "a", encoding="utf-8") as file:
                file.write(f"{kind}: {' '.join(text.split())}\n")
        except OSError:
            pass


def after_calls(module, hook):
    """A hook behind calls of modules, those that raise too where torch is new enough to have such."""
    try:
        return module.register_module_forward_hook(hook, always_call=True)
    except TypeError:
        return module.register_module_forward_hook(hook)


def is_importing(frame):
    """True within an import: what torch needs to record may be half there."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def rename_step(path, name):
    """A step that did not end is no step; its mark gets another name. Lines of a trace are short."""
    old, new = f'"{name}"'.encode(), b'"After the last step"'
    changed = path + ".renamed"
    with open(path, "rb") as source, open(changed, "wb") as target:
        for line in source:
            target.write(line.replace(old, new))
    os.replace(changed, path)


def start(torch):
    Recorder(torch, Settings()).install()
