"""The part of eaves that is written in Rust. Import it from `eaves`."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final

_Path: TypeAlias = str | PathLike[str]
_Value: TypeAlias = int | float | str | None

__version__: str

__all__ = [
    "Column",
    "Finding",
    "Flame",
    "Ingest",
    "Input",
    "InputWarning",
    "Number",
    "Recording",
    "Report",
    "Section",
    "Skipped",
    "Table",
    "Timeline",
    "ask",
    "files",
    "ingest_file",
    "ingested",
    "measure",
    "merge",
    "read",
    "report_of",
    "run",
    "__version__",
]

def run(arguments: Sequence[str]) -> int:
    """Runs the whole program; the first argument is its name. The answer is its exit code.

    It writes to the standard streams of the process, and Ctrl-C ends the process, as it does for the program.
    """

def ask(verb: str, request: Mapping[str, Any] | None = None, /, **fields: Any) -> Report:
    """What a verb has to say, as data: its name, and the fields of its request as a dictionary, as keyword arguments, or
    both: ``ask("report", inputs=["trace.json"], step=3)``. Nothing is written but what the verb makes.
    """

def read(
    *paths: _Path,
    rank: int | str | Sequence[int] | None = None,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
    threads: int | None = None,
) -> Recording:
    """Reads traces: files, folders with one trace per rank, or patterns. The format is detected.

    ``rank``, ``step`` and ``time`` are the part that analyses look at: ``rank=0``, ``rank="0,3-5"``, ``step=3``,
    ``step="3-7"``, ``step=(3, 7)`` with both ends, ``time="1.5ms..20ms"``, ``time=(1_500_000, 20_000_000)`` in
    nanoseconds from the start. Ranks that are not selected are not kept; tables of the others have all rows.
    """

def files(inputs: Sequence[_Path]) -> list[str]:
    """The files that inputs stand for: files, folders with one trace per rank, or patterns."""

def measure(
    inputs: Sequence[_Path],
    *,
    shown: str | None = None,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
    details: bool = False,
    threads: int | None = None,
) -> bytes:
    """Measures recordings, without keeping their rows, and gives what was measured as bytes: an Arrow IPC stream that
    ``merge`` puts together with others and ``report_of`` makes a report of. A single input may be ``shown`` in reports under
    another name than it has on this machine.
    """

def merge(parts: Sequence[bytes], unreadable: Sequence[tuple[str, str]] | None = None) -> bytes:
    """Puts together what ``measure`` gave, in any order and any grouping. ``unreadable`` are inputs that could not be
    read, with the reasons, which the report then names.
    """

def report_of(
    part: bytes,
    sections: str | Sequence[str] | None = None,
    *,
    device: _Path | None = None,
    details: bool = False,
    rank: int | str | Sequence[int] | None = None,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
) -> Report:
    """The report of what ``measure`` or ``merge`` gave: the same as that of reading all recordings together. ``step``,
    ``time`` and ``details`` must be those that were measured with.
    """

def ingest_file(
    file: str,
    dataset: str,
    run: str,
    *,
    folder: _Path,
    ranks: Sequence[tuple[str, int]] | None = None,
) -> bytes:
    """Reads an input and writes the ranks in it to a run of a dataset: all that say which rank they are, or ``ranks``, names
    of recordings with the rank of each. Names that are not absolute are those in ``folder``. The answer is for
    ``Ingest.answered``.
    """

def ingested(outcome: bytes) -> Report:
    """The report of what ``Ingest.finish`` gave."""

@final
class Ingest:
    """A run of a dataset that is brought up to date by many processes. This one says what there is to do, ``ingest_file``
    does it."""

    def __new__(cls, inputs: Sequence[_Path], dataset: _Path, run: str | None = None) -> Ingest: ...
    @property
    def run(self) -> str:
        """The run."""
    def tasks(self) -> list[tuple[str, list[tuple[str, int]] | None]]:
        """What can be done side by side: inputs, with the ranks to write if that was decided. When all are done or failed
        there may be more.
        """
    def answered(self, file: str, answer: bytes) -> None:
        """Takes what ``ingest_file`` gave."""
    def failed(self, file: str, why: str) -> None:
        """Takes that an input could not be read or written."""
    def finish(self) -> bytes:
        """What became of all inputs: ``ingested`` makes a report of it."""

@final
class Recording:
    """What was read: the recordings of one or several ranks, whole, as columns in memory."""

    @property
    def inputs(self) -> list[Input]:
        """What was read, in order of rank."""
    @property
    def warnings(self) -> list[InputWarning]:
        """What was odd about it."""
    @property
    def ranks(self) -> list[int]:
        """The ranks."""
    @property
    def steps(self) -> list[int]:
        """The numbers of profiler steps that were recorded, on any rank."""
    @property
    def devices(self) -> list[str]:
        """The names of the devices that it was recorded on, each once."""
    @property
    def duration_ns(self) -> int:
        """From the first start to the last end of everything, of the rank that is longest."""
    @property
    def tables(self) -> dict[str, Table]:
        """The tables of the model that have rows, by name: `slices`, `ops`, `gpu` and so on."""
    def table(self, name: str) -> Table:
        """One table of the model, also if it has no rows."""
    @property
    def kernels(self) -> Table:
        """A row for each kernel, copy and set on a GPU, with its name, times and launch."""
    @property
    def operators(self) -> Table:
        """A row for each operator and named range of the framework, with its name and times."""
    @property
    def allocations(self) -> Table:
        """A row for each recorded change of memory."""
    def report(
        self,
        sections: str | Sequence[str] | None = None,
        *,
        device: _Path | None = None,
        details: bool = False,
    ) -> Report:
        """All analyses, or the sections named. ``device`` is what work is held against, if not the one recorded on;
        ``details`` makes the long tables too. ``eaves.report`` takes more options."""
    def info(self) -> Report:
        """What was recorded, what is missing, and how to record it."""
    def hta(self) -> Report:
        """The answers of Holistic Trace Analysis, corrected."""
    def roofline(
        self,
        device: _Path | None = None,
        *,
        sparse: bool = False,
        link: str | None = None,
        ops: _Path | None = None,
    ) -> Report:
        """How far operators, kernels and collectives are from what the device can do. ``ops`` are formulas of your own;
        ``eaves.roofline`` takes more options."""
    def flame(
        self,
        metric: Literal["cpu", "gpu", "calls", "bytes"] | None = None,
        *,
        order: Literal["left-heavy", "time", "inverted"] = "left-heavy",
        base: Recording | _Path | None = None,
        min_duration_ns: int = 0,
        min_share: float | None = None,
        max_depth: int | None = None,
    ) -> Flame:
        """The calls of the program with the GPU time that they launched; compared with ``base`` if given.

        ``metric`` is by default the time on the host, or on the GPU if there is none. ``min_share`` is in percent.
        """
    def query(self, sql: str) -> Table:
        """Answers a question in SQL about the recordings in memory: ``query("SELECT name FROM kernels LIMIT 3")``. It is
        about all their rows, whatever ``step`` and ``time`` were read with.
        """
    def timeline(self) -> Timeline:
        """What host and GPU did over time."""
    def diff(self, new: Recording) -> Report:
        """What changed from this run to another, and what is only noise."""
    def export(
        self,
        path: _Path,
        *,
        to: Literal["chrome", "perfetto", "parquet", "csv"],
        table: str | None = None,
        counters: bool = False,
        critical_path: bool = False,
    ) -> list[str]:
        """Writes the recording in a format of other tools; the answer is the names of the files."""

@final
class Report:
    """An answer: sections by id, as a mapping, and what was read for it."""

    @property
    def verb(self) -> str:
        """The verb of the program that gives the same answer."""
    @property
    def inputs(self) -> list[Input]: ...
    @property
    def warnings(self) -> list[InputWarning]: ...
    @property
    def sections(self) -> list[Section]:
        """The sections, in order. Of several inputs there can be several with one id."""
    @property
    def result(self) -> Table | None:
        """Rows that SQL answered; None for the other verbs."""
    @property
    def skipped(self) -> list[Skipped]:
        """Sections that could not be made, with what is missing and how to record it."""
    @property
    def findings(self) -> list[Finding]:
        """The findings of all sections, what may gain most first."""
    def __getitem__(self, id: str, /) -> Section:
        """The section of an id; a KeyError says if it was skipped, and why."""
    def __contains__(self, id: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def get(self, id: str, default: Any = None) -> Any: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[Section]: ...
    def items(self) -> list[tuple[str, Section]]: ...
    def to_json(self) -> str:
        """The JSON that the program prints with `--json`."""
    def to_dict(self) -> dict[str, Any]:
        """The same as Python objects."""
    @property
    def notes(self) -> list[str]:
        """What else there is to say."""
    @property
    def failed(self) -> list[tuple[str, str]]:
        """The conditions of `fail_on` that hold, each with what makes it hold."""
    def to_html(self) -> str:
        """A page that needs nothing else, as `save` writes it."""
    def to_markdown(self, *, top: int | None = None) -> str:
        """``top`` is how many rows of each table; 0 is all."""
    def to_text(self, *, width: int = 80, top: int | None = None, full: bool = False) -> str:
        """What the terminal shows, without colors. ``full`` is every section and table, not just the first screen;
        ``top`` is how many rows of each table then; 0 is all.
        """
    def save(self, path: _Path, *, top: int | None = None) -> None:
        """Writes a file: .html, .json, .csv, .md or .txt; a folder if the name ends in `/`, with one CSV per table;
        and pictures such as .svg and .png of what has one."""
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...

@final
class Section:
    """The answer of one analysis."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def numbers(self) -> list[Number]:
        """All headline numbers, in order; those of several ranks have the same id."""
    def number(self, id: str, rank: int | None = None) -> Number:
        """One of them. A KeyError if there is none, or several and no rank is given."""
    @property
    def tables(self) -> dict[str, Table]: ...
    @property
    def findings(self) -> list[Finding]: ...
    def to_dict(self) -> dict[str, Any]:
        """As in the JSON of the report."""
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...

