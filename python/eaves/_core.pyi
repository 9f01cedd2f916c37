"""The Rust part of eaves. Import its names from `eaves`."""

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
    """Runs the whole program, with its name as the first argument, and returns the exit code.

    It writes to the standard streams of the process, and Ctrl-C ends the process.
    """

def ask(verb: str, request: Mapping[str, Any] | None = None, /, **fields: Any) -> Report:
    """Runs a verb and returns its report. Pass the fields of the request as a dictionary, as keyword arguments, or
    both: ``ask("report", inputs=["trace.json"], step=3)``.
    """

def read(
    *paths: _Path,
    rank: int | str | Sequence[int] | None = None,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
    threads: int | None = None,
) -> Recording:
    """Reads traces: files, folders with one trace per rank, or patterns. The format is detected.

    ``rank``, ``step`` and ``time`` select what to analyze: ``rank=0``, ``rank="0,3-5"``, ``step=3``, ``step="3-7"``,
    ``step=(3, 7)`` (inclusive), ``time="1.5ms..20ms"``, ``time=(1_500_000, 20_000_000)`` in nanoseconds from the
    start. Other ranks are not kept; tables of selected ranks keep all rows.
    """

def files(inputs: Sequence[_Path]) -> list[str]:
    """Expands inputs (files, folders with one trace per rank, patterns) to files."""

def measure(
    inputs: Sequence[_Path],
    *,
    shown: str | None = None,
    step: int | str | tuple[int, int] | None = None,
    time: str | tuple[int, int] | None = None,
    details: bool = False,
    threads: int | None = None,
) -> bytes:
    """Measures recordings without keeping their rows, and returns partial results as bytes (an Arrow IPC stream) for
    ``merge`` and ``report_of``. ``shown`` is the name of a single input in reports, if it differs on this machine.
    """

