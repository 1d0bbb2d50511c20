"""However pins come and go, every machine can start again, and no revision stays in Git for ever.

Each example is a repository, and a simulated cluster: an engine that prunes before it applies, as
Argo CD does, and KubeVirt 1.6, which looks for the revision that a matcher or a status names before anything
else (``pkg/instancetype/controller/vm/controller.go``). The user does what the commands print.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from renderer.cli.app import main
from tests.properties.examples import examples

PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.6"
expand: "off"
catalogs: [{path: catalog}]
"""
INSTANCETYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {{name: shop}}
spec: {{cpu: {{guest: 1}}, memory: {{guest: {memory}Gi}}}}
"""
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}}}
spec:
  runStrategy: Always
  instancetype: {{name: shop}}
  template:
    spec:
      domain: {{devices: {{interfaces: [{{name: default, masquerade: {{}}}}]}}}}
      networks: [{{name: default, pod: {{}}}}]
"""
#: The revision that KubeVirt makes itself, and that is never pruned.
OWN = "made by KubeVirt"
NAMES = ("db", "web", "mail")
PATCH = re.compile(
    r"kubectl patch vm/(?P<name>\S+) -n prod --subresource=status --type=json -p '(?P<patch>.+)'"
)
LOOP = re.compile(
    r"for vm in (?P<names>[^;]+); do kubectl patch \"vm/\$vm\" -n prod --subresource=status --type=json"
    r" -p '(?P<patch>.+)'; done"
)


@dataclass
class Machine:
    """A VirtualMachine: what its matcher and status name, and what its matcher named when it started."""

    pinned: str = ""
    status: str = ""
    started: str = ""


@dataclass
class Cluster:
    machines: dict[str, Machine] = field(default_factory=dict)
    revisions: dict[str, object] = field(default_factory=dict)

    def sync(self, tree: str) -> None:
        documents = [each for each in yaml.safe_load_all(tree) if each]
        named = {
            kind: {each["metadata"]["name"]: each for each in documents if each["kind"] == kind}
            for kind in ("ControllerRevision", "VirtualMachine")
        }
        self.revisions = named["ControllerRevision"]
        self.machines = {name: self.machines.get(name, Machine()) for name in named["VirtualMachine"]}
        for name, content in named["VirtualMachine"].items():
            self.machines[name].pinned = content["spec"]["instancetype"].get("revisionName", "")
        self.reconcile()

    def reconcile(self) -> None:
        for name, machine in self.machines.items():
            needed = machine.pinned or machine.status
            assert needed in ("", OWN) or needed in self.revisions, f"{name} will not start without {needed}"
            is_new = not machine.status
            machine.status = machine.pinned or machine.status or OWN
            if is_new and not machine.started:
                machine.started = machine.pinned

    def restart(self) -> None:
        for machine in self.machines.values():
            machine.started = machine.pinned

    def patch(self, command: str) -> None:
        """Run a printed command; the API server refuses a patch whose test fails."""
        found = PATCH.fullmatch(command) or LOOP.fullmatch(command)
        if found is None:
            assert command.startswith(
                "kubectl get vm,controllerrevision -A -o yaml | vmrender unpin prod --live"
            )
            return
        names = found["names"] if "names" in found.groupdict() else found["name"]
        [test, remove] = json.loads(found["patch"])
        assert (test["op"], remove["op"]) == ("test", "remove")
        for name in shlex.split(names):
            machine = self.machines.get(name)
            if machine is not None and machine.status == test["value"]:
                machine.status = ""
        self.reconcile()

    def dump(self) -> str:
        items: list[object] = list(self.revisions.values())
        for name, machine in self.machines.items():
            owner = {"kind": "VirtualMachine", "name": name, "controller": True}
            matcher = {"name": "shop", "revisionName": machine.pinned} if machine.pinned else {"name": "shop"}
            started = {"instancetype": {"name": "shop", "revisionName": machine.started}}
            items += [
                {
                    "apiVersion": "kubevirt.io/v1",
                    "kind": "VirtualMachine",
                    "metadata": {"name": name, "namespace": "prod"},
                    "spec": {"instancetype": matcher},
                    "status": {"instancetypeRef": {"controllerRevisionRef": {"name": machine.status}}},
                },
                {
                    "apiVersion": "apps/v1",
                    "kind": "ControllerRevision",
                    "metadata": {
                        "name": f"revision-start-vm-{name}",
                        "namespace": "prod",
                        "ownerReferences": [owner],
                    },
                    "data": {"spec": started},
                },
            ]
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


