"""The functions that start the program `kbench`: in a folder of its own installation, never another implementation."""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NoReturn, Optional, Tuple, Union

from ._errors import KbenchError
from ._rows import Row, Source, Task, file_name

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]

PathLike = Union[str, "os.PathLike[str]"]

HERE = Path(__file__).resolve().parent
NOTHING_SELECTED = 5

# The columns of the CSV report that are text, whatever they look like: an agent may be called "007" or "NA".
TEXT_COLUMNS = (
    "run_id", "started_at", "task", "size", "device", "device_name", "device_uuid", "agent", "submission", "variant",
    "state", "fault", "time_ns.reason", "speedup.eager.verdict", "speedup.compiled.verdict", "baseline_speedup.verdict",
    "message", "hint", "precision", "profile", "lint", "unranked_reason", "uncredited_reason", "pay",
    "limit_basis", "vendor.reason", "vendor.algorithm", "vendor.speedup.verdict", "vendor.over_eager.verdict",
    "submission_precision", "worker_kind", "torch_operators", "sources", "sandbox", "labels",
    "calibrated_at", "no_verdict_reason", "chain", "seed")


def _program() -> Tuple[Path, bool]:
    """The program, and whether it is that of a wheel: beside this module, else in its installation, else on the PATH."""
    wheel = HERE / "bin/kbench"
    if wheel.is_file():
        return wheel, True
    # PREFIX/share/kbench/data/clients/kbench
    if len(HERE.parents) > 4 and HERE.parents[3].name == "share" and (HERE.parents[4] / "bin/kbench").is_file():
        return HERE.parents[4] / "bin/kbench", False
    found = shutil.which("kbench")
    if found is None:
        raise KbenchError("there is no program kbench", "install the wheel of kbench, or put kbench on the PATH")
    return Path(found), False


def _environment(is_wheel: bool) -> Dict[str, str]:
    """A wheel's program uses the torch of the environment that it lies in, and must be told which that is."""
    environment = dict(os.environ)
    if is_wheel:
        environment["KBENCH_WHEEL_PYTHON"] = sys.executable
    return environment


def main() -> NoReturn:
    """The command `kbench` of a wheel: this process becomes the program."""
    program, is_wheel = _program()
    os.execve(program, [str(program), *sys.argv[1:]], _environment(is_wheel))


def _failure(words: str, code: int) -> KbenchError:
    """What the program says of an error: `error:` and what follows it, `hint:`."""
    message, hint, last = "", "", ""
    for line in words.splitlines():
        if line.startswith("error: "):
            message = line[7:]
        elif line.startswith("hint:"):
            hint = line[5:].strip()
        elif line.strip():
            last = line
    return KbenchError(message or last or f"kbench ended with exit code {code}", hint, code)


