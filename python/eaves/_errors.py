"""Exceptions: one base class, with subclasses by who can fix it."""

from __future__ import annotations

import errno


class EavesError(Exception):
    """Base class of all errors.

    ``message`` says what went wrong, ``hint`` what to try, if known.
    """

    message: str
    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


class InputError(EavesError):
    """An input cannot be read, or lacks the requested data."""


class MissingInputError(InputError, FileNotFoundError):
    """An input does not exist."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        # An `OSError` takes its arguments for these two.
        self.errno = errno.ENOENT
        self.strerror = message


class UsageError(EavesError, ValueError):
    """An argument is invalid, or names something unknown, such as a device or a section."""


__all__ = ["EavesError", "InputError", "MissingInputError", "UsageError"]
