"""Signs that a step ended: of an optimizer, of a call of a module, of time. In one namespace with `recorder.py`."""

import functools
import os
import sys
import threading
import time

NOTHING, WINDOW, MODULE, OPTIMIZER = range(4)
# A program that has not shown a step so long after it imported torch may have none.
DELAY_SECONDS = 1.0
RETRY_SECONDS = 0.25


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


class Signs:
    """What a recorder sees of the program."""

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
        """The first module that is called again is what the program is about: what is called once prepares something."""
        if self.level < MODULE and module not in self.called:
            self.called.add(module)
            return
        if self.level < MODULE:
            self.hook_only(module)
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
        if "torch._dynamo" in sys.modules and self.called:
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
