"""The one exception of the package."""

from __future__ import annotations


class EavesError(Exception):
    """Something could not be done.

    ``message`` says what went wrong, ``hint`` what to try, if anything is known to help.
    """

    message: str
    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message