@final
class Number:
    """A headline number."""

    @property
    def id(self) -> str: ...
    @property
    def rank(self) -> int | None: ...
    @property
    def value(self) -> _Value:
        """The value; None if there is none, for the `reason`."""
    @property
    def unit(self) -> str | None: ...
    @property
    def provenance(self) -> str: ...
    @property
    def explain(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    def __float__(self) -> float: ...
    def __str__(self) -> str:
        """As people read it: `1.5 ms`."""

@final
class Finding:
    """Something worth doing, with what it may gain."""

    @property
    def id(self) -> str: ...
    @property
    def section(self) -> str: ...
    @property
    def severity(self) -> str:
        """`info`, `warning` or `critical`."""
    @property
    def claim(self) -> str: ...
    @property
    def gain_ns(self) -> tuple[int, int] | None: ...
    @property
    def gain_of(self) -> str | None:
        """Of what the gain is: a `step`, or the whole `selection`."""
    @property
    def gain_basis(self) -> str | None: ...
    @property
    def overlaps(self) -> list[str]: ...
    @property
    def evidence(self) -> str: ...
    @property
    def next(self) -> str: ...

@final
class Skipped:
    """A section that could not be made."""

    @property
    def id(self) -> str: ...
    @property
    def missing(self) -> str: ...
    @property
    def how_to_record(self) -> str: ...

@final
class Input:
    """A recording that was read."""

    @property
    def path(self) -> str: ...
    @property
    def role(self) -> str | None: ...
    @property
    def format(self) -> str: ...
    @property
    def container(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def rank_source(self) -> str: ...
    @property
    def events(self) -> int: ...
    @property
    def bytes(self) -> int: ...

@final
class InputWarning:
    """Something odd about an input."""

    @property
    def kind(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def first_offset(self) -> int | None: ...
    @property
    def path(self) -> str | None: ...
    @property
    def message(self) -> str: ...
    @property
    def harmless(self) -> bool: ...

@final
class Column:
    """A column of a table."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unit(self) -> str | None: ...

@final
class Table:
    """A table as Arrow: pandas, polars, pyarrow, DuckDB and others take it as it is, through `__arrow_c_stream__`."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def columns(self) -> list[Column]: ...
    @property
    def num_rows(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, column: str, /) -> list[_Value]:
        """The values of a column."""
    def rows(self) -> list[dict[str, _Value]]:
        """Every row as a dictionary."""
    def to_dict(self) -> dict[str, list[_Value]]:
        """Every column as a list."""
    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`."""
    def to_polars(self) -> Any:
        """A `polars.DataFrame`."""
    def to_arrow(self) -> Any:
        """A `pyarrow.Table`."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Flame:
    """A call tree, drawn as a flame graph."""

    @property
    def metric(self) -> str: ...
    @property
    def order(self) -> str: ...
    @property
    def title(self) -> str: ...
    def to_dict(self) -> dict[str, Any]:
        """Nested `name`, `value` and `children`, as d3-flame-graph takes it; `unit` at the root is that of all values.
        Times are microseconds."""
    def to_folded(self) -> str:
        """A line for each stack: `a;b;c 7`."""
    def to_svg(self) -> str: ...
    def to_html(self) -> str: ...
    def to_text(self, *, width: int = 80, top: int | None = None) -> str: ...
    def report(self) -> Report:
        """The frames as tables."""
    def save(self, path: _Path) -> None:
        """Writes a file: .html, .svg, .png, .folded, .speedscope.json, .d3.json, or .json, .csv, .md, .txt."""
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...

@final
class Timeline:
    """What host and GPU did over time."""

    def to_svg(self, *, width: int = 1600) -> str: ...
    def to_html(self) -> str: ...
    def to_text(self, *, width: int = 80, top: int | None = None) -> str: ...
    def report(self) -> Report:
        """The numbers."""
    def save(self, path: _Path, *, width: int = 1600) -> None:
        """Writes a file: .html, .svg, .png, or .json, .csv, .md, .txt."""
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...