def _ask(*words: str, good: Tuple[int, ...] = (0,)) -> str:
    """What the program prints. Ctrl-C lets it finish and store the evaluation at hand, as in a terminal."""
    program, is_wheel = _program()
    if any("\0" in word for word in words):
        raise KbenchError("an argument holds a NUL, which no command line can")
    with subprocess.Popen([str(program), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                          env=_environment(is_wheel)) as process:
        try:
            printed, said = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.communicate()
            raise
    if process.returncode not in good:
        raise _failure(said, process.returncode)
    return printed


def _lines(text: str) -> Iterator[Dict[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except UnicodeEncodeError as lost:
        raise KbenchError(f"the source {file.name} is no Unicode text: {lost.reason}") from lost


def _stage(source: Source, task: str, agent: str, folder: Path) -> List[str]:
    """Puts the source where `kbench run` finds it, and says how that is called."""
    if isinstance(source, str):
        file = folder / file_name(source)
        _write(file, source)
        return [str(file), "--name", agent]
    if isinstance(source, Path) and not source.is_dir():
        return [str(source.absolute()), "--name", agent]
    target = folder / agent / task
    if isinstance(source, Path):
        shutil.copytree(source, target)
    else:
        for name, text in source.items():
            if not name or Path(name).is_absolute() or ".." in Path(name).parts:
                raise KbenchError(f"{name!r} is no name of a file below the submission's folder")
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            _write(target / name, text)
    return ["--submissions", str(folder), "--agent", agent]


def evaluate(task: str, source: Source, *, agent: str = "me", device: Optional[str] = None,
             size: Optional[str] = None, db: Optional[PathLike] = None, suite: Optional[PathLike] = None,
             quick: bool = False, checks_only: bool = False, allow_torch: Optional[str] = None,
             call_limit: Optional[float] = None, trust_estimates: bool = False,
             options: Tuple[str, ...] = ()) -> Row:
    """Judges one submission as `kbench run` does, stores the row, and returns it.

    task           its id, as "level1/019_relu"
    source         the text of a file; a pathlib.Path of a file, or of a folder with submission.json; or the
                   files of such a folder, {name: text}, submission.json included
    agent          the name that the row counts for
    device         "cpu", "cuda" or "cuda:1"; else a GPU if there is one
    size           "small" or "full"; else by the device
    db             the database; else kbench.sqlite of the working directory, or what kbench.toml there says
    quick          a short measurement with a wide interval
    checks_only    right or wrong, without times
    options        further words for `kbench run`

    A kernel that fails is a row as well: look at `row.state`. It waits for other runs on the same device.
    Raises KbenchError if there is no row: an unknown task, wrong use, a fault of kbench or of the machine.
    """
    words = ["run", "--task", task, "--format", "jsonl", "--no-html", "--quiet", "--exit-zero"]
    for name, value in (("device", device), ("size", size), ("db", db), ("suite", suite),
                        ("allow-torch", allow_torch), ("call-limit", call_limit)):
        if value is not None:
            words += [f"--{name}", str(value)]
    for name, asked in (("quick", quick), ("checks-only", checks_only), ("trust-estimates", trust_estimates)):
        if asked:
            words.append(f"--{name}")
    with tempfile.TemporaryDirectory(prefix="kbench-source-") as folder:
        printed = _ask(*words, *_stage(source, task, agent, Path(folder)), *options)
    rows = [Row(row) for row in _lines(printed) if row["submission"] is not None and row["agent"] == agent]
    if len(rows) != 1:
        raise KbenchError(f"kbench stored {len(rows)} rows of this submission instead of one",
                          "the task is an id or a number of one task, and the source is one submission")
    return rows[0]


def tasks(*, level: Optional[int] = None, suite: Optional[PathLike] = None) -> List[Task]:
    """The tasks, as `kbench tasks list` shows them. Raises KbenchError if there is no suite at that place."""
    words = ["tasks", "list", "--format", "json"]
    if level is not None:
        words += ["--level", str(level)]
    if suite is not None:
        words += ["--suite", str(suite)]
    return [Task(task) for task in json.loads(_ask(*words))["tasks"]]


def read(path: PathLike = "kbench.sqlite", *, run: Optional[str] = "latest", trust_estimates: bool = False,
         trust_unchecked: bool = False) -> "pandas.DataFrame":
    """The stored rows of a run as a data frame. Its columns are those of `kbench report csv`, as "speedup.eager.low".

    path    the database
    run     the start of a run's id, a tag, "latest" or "latest~1"; None: all runs, the oldest first

    Text stays text, and an empty field is missing. A database without runs gives an empty frame. Needs pandas.
    Raises ImportError without pandas, and KbenchError if there is no such database or run.
    """
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("kbench.read needs pandas: pip install pandas") from missing
    trust = [word for word, asked in (("--trust-estimates", trust_estimates),
                                      ("--trust-unchecked", trust_unchecked)) if asked]
    runs = [run] if run is not None else _runs(path)
    header: List[str] = []
    lines: List[List[str]] = []
    for one in runs:
        table = csv.reader(io.StringIO(_ask("report", "csv", "--db", str(path), "--run", one, *trust), newline=""))
        header = next(table)
        lines += table
    kinds = {name: "string" for name in header if name in TEXT_COLUMNS}
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *lines] if header else [])
    text.seek(0)
    if not header:
        return pandas.DataFrame()
    return pandas.read_csv(text, dtype=kinds, keep_default_na=False, na_values=[""])


def _runs(path: PathLike) -> List[str]:
    """The ids of all runs, the oldest first; none in a database without runs."""
    printed = _ask("runs", "--db", str(path), "--json", good=(0, NOTHING_SELECTED))
    runs = json.loads(printed)["runs"] if printed.strip() else []
    return [run["id"] for run in sorted(runs, key=lambda one: str(one["started_at"]))]
