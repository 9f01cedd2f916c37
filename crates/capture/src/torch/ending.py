"""The end of a recording, and the files that are left of it. In one namespace with `recorder.py`."""

import os
import signal
import threading
import time


class Ending:
    """What a recorder does at the end."""

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


def finish_trace(path, unfinished=None, added=None):
    """Changes a trace as it was exported. A step that did not end is no step; its mark gets another name. `added` makes
    further events from the zero of the trace; False if there is no place for them. Lines of a trace are short."""
    old, new = f'"{unfinished}"'.encode(), b'"After the last step"'
    changed, base = path + ".changed", 0
    with open(path, "rb") as source, open(changed, "wb") as target:
        for line in source:
            target.write(line if unfinished is None else line.replace(old, new))
            if added is None:
                continue
            base = base_of(line) or base
            if line.strip() == b'"traceEvents": [':
                target.writelines(text.encode() for text in added(base))
                added = None
    os.replace(changed, path)
    return added is None
