"""The work limit of a run: one account for all stages and processes."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from renderer.files.file_system import MemoryFileSystem
from renderer.model.codes import Code
from renderer.model.kube.list_elements import element_name
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.model.run.limits import VARIABLE, limits
from renderer.model.run.work import (
    SMALL,
    SharedWork,
    WorkDone,
    WorkLimitError,
    allowed,
    begin_run,
    in_turn,
    join_run,
    note_read,
    spend,
    spent,
)
from renderer.pipeline import Pipeline
from renderer.pipeline.run_context import RunContext
from renderer.project.overlays import find_overlays
from renderer.provenance.trace import Trace

CONFIG_MAP = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{n}}}\ndata: {{a: b}}\n"
MACHINE = (
    "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{name: v{n}}}\n"
    "spec: {{runStrategy: Always, template: {{spec: {{domain: {{devices: {{}}}}}}}}}}\n"
)


def shared_work() -> SharedWork:
    context = multiprocessing.get_context()
    return SharedWork(context.Value("q"), context.Value("q"), bytearray(SharedWork.MARKS))


def in_another_process(act: Callable[[], object]) -> None:
    """Act with a separate account, like a worker."""
    copy_context().run(act)


def test_processes_of_a_run_share_one_budget_of_steps() -> None:
    begin_run()
    spend(1000, "starting")
    shared = shared_work()

    def first() -> None:
        join_run(shared)
        work = WorkDone()
        spend(limits().work - 2000, "working")
        assert work.since() == (limits().work - 2000, {})

    def second() -> None:
        join_run(shared)
        assert spent() == limits().work - 1000
        with pytest.raises(WorkLimitError):
            spend(1001, "working")

    in_another_process(first)
    in_another_process(second)


def test_busy_process_reports_its_steps_periodically() -> None:
    begin_run()
    shared = shared_work()

    def first() -> None:
        join_run(shared)
        for _ in range(10):
            spend(SharedWork.EVERY, "working")

    def second() -> None:
        join_run(shared)
        assert spent() >= 8 * SharedWork.EVERY

    in_another_process(first)
    in_another_process(second)


def test_a_file_that_several_processes_read_counts_once() -> None:
    begin_run()
    note_read("base.yaml", 1000)
    shared = shared_work()

    def worker() -> None:
        join_run(shared)
        note_read("base.yaml", 1000)
        note_read("own.yaml", 10)

    in_another_process(worker)
    in_another_process(worker)
    join_run(shared)

    begin_run()
    note_read("one.yaml", 1010)
    expected = allowed()
    join_run(shared)
    assert allowed() == expected


def test_large_repository_is_allowed_more_steps_per_byte() -> None:
    begin_run()
    note_read("a", 200_000)
    small = allowed()
    note_read("b", 10 * SMALL)

    assert small <= 8_000_000
    assert allowed() > 100 * SMALL * 10


def proposed_limit(costs: Sequence[int], *, stops_at: int, read: int = 0) -> str:
    """The end of the hint, if a run stops at one of several overlays of these costs."""
    begin_run()
    note_read("a.yaml", read)
    for number, cost in enumerate(in_turn(costs)):
        if number == stops_at:
            break
        spend(cost, "rendering")
    hint = WorkLimitError("rendering").diagnostic.hint
    return (hint or "").rpartition("work=")[2]


def test_limit_that_all_overlays_need_is_proposed_ten_times() -> None:
    fleet = [250_000, *[100_000] * 299]

    assert proposed_limit(fleet, stops_at=30) == "310000000"  # ten times 30,150,000
    assert proposed_limit(fleet, stops_at=2) == "310000000"
    assert proposed_limit(fleet, stops_at=30, read=100_000) == "290000000"  # less the steps for what was read


def test_more_is_proposed_where_no_overlay_is_done() -> None:
    assert proposed_limit([1, 1], stops_at=0) == "40000000"
    assert proposed_limit([30, 1], stops_at=1) == "8000000"  # at least twice the limit


def test_exceeded_limit_names_the_overlays_that_are_done() -> None:
    begin_run()
    for number in in_turn(range(5)):
        if number == 3:
            break

    assert WorkLimitError("rendering").diagnostic.message == (
        "work limit exceeded (4000000 steps) after 3 of 5 overlays, while rendering"
    )
    list(in_turn(range(5)))
    assert WorkLimitError("writing").diagnostic.message == "work limit exceeded (4000000 steps) while writing"


def rendered_steps(files: Mapping[str, str], *overlays: str) -> list[int]:
    """Return the steps spent after each of the overlays, rendered in one run."""
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    config = RenderConfig(overlays=tuple(OverlayEntry(overlay) for overlay in overlays))
    begin_run()
    pipeline, steps = Pipeline(fs, config), [0]
    for overlay in find_overlays(fs, config):
        assert not pipeline.render(overlay).failed
        steps.append(spent())
    return [after - before for before, after in pairwise(steps)]


@pytest.mark.parametrize(("document", "least"), [(CONFIG_MAP, 40), (MACHINE, 250)])
def test_resources_of_a_base_cost_steps_in_each_overlay(document: str, least: int) -> None:
    """A base is read and composed once, but each of a thousand overlays expands and checks its resources."""
    files = {f"o{n}/kustomization.yaml": "resources: [../base]\n" for n in range(3)}
    files["base/kustomization.yaml"] = "resources: [r.yaml]\n"
    files["base/r.yaml"] = "".join(document.format(n=n) for n in range(100))

    first, second, third = rendered_steps(files, "o0", "o1", "o2")

    assert first >= second == third >= 100 * least


def test_generator_in_an_observed_run_costs_only_its_output() -> None:
    def steps(count: int) -> int:
        listed = "".join(f"- {{name: g{n}, literals: [a=b]}}\n" for n in range(count))
        fs = MemoryFileSystem({"o/kustomization.yaml": f"configMapGenerator:\n{listed}".encode()})
        begin_run()
        Pipeline(fs, RenderConfig(), context=RunContext.fresh(trace=Trace())).compose("o")
        return spent()

    assert steps(400) < 3 * steps(200)


def test_names_of_elements_of_long_lists_are_counted_once() -> None:
    elements = [{"name": f"c{n}"} for n in range(2000)]

    assert calls_of(lambda: [element_name(elements, n) for n in range(2000)]) < 100_000


def calls_of(act: Callable[[], object]) -> int:
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(before)
    return calls


def test_missing_fields_are_searched_only_among_their_siblings() -> None:
    """Each of so many disks has one that is missing, and ones that are unknown."""
    disks = "".join(f"          - {{nam: d{n}, disk: 5, x: y}}\n" for n in range(400))
    machine = MACHINE.format(n=0).partition("spec:")[0] + (
        "spec:\n  runStrategy: Always\n  template:\n    spec:\n      domain:\n        devices:\n"
        f"          disks:\n{disks}"
    )
    fs = MemoryFileSystem({"o/kustomization.yaml": b"resources: [r.yaml]\n", "o/r.yaml": machine.encode()})
    config = RenderConfig(overlays=(OverlayEntry("o"),))
    (overlay,) = find_overlays(fs, config)

    def render() -> None:
        assert Code.SCHEMA in {found.code for found in Pipeline(fs, config).render(overlay).diagnostics}

    render()  # builds cached objects, such as schemas
    assert calls_of(render) < 800_000


# Input that multiplies itself.

PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [path: o]\n"
COMPONENT = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"


def map_of(count: int, value: str) -> str:
    pairs = "".join(f"  k{n}: {value}\n" for n in range(count))
    return CONFIG_MAP.format(n=0).replace("data: {a: b}\n", f"data:\n{pairs}")


def operations_on_a_large_object() -> dict[str, str]:
    patch = '\'[{"op": "add", "path": "/data/k1", "value": "b"}]\''
    listed = f"- {{target: {{name: c0}}, patch: {patch}}}\n" * 300
    return {"kustomization.yaml": f"resources: [r.yaml]\npatches:\n{listed}", "r.yaml": map_of(3000, "a")}


def a_patch_that_is_listed_again() -> dict[str, str]:
    listed = "- {path: p.yaml}\n" * 200
    return {
        "kustomization.yaml": f"resources: [r.yaml]\npatches:\n{listed}",
        "r.yaml": map_of(500, "a"),
        "p.yaml": map_of(500, "b"),
    }


def many_operations_that_are_listed_again() -> dict[str, str]:
    operations = "".join(f"- {{op: test, path: /data/a, value: b}} # {n}\n" for n in range(300))
    listed = "- {target: {kind: ConfigMap}, path: p.yaml}\n" * 200
    return {
        "kustomization.yaml": f"resources: [r.yaml]\npatches:\n{listed}",
        "r.yaml": CONFIG_MAP.format(n=0),
        "p.yaml": operations,
    }


def env_files_that_are_read_again() -> dict[str, str]:
    listed = "".join(f"- {{name: g{n}, envs: [e.env]}}\n" for n in range(300))
    return {
        "kustomization.yaml": f"configMapGenerator:\n{listed}",
        "e.env": "".join(f"k{n}=v\n" for n in range(300)),
    }


def elements_that_replacements_lead_to() -> dict[str, str]:
    target = "targets: [{select: {kind: Pod}, fieldPaths: ['spec.containers.*.image']}]"
    listed = f"- sourceValue: b\n  {target}\n" * 100
    return {
        "kustomization.yaml": f"resources: [r.yaml]\nreplacements:\n{listed}",
        "r.yaml": POD + "".join(f"  - {{name: c{n}, image: i}}\n" for n in range(300)),
    }


def prefixes_of_components() -> dict[str, str]:
    return {
        "kustomization.yaml": "resources: [r.yaml]\ncomponents:\n" + "- c\n" * 100,
        "c/kustomization.yaml": f"{COMPONENT}namePrefix: a\n",
        "r.yaml": "".join(CONFIG_MAP.format(n=n) for n in range(100)),
    }


def templates_below_their_limit() -> dict[str, str]:
    made = "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {{name: m{n}}}\n"
    spec = "spec: {{template: t.j2, values: {{x: {n}}}}}\n"
    loop = "{% for i in range(100) %}{% for j in range(30) %}{% endfor %}{% endfor %}"
    return {
        "kustomization.yaml": "generators: [" + ", ".join(f"g{n}.yaml" for n in range(40)) + "]\n",
        "t.j2": CONFIG_MAP.replace("{n}", "{{ x }}")
        .replace("{{a: b}}", "{a: b}")
        .replace("{{name: c{{ x }}}}", "{name: 'c{{ x }}'}")
        + loop,
        **{f"g{n}.yaml": (made + spec).format(n=n) for n in range(40)},
    }


def lists_of_several_keys() -> dict[str, str]:
    pod = f"{POD}  - name: c\n    ports:\n"
    ports = "".join(f"    - {{containerPort: {n}, protocol: TCP}}\n" for n in range(1, 400))
    return {
        "kustomization.yaml": "resources: [r.yaml]\npatches: [path: p.yaml]\n",
        "r.yaml": pod + ports,
        "p.yaml": pod + ports.replace("TCP", "UDP"),
    }


def missing_files() -> dict[str, str]:
    return {
        "kustomization.yaml": "resources:\n" + "".join(f"- x{n}.yaml\n" for n in range(500)),
        **{f"r{n}.yaml": "" for n in range(200)},
    }


@pytest.mark.parametrize(
    "files",
    [
        operations_on_a_large_object,
        a_patch_that_is_listed_again,
        many_operations_that_are_listed_again,
        env_files_that_are_read_again,
        elements_that_replacements_lead_to,
        prefixes_of_components,
        templates_below_their_limit,
        lists_of_several_keys,
        missing_files,
    ],
)
def test_repeated_listing_costs_steps(
    files: Callable[[], Mapping[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = {"vmrender.yaml": PROJECT, **{f"o/{path}": text for path, text in files().items()}}
    for path, text in written.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, "work=10000")
    monkeypatch.setattr("renderer.model.run.work.STEPS_PER_BYTE", 0)

    result = CliRunner().invoke(main, ["build", "o"])

    assert result.exit_code == 2
    assert "error[build-limit]: work limit exceeded (10000 steps) while " in result.stderr
