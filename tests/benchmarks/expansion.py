"""``python -m tests.benchmarks.expansion``: 10,000 virtual machines in memory, expanded in mode applied.

Every pair of an instance type and a preference of the catalog that ships which KubeVirt would admit has its
turn. The steps are measured one by one over all virtual machines; the rest is what the loop costs.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice, product
from random import Random
from typing import TypeVar

from renderer.cli import COLLECT_AFTER
from renderer.files.builtin_catalogs import BUILTIN_CATALOGS
from renderer.files.bundled import data_folder
from renderer.files.file_system import DiskFileSystem
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.apply_to_vm import apply, apply_checked
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.kubevirt.instancetype.expand import expand
from renderer.kubevirt.instancetype.find import Finder
from renderer.kubevirt.instancetype.resolve import Matchers, ResolvedMatchers, resolve_matchers, select
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine, with_expanded_template
from renderer.kustomize.compose import compose
from renderer.kustomize.reader.load import Loader
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST
from renderer.model.render_config import ExpandMode
from renderer.pipeline.generators import GENERATORS

T = TypeVar("T")

COUNT = 10_000
LIMIT = 1.0  # seconds of CPU time, which we promise
_NAMESPACE = "prod"


def report(runs: int) -> None:
    """Print the table: CPU time per virtual machine, in total and of each step."""
    default = gc.get_threshold()
    catalog = shipped_catalog()
    vms = fleet(catalog)
    print(f"\nExpanding {COUNT:,} VMs in memory; median of {runs} runs, at most {LIMIT:g} s.\n")
    print("| | CPU | per VM |")
    print("|---|--:|--:|")
    whole = partial(expand, vms, catalog, LATEST, ExpandMode.APPLIED)
    print(row("with Python's own thresholds for garbage collection", median(whole, runs)))
    gc.set_threshold(COLLECT_AFTER)
    print(row("**as the command line runs it**", median(whole, runs)))
    for name, step in steps(catalog, vms):
        print(row(name, median(step, runs)))
    gc.set_threshold(*default)


def shipped_catalog() -> Catalog:
    [(name, folder)] = BUILTIN_CATALOGS.items()
    files = DiskFileSystem(data_folder("catalog"))
    return Catalog.of(CatalogSource(name, compose(Loader(files).load(folder), GENERATORS).value))


def fleet(catalog: Catalog) -> ResourceSet:
    """The virtual machines, their pairs in a shuffled but fixed order."""
    instancetypes = names(catalog.of_kind("VirtualMachineClusterInstancetype"))
    preferences = names(catalog.of_kind("VirtualMachineClusterPreference"))
    pairs = [pair for pair in product(instancetypes, preferences) if is_admitted(pair, catalog)]
    Random(1).shuffle(pairs)
    return ResourceSet(tuple(virtual_machine(i, *pair) for i, pair in enumerate(islice(cycle(pairs), COUNT))))


def names(resources: Iterator[Resource]) -> list[str]:
    return sorted(resource.name for resource in resources)


def is_admitted(pair: tuple[str, str], catalog: Catalog) -> bool:
    return not expand(ResourceSet((virtual_machine(0, *pair),)), catalog, LATEST, ExpandMode.APPLIED).failed


def virtual_machine(number: int, instancetype: str, preference: str) -> Resource:
    """Three disks, two networks, labels: what a virtual machine in a repository looks like."""
    content: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": f"vm-{number}", "namespace": _NAMESPACE, "labels": {"app": "web"}},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": instancetype},
            "preference": {"name": preference},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "domain": {
                        "devices": {
                            "disks": [{"name": name, "disk": {}} for name in ("root", "data", "cloud-init")],
                            "interfaces": [
                                {"name": "default", "masquerade": {}},
                                {"name": "storage", "bridge": {}},
                            ],
                        }
                    },
                    "networks": [
                        {"name": "default", "pod": {}},
                        {"name": "storage", "multus": {"networkName": "storage"}},
                    ],
                    "volumes": [
                        {"name": "root", "dataVolume": {"name": f"vm-{number}-root"}},
                        {"name": "data", "persistentVolumeClaim": {"claimName": f"vm-{number}-data"}},
                        {"name": "cloud-init", "cloudInitNoCloud": {"secretRef": {"name": "cloud-init"}}},
                    ],
                },
            },
        },
    }
    return Resource(content, Site("vms.yaml", number))


def steps(catalog: Catalog, resources: ResourceSet) -> Iterator[tuple[str, Callable[[], object]]]:
    """The steps of an expansion over all virtual machines, each with the results of the earlier ones."""
    behaviour = behaviour_of(LATEST)
    cluster, finder, scope = Cluster(behaviour.release), Finder(behaviour), Scope(catalog, _NAMESPACE)
    vms = [vm for vm in map(VirtualMachine.of, resources) if vm is not None]

    def resolved() -> list[Matchers]:
        return [resolve_matchers(vm.spec, scope, behaviour) for vm in vms]

    def found() -> list[ResolvedMatchers]:
        return [select(each, {}, scope, finder) for each in matchers]

    def applied(step: Callable[[ResolvedMatchers, JsonObject], T]) -> list[T]:
        return [step(each, object_at(vm.spec, "template")) for each, vm in zip(selected, vms, strict=True)]

    matchers = resolved()
    selected = found()
    templates = applied(lambda each, template: apply(each, template, scope, behaviour))
    yield "resolve: read and check the matchers", resolved
    yield "select: look up what they name", found
    yield (
        "apply: instance type, then preference",
        partial(applied, lambda each, template: apply(each, template, scope, behaviour)),
    )
    yield (
        "admit: apply, spread, defaults, requirements",
        partial(applied, lambda each, template: apply_checked(each, template, scope, cluster)),
    )
    yield (
        "put the result into the resource",
        lambda: [
            vm.with_content(with_expanded_template(vm.content, template))
            for vm, template in zip(vms, templates, strict=True)
        ],
    )


def median(work: Callable[[], object], runs: int) -> float:
    """The CPU time of ``work`` in seconds; a first run warms the caches and is left out."""
    return statistics.median([cpu_time(work) for _ in range(runs + 1)][1:])


def cpu_time(work: Callable[[], object]) -> float:
    gc.collect()
    before = time.process_time()
    work()
    return time.process_time() - before


def row(name: str, seconds: float) -> str:
    return f"| {name} | {seconds:.2f} s | {seconds / COUNT * 1e6:.0f} µs |"


if __name__ == "__main__":
    report(runs=7)