def merge(parts: Sequence[bytes], unreadable: Sequence[tuple[str, str]] | None = None) -> bytes:
    """Merges results of ``measure``, in any order and grouping. ``unreadable`` lists inputs that could not be read,
    with reasons, for the report.
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
    """Creates the report from results of ``measure`` or ``merge``, identical to that of reading all recordings
    together. ``step``, ``time`` and ``details`` must be those used to measure.
    """

def ingest_file(
    file: str,
    dataset: str,
    run: str,
    *,
    folder: _Path,
    ranks: Sequence[tuple[str, int]] | None = None,
) -> bytes:
    """Reads an input and writes its ranks to a run of a dataset: all that record their rank, or ``ranks``, a mapping
    from recording names to ranks. Relative names are resolved in ``folder``. Pass the result to
    ``Ingest.answered``.
    """

def ingested(outcome: bytes) -> Report:
    """Creates the report from the result of ``Ingest.finish``."""

@final
class Ingest:
    """Updates a run of a dataset with many processes: this object plans the tasks, ``ingest_file`` runs them."""

    def __new__(cls, inputs: Sequence[_Path], dataset: _Path, run: str | None = None) -> Ingest: ...
    @property
    def run(self) -> str:
        """The name of the run."""
    def tasks(self) -> list[tuple[str, list[tuple[str, int]] | None]]:
        """Tasks that can run concurrently: inputs, with the ranks to write once decided. Call again when all have
        finished: there may be more.
        """
    def answered(self, file: str, answer: bytes) -> None:
        """Reports the result of ``ingest_file``."""
    def failed(self, file: str, why: str) -> None:
        """Reports that an input could not be read or written."""
    def finish(self) -> bytes:
        """Returns the outcome of all inputs, for ``ingested``."""

@final
class Recording:
    """Recordings of one or more ranks, as columns in memory."""

    @property
    def inputs(self) -> list[Input]:
        """The inputs, in order of rank."""
    @property
    def warnings(self) -> list[InputWarning]:
        """Warnings about the inputs."""
    @property
    def ranks(self) -> list[int]:
        """The ranks."""
    @property
    def steps(self) -> list[int]:
        """Recorded profiler step numbers, over all ranks."""
    @property
    def devices(self) -> list[str]:
        """Distinct names of the recorded devices."""
    @property
    def duration_ns(self) -> int:
        """Span from first start to last end, on the longest rank."""
    @property
    def tables(self) -> dict[str, Table]:
        """The non-empty tables by name: `slices`, `ops`, `gpu` and so on."""
    def table(self, name: str) -> Table:
        """One table by name, even if it is empty."""
    @property
    def kernels(self) -> Table:
        """One row per GPU activity (kernel, memcpy, memset), with name, times and launch."""
    @property
    def operators(self) -> Table:
        """One row per operator and named range, with name and times."""
    @property
    def allocations(self) -> Table:
        """One row per recorded memory event."""
    def report(
        self,
        sections: str | Sequence[str] | None = None,
        *,
        device: _Path | None = None,
        details: bool = False,
    ) -> Report:
        """Runs all analyses, or the named sections. ``device`` overrides the recorded device; ``details`` includes
        per-activity tables. ``eaves.report`` has more options."""
    def info(self) -> Report:
        """Shows what was recorded, what is missing, and how to record it."""
    def hta(self) -> Report:
        """Answers the questions of Holistic Trace Analysis (HTA)."""
    def roofline(
        self,
        device: _Path | None = None,
        *,
        sparse: bool = False,
        link: str | None = None,
        ops: _Path | None = None,
    ) -> Report:
        """Compares operators, kernels and collectives with the device's limits. ``ops`` is a script with your own
        formulas. ``eaves.roofline`` has more options."""
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
        """Returns the call tree with its GPU time, compared with ``base`` if given.

        ``metric`` defaults to host time, or GPU time if no host time was recorded. ``min_share`` is in percent.
        """
    def query(self, sql: str) -> Table:
        """Runs SQL on the recordings in memory: ``query("SELECT name FROM kernels LIMIT 3")``. Tables have all rows,
        regardless of the selected ``step`` and ``time``.
        """
    def timeline(self) -> Timeline:
        """Host and GPU activity over time."""
    def diff(self, new: Recording) -> Report:
        """Compares this run with another, separating changes from noise."""
    def export(
        self,
        path: _Path,
        *,
        to: Literal["chrome", "perfetto", "parquet", "csv"],
        table: str | None = None,
        counters: bool = False,
        critical_path: bool = False,
    ) -> list[str]:
        """Converts the recording for other tools and returns the names of the files."""

@final
class Report:
    """A report: a mapping from section IDs to sections, with its inputs and warnings."""

    @property
    def verb(self) -> str:
        """The verb that gives the same report on the command line."""
    @property
    def inputs(self) -> list[Input]: ...
    @property
    def warnings(self) -> list[InputWarning]: ...
    @property
    def sections(self) -> list[Section]:
        """The sections, in order. With several inputs, IDs can repeat."""
    @property
    def result(self) -> Table | None:
        """The rows of a SQL query; None for other verbs."""
    @property
    def skipped(self) -> list[Skipped]:
        """Sections that are not available, with what is missing and how to record it."""
    @property
    def findings(self) -> list[Finding]:
        """The findings of all sections, by possible gain."""
    def __getitem__(self, id: str, /) -> Section:
        """The section with this ID. If it was skipped, the KeyError says why."""
    def __contains__(self, id: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def get(self, id: str, default: Any = None) -> Any: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[Section]: ...
    def items(self) -> list[tuple[str, Section]]: ...
    def to_json(self) -> str:
        """The JSON that `--json` prints."""
    def to_dict(self) -> dict[str, Any]:
        """The same as Python objects."""
    @property
    def notes(self) -> list[str]:
        """Notes for the user."""
    @property
    def failed(self) -> list[tuple[str, str]]:
        """The conditions of `fail_on` that hold, each with its reason."""
    def to_html(self) -> str:
        """A self-contained HTML page, as written by `save`."""
    def to_markdown(self, *, top: int | None = None) -> str:
        """``top`` is the number of rows per table; 0 for all."""
    def to_text(self, *, width: int = 80, top: int | None = None, full: bool = False) -> str:
        """The terminal output without colors. ``full`` shows all sections and tables instead of one screen, with
        ``top`` rows per table; 0 for all.
        """
    def save(self, path: _Path, *, top: int | None = None) -> None:
        """Writes a file: .html, .json, .csv, .md or .txt; a folder with one CSV per table if the name ends in `/`;
        or, where available, a picture (.svg, .png)."""
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...

@final
class Section:
    """The result of one analysis."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def numbers(self) -> list[Number]:
        """All headline numbers, in order; those of several ranks share an ID."""
    def number(self, id: str, rank: int | None = None) -> Number:
        """The number with this ID. Raises KeyError if there is none, or several and no rank is given."""
    @property
    def tables(self) -> dict[str, Table]: ...
    @property
    def findings(self) -> list[Finding]: ...
    def to_dict(self) -> dict[str, Any]:
        """The section as in the JSON of the report."""
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
        """The value, or None; `reason` then says why."""
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
        """The formatted value, such as `1.5 ms`."""

@final
class Finding:
    """A finding: a cause of lost time, with its possible gain and the next step."""

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
        """What the gain refers to: a `step`, or the whole `selection`."""
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
    """A section that is not available."""

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
    """A warning about an input."""

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
    """An Arrow table. pandas, polars, pyarrow, DuckDB and others read it directly through `__arrow_c_stream__`."""

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
        """Rows as dictionaries."""
    def to_dict(self) -> dict[str, list[_Value]]:
        """Columns as lists."""
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
    """A call tree as a flame graph."""

    @property
    def metric(self) -> str: ...
    @property
    def order(self) -> str: ...
    @property
    def title(self) -> str: ...
    def to_dict(self) -> dict[str, Any]:
        """Nested `name`, `value` and `children` for d3-flame-graph; the root has the `unit` of all values. Times are
        in microseconds."""
    def to_folded(self) -> str:
        """Folded stacks, one line each: `a;b;c 7`."""
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
    """Host and GPU activity over time."""

    def to_svg(self, *, width: int = 1600) -> str: ...
    def to_html(self) -> str: ...
    def to_text(self, *, width: int = 80, top: int | None = None) -> str: ...
    def report(self) -> Report:
        """The numbers."""
    def save(self, path: _Path, *, width: int = 1600) -> None:
        """Writes a file: .html, .svg, .png, or .json, .csv, .md, .txt."""
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...