class Life:
    """A repository and its cluster; ``printed`` are the commands to run after the next sync."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cluster = Cluster()
        self.printed: list[str] = []
        self.names = list(NAMES)
        self.memory = 1
        self.write("vmrender.yaml", PROJECT)
        self.write("catalog/kustomization.yaml", "resources: [shop.yaml]\n")
        self.upgrade()
        self.write_machines()
        self.sync()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def write_machines(self) -> None:
        self.write("overlays/prod/vms.yaml", "---\n".join(VM.format(name=name) for name in self.names))
        path = self.root / "overlays/prod/kustomization.yaml"
        if not path.exists():
            path.write_text("namespace: prod\nresources: [vms.yaml]\n", encoding="utf-8")

    def run(self, *arguments: str) -> Result:
        result = CliRunner(catch_exceptions=False).invoke(main, arguments)
        assert result.exit_code == 0, result.output
        self.printed += [line[2:] for line in result.stderr.splitlines() if line.startswith("  ")]
        return result

    def sync(self) -> None:
        self.cluster.sync(self.run("build", "overlays/prod").stdout)

    def clear(self) -> None:
        self.sync()
        for command in self.printed:
            self.cluster.patch(command)
        self.printed.clear()

    def upgrade(self) -> None:
        self.memory += 1
        self.write("catalog/shop.yaml", INSTANCETYPE.format(memory=self.memory))

    def pin(self) -> None:
        self.run("pin", "prod", self.names[0])

    def pin_all(self) -> None:
        self.run("pin", "prod", "--all")

    def update(self) -> None:
        self.run("pin", "prod", "--all", "--update", "--wave", "1")

    def unpin(self) -> None:
        self.run("unpin", "prod", self.names[-1])

    def unpin_all(self) -> None:
        self.run("unpin", "prod", "--all")

    def look(self) -> None:
        self.write("../cluster.json", self.cluster.dump())
        self.run("unpin", "prod", "--all" if not self.names else self.names[0], "--live", "../cluster.json")

    def rename(self) -> None:
        self.names = [*self.names[1:], f"{self.names[0]}-x"]
        self.write_machines()
        self.run("unpin", "prod", "--all")

    def restart(self) -> None:
        self.cluster.restart()


ACTIONS: tuple[Callable[[Life], None], ...] = (
    Life.sync,
    Life.clear,
    Life.upgrade,
    Life.pin,
    Life.pin_all,
    Life.update,
    Life.unpin,
    Life.unpin_all,
    Life.look,
    Life.rename,
    Life.restart,
)


def lives() -> Iterator[Life]:
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        root.mkdir()
        os.chdir(root)
        try:
            yield Life(root)
        finally:
            os.chdir(before)


@examples(0.2)
@given(st.lists(st.sampled_from(ACTIONS), min_size=3, max_size=9))
def test_every_machine_starts_and_no_revision_stays_for_ever(
    actions: list[Callable[[Life], None]],
) -> None:
    for life in lives():
        for act in actions:
            act(life)
            if act not in (Life.pin, Life.update):
                life.sync()
        life.unpin_all()
        life.sync()
        life.look()
        life.clear()
        life.restart()
        life.look()
        life.sync()
        assert life.cluster.revisions == {}
        assert not (life.root / "overlays/prod/pins").exists()
