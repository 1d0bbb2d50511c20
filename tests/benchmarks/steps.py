"""``python -m tests.benchmarks.steps``: each step of a render alone, compared with the best library for it.

1,000 virtual machines in one overlay with two patches, as in ``inputs``. Each run is a separate process,
forked before anything is warm, and counts the CPU time of the step alone. Libraries that vmrender does not
depend on (ryaml, ruamel.yaml, fastjsonschema) are measured if they are installed. A step without a library is
compared with the least work that any Python code would do: copying the trees that it makes.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import yaml

from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.cli import COLLECT_AFTER
from renderer.files.builtin_catalogs import builtin_path, composed_catalog
from renderer.files.bundled import data_folder
from renderer.files.file_system import DiskFileSystem
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.expand import expand
from renderer.kustomize.compose import compose
from renderer.kustomize.reader.load import Loader
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST
from renderer.model.render_config import ExpandMode
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.encode import encode
from tests.benchmarks.inputs import write_overlay

COUNT = 1000
FEW = 50  # of code written only in Python
RUNS = 3

Work = Callable[[], object]


class Other(NamedTuple):
    """The work of another library, for so many virtual machines."""

    name: str
    work: Work
    machines: int = COUNT


class Step(NamedTuple):
    """A step of vmrender, and other libraries for it."""

    name: str
    ours: Work
    others: Iterable[Other]


class _Validator(Protocol):
    def is_valid(self, instance: object) -> bool: ...


def report(runs: int = RUNS) -> None:
    """Print the table: CPU time for each virtual machine, and that of others as a multiple of ours."""
    print(f"\n{COUNT:,} VMs, each step alone; median of {runs} runs, each in a process of its own.\n")
    print("| step | by | per VM | of ours |")
    print("|---|---|--:|--:|")
    with TemporaryDirectory() as folder:
        write_overlay(Path(folder), COUNT)
        for step in steps(Path(folder)):
            ours = measured(step.ours, runs) / COUNT
            print(_row(step.name, "vmrender", ours, ours), flush=True)
            for other in step.others:
                theirs = measured(other.work, runs) / other.machines
                print(_row("", other.name, theirs, ours), flush=True)


def steps(folder: Path) -> Iterator[Step]:
    """Each step with the results of the earlier ones; anything prepared here is warm for later steps."""
    content = (folder / "base" / "virtual-machines.yaml").read_bytes()
    yield Step("parse", lambda: decode_documents(content, "vms.yaml"), parsers(content.decode()))

    tree = Loader(DiskFileSystem(folder)).load("prod")
    loaded = [resource.content for resource in compose(tree, {}).value]
    yield Step("compose", lambda: compose(tree, {}), composers(folder, loaded))

    composed = compose(tree, {}).value
    catalog = Catalog.of(CatalogSource("common-instancetypes", _shipped()))
    expanded = expand(composed, catalog, LATEST, ExpandMode.APPLIED)
    assert not expanded.diagnostics, expanded.diagnostics[0]
    written = [resource.content for resource in expanded.value]
    yield Step(
        "expand",
        lambda: expand(composed, catalog, LATEST, ExpandMode.APPLIED),
        [Other("deepcopy", lambda: deepcopy(written))],
    )

    schemas = SchemaRegistry()
    validate(ResourceSet(), LATEST, schemas)
    yield Step("validate", lambda: validate(expanded.value, LATEST, schemas), validators(written))

    yield Step("encode", lambda: encode(written), encoders(written))


def parsers(text: str) -> Iterator[Other]:
    yield Other("PyYAML CSafeLoader", lambda: list(yaml.load_all(text, yaml.CSafeLoader)))
    ryaml, ruamel = installed("ryaml"), installed("ruamel.yaml")
    if ryaml:
        yield Other("ryaml", lambda: ryaml.loads_all(text))
    if ruamel:
        few = "---\n".join(text.split("---\n")[: FEW + 1])
        yield Other("ruamel.yaml", lambda: list(ruamel.YAML(pure=True).load_all(few)), FEW)
    as_json = json.dumps(list(yaml.load_all(text, yaml.CSafeLoader)))
    yield Other("json, of the same trees", lambda: json.loads(as_json))


def composers(folder: Path, trees: list[Any]) -> Iterator[Other]:
    """kustomize reads and writes, too: it cannot do one without the other."""
    if shutil.which("kubectl"):
        command = "kubectl", "kustomize", str(folder / "prod")
        yield Other("kubectl kustomize", partial(subprocess.run, command, check=True, capture_output=True))
    yield Other("deepcopy", lambda: deepcopy(trees))


def validators(objects: list[Any]) -> Iterator[Other]:
    """The verdicts alone, each by a schema that is compiled already."""
    schema = json.loads((data_folder("schemas") / f"kubevirt/{LATEST}/virtualmachine.json").read_bytes())
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - so that it is not warm for the steps before
    from jsonschema_rs import Draft202012Validator as Fast  # noqa: PLC0415 - as above

    def verdicts(validator: _Validator, judged: list[Any]) -> None:
        assert all(map(validator.is_valid, judged))

    yield Other("jsonschema-rs", partial(verdicts, Fast(schema), objects))
    yield Other("jsonschema", partial(verdicts, Draft202012Validator(schema), objects[:FEW]), FEW)
    fast = installed("fastjsonschema")
    if fast:
        compiled = fast.compile(schema)
        yield Other("fastjsonschema", lambda: list(map(compiled, objects)))


def encoders(objects: list[Any]) -> Iterator[Other]:
    yield Other("PyYAML CSafeDumper", lambda: yaml.dump_all(objects, Dumper=yaml.CSafeDumper))
    ryaml, ruamel = installed("ryaml"), installed("ruamel.yaml")
    if ryaml:
        yield Other("ryaml", lambda: [ryaml.dumps(each) for each in objects])
    if ruamel:
        yield Other("ruamel.yaml", lambda: ruamel.YAML(pure=True).dump_all(objects[:FEW], io.StringIO()), FEW)
    yield Other("json, of the same trees", lambda: json.dumps(objects, sort_keys=True, indent=2))


def installed(name: str) -> Any:  # noqa: ANN401 - a module that vmrender does not depend on
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def measured(work: Work, runs: int) -> float:
    """Seconds of CPU time; the median."""
    return statistics.median(_in_own_process(work) for _ in range(runs))


def _in_own_process(work: Work) -> float:
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_send_cpu_time, args=(theirs, work))
    process.start()
    theirs.close()
    seconds: float = ours.recv()
    process.join()
    return seconds


def _send_cpu_time(to: Connection, work: Work) -> None:
    gc.set_threshold(COLLECT_AFTER)  # as the command line does
    before = _cpu_time()
    work()
    to.send(_cpu_time() - before)


def _cpu_time() -> float:
    """Of this process and of the programs that it started."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _shipped() -> ResourceSet:
    shipped = composed_catalog(builtin_path("common-instancetypes"))
    assert shipped is not None
    return shipped


def _row(step: str, name: str, seconds: float, ours: float) -> str:
    return f"| {step} | {name} | {seconds * 1e6:.0f} µs | {seconds / ours:.2f} |"


if __name__ == "__main__":
    report()
