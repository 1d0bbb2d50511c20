"""``docs/argocd/plugin.yaml`` as the repository server uses it: in a copy of a repository."""

from __future__ import annotations

import json
import re
import resource
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests import warm_program

ROOT = Path(__file__).parents[2]
ARGOCD = ROOT / "docs" / "argocd"
PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
kubevirt: "1.9"
overlays:
- path: overlays/prod
  kubevirt: "1.8"
- path: overlays/dev
"""
VIRTUAL_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: db
  annotations: {note: ¡größe!}
spec:
  runStrategy: Always
  instancetype: {name: u1.medium}
  template: {spec: {domain: {devices: {}}}}
"""
INSTANCETYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: ours}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""


def forbid_files() -> None:
    """From here on no regular file can be written; pipes can."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@dataclass
class RepositoryServer:
    """Runs the plugin's commands in ``copy``, which has no ``.git``, with nothing of our own environment.

    ``writes``: whether they may write files.
    """

    copy: Path
    programs: Path
    writes: bool = True

    def run(self, *names: str, at: str = ".", **environment: str) -> subprocess.CompletedProcess[str]:
        """``names`` are the keys of the command in ``spec``; ``at`` is the application's path."""
        command = yaml.safe_load((ARGOCD / "plugin.yaml").read_text(encoding="utf-8"))["spec"]
        for name in names:
            command = command[name]
        return subprocess.run(
            [*command["command"], *command.get("args", ())],
            cwd=self.copy / at,
            env={"PATH": f"{self.programs}:/usr/bin:/bin", **environment},
            stdin=subprocess.DEVNULL,
            preexec_fn=None if self.writes else forbid_files,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def write(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            (self.copy / path).parent.mkdir(parents=True, exist_ok=True)
            (self.copy / path).write_text(text, encoding="utf-8")


@pytest.fixture
def server(tmp_path: Path) -> RepositoryServer:
    programs = tmp_path / "bin"
    programs.mkdir()
    warm_program.install(programs / "vmrender")
    found = RepositoryServer(tmp_path / "_cmp_server" / "6c8f", programs)
    found.write(
        {
            "vmrender.yaml": PROJECT,
            "base/kustomization.yaml": "resources: [vm.yaml, size.yaml]\n",
            "base/vm.yaml": VIRTUAL_MACHINE,
            "base/size.yaml": INSTANCETYPE,
            "overlays/prod/kustomization.yaml": "resources: [../../base]\nnamespace: prod\n",
            "overlays/dev/kustomization.yaml": "resources: [../../base]\nnamespace: dev\n",
            "monitoring/kustomization.yaml": "resources: [vm.yaml]\n",
            "monitoring/vm.yaml": VIRTUAL_MACHINE,
        }
    )
    return found


def objects(run: subprocess.CompletedProcess[str]) -> dict[str, dict[str, object]]:
    """Return the objects that the server would apply: all documents of standard output."""
    assert run.returncode == 0, run.stderr
    documents = list(yaml.safe_load_all(run.stdout))
    assert all({"apiVersion", "kind", "metadata"} <= document.keys() for document in documents)
    return {document["kind"]: document for document in documents}


def spec_of(run: subprocess.CompletedProcess[str]) -> dict[str, object]:
    spec = objects(run)["VirtualMachine"]["spec"]
    assert isinstance(spec, dict)
    return spec


def parameters(**given: str) -> str:
    return json.dumps([{"name": name.replace("_", "-"), "string": value} for name, value in given.items()])


def test_init_prints_nothing_to_standard_output(server: RepositoryServer) -> None:
    assert server.run("init", at="overlays/prod").returncode == 0


def test_only_objects_are_on_standard_output(server: RepositoryServer) -> None:
    run = server.run("generate", at="overlays/prod")

    found = objects(run)
    assert found.keys() == {"VirtualMachine", "VirtualMachineInstancetype"}
    assert found["VirtualMachine"]["metadata"] == {
        "name": "db",
        "namespace": "prod",
        "annotations": {"note": "¡größe!"},
    }
    assert "instancetype" not in spec_of(run)
    assert run.stderr == ""


def test_second_run_gives_the_same_and_writes_nothing(server: RepositoryServer) -> None:
    before = sorted(server.copy.rglob("*"))
    first = server.run("generate", at="overlays/prod")
    assert server.run("generate", at="overlays/prod").stdout == first.stdout
    assert sorted(server.copy.rglob("*")) == before


def test_failure_prints_findings_only(server: RepositoryServer) -> None:
    server.write({"base/vm.yaml": VIRTUAL_MACHINE.replace("u1.medium", "u1.mediun")})

    run = server.run("generate", at="overlays/prod")

    assert (run.returncode, run.stdout) == (1, "")
    assert "base/vm.yaml:8:24: error[instancetype-not-found]" in run.stderr


def test_warnings_are_not_among_the_manifests(server: RepositoryServer) -> None:
    placeholder = VIRTUAL_MACHINE.replace("runStrategy: Always", "runStrategy: ${STRATEGY}")
    server.write({"base/vm.yaml": placeholder})

    run = server.run("generate", at="overlays/prod")

    assert objects(run)
    assert "warning[" in run.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"ARGOCD_APP_PARAMETERS": parameters(overlay="dev", expand="off", write_instancetypes="false")},
        {
            "ARGOCD_ENV_VMRENDER_OVERLAY": "overlays/dev",
            "ARGOCD_ENV_VMRENDER_EXPAND": "off",
            "ARGOCD_ENV_VMRENDER_WRITE_INSTANCETYPES": "false",
            "ARGOCD_ENV_OTHER": "x",
        },
        {
            "ARGOCD_APP_PARAMETERS": parameters(overlay="dev", expand="off", kubevirt=""),
            "ARGOCD_ENV_VMRENDER_EXPAND": "defaults",
            "ARGOCD_ENV_VMRENDER_WRITE_INSTANCETYPES": "false",
        },
    ],
    ids=["parameters", "env", "parameters over env"],
)
def test_application_parameters_are_used(server: RepositoryServer, environment: dict[str, str]) -> None:
    run = server.run("generate", **environment)

    assert objects(run).keys() == {"VirtualMachine"}
    assert spec_of(run)["instancetype"] == {"name": "u1.medium"}


def test_release_of_the_cluster_is_used(server: RepositoryServer) -> None:
    device = VIRTUAL_MACHINE.replace(
        "devices: {}", "devices: {}, ioThreads: {supplementalPoolThreadCount: 2}"
    )
    server.write({"base/vm.yaml": device})

    old = server.run("generate", at="overlays/prod", ARGOCD_APP_PARAMETERS=parameters(kubevirt="1.4"))

    assert objects(server.run("generate", at="overlays/prod"))
    assert old.returncode == 1
    assert "needs KubeVirt 1.5" in old.stderr


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"ARGOCD_APP_PARAMETERS": "{"}, "ARGOCD_APP_PARAMETERS is not JSON"),
        ({"ARGOCD_APP_PARAMETERS": "{}"}, "ARGOCD_APP_PARAMETERS is not a list"),
        ({"ARGOCD_APP_PARAMETERS": "[{}]"}, "a parameter without a name"),
        ({"ARGOCD_APP_PARAMETERS": "[" * 100_000}, "ARGOCD_APP_PARAMETERS is not JSON"),
        ({"ARGOCD_APP_PARAMETERS": parameters(kubevrt="1.8")}, "did you mean kubevirt?"),
        ({"ARGOCD_APP_PARAMETERS": '[{"name": "expand", "array": ["off"]}]'}, "expand is a string"),
        ({"ARGOCD_APP_PARAMETERS": parameters(expand="of")}, "there is no mode 'of'; did you mean off?"),
        ({"ARGOCD_APP_PARAMETERS": parameters(write_instancetypes="no")}, "neither true nor false"),
        ({"ARGOCD_ENV_VMRENDER_KUBEVIRT": "latest"}, "'latest' is not a KubeVirt release"),
        ({"ARGOCD_ENV_VMRENDER_KUBVIRT": "1.8"}, "did you mean kubevirt?"),
        ({"ARGOCD_ENV_VMRENDER_OVERLAY": "prd"}, "there is no overlay 'prd'; did you mean prod?"),
        ({"ARGOCD_ENV_VMRENDER_OVERLAY": "../../../etc"}, "there is no overlay '../../../etc'"),
    ],
)
def test_invalid_parameters_are_refused(
    server: RepositoryServer, environment: dict[str, str], message: str
) -> None:
    run = server.run("generate", at="overlays/prod", **environment)

    assert (run.returncode, run.stdout) == (2, "")
    assert message in run.stderr
    assert "Traceback" not in run.stderr


def test_repository_without_a_project_is_rendered(server: RepositoryServer) -> None:
    (server.copy / "vmrender.yaml").unlink()

    run = server.run("generate", at="overlays/prod", ARGOCD_APP_SOURCE_PATH="overlays/prod")

    assert objects(run).keys() == {"VirtualMachine", "VirtualMachineInstancetype"}


def test_path_without_a_kustomization_is_refused(server: RepositoryServer) -> None:
    server.write({"notes/todo.txt": ""})
    run = server.run("generate", at="notes")

    assert (run.returncode, run.stdout) == (2, "")
    assert "error[kustomization-missing]" in run.stderr


@pytest.mark.parametrize("at", [".", "overlays"])
def test_path_above_overlays_needs_an_overlay_parameter(server: RepositoryServer, at: str) -> None:
    run = server.run("generate", at=at)

    assert (run.returncode, run.stdout) == (2, "")
    assert "set the application's parameter overlay to one of prod, dev" in run.stderr


@pytest.mark.parametrize(
    ("at", "found"),
    [
        (".", "overlays/prod\noverlays/dev\n"),
        ("overlays/prod", "overlays/prod\n"),
        ("monitoring", ""),
        ("base", ""),
    ],
)
def test_discovery_accepts_vmrender_projects(server: RepositoryServer, at: str, found: str) -> None:
    run = server.run("discover", "find", at=at)

    assert (run.returncode, run.stdout, run.stderr) == (0, found, "")


def test_discovery_rejects_foreign_repositories(server: RepositoryServer) -> None:
    (server.copy / "vmrender.yaml").unlink()

    run = server.run("discover", "find", at="overlays/prod", ARGOCD_APP_SOURCE_PATH="overlays/prod")

    assert (run.returncode, run.stdout) == (0, "")


def test_discovery_accepts_a_broken_project_and_generate_reports_it(server: RepositoryServer) -> None:
    server.write({"vmrender.yaml": "kind: [\n"})

    assert server.run("discover", "find").stdout == "vmrender.yaml\n"
    assert "vmrender.yaml:" in server.run("generate", at="overlays/prod").stderr


@pytest.mark.parametrize(
    ("at", "kubevirt", "overlay"), [("overlays/prod", "1.8", "prod"), ("base", "1.9", "")]
)
def test_announced_parameters_have_their_effective_values(
    server: RepositoryServer, at: str, kubevirt: str, overlay: str
) -> None:
    run = server.run("parameters", "dynamic", at=at)

    announced = json.loads(run.stdout)
    assert run.returncode == 0
    assert all({"name", "title", "tooltip", "string"} <= parameter.keys() for parameter in announced)
    assert {parameter["name"]: parameter["string"] for parameter in announced} == {
        "overlay": overlay,
        "kubevirt": kubevirt,
        "expand": "applied",
        "write-instancetypes": "true",
    }


def test_read_only_disk_is_enough(server: RepositoryServer) -> None:
    server.writes = False

    run = server.run("generate", at="overlays/prod")

    assert objects(run)


def test_image_copies_existing_files() -> None:
    dockerfile = (ARGOCD / "Dockerfile").read_text(encoding="utf-8")
    copied = [
        source
        for line in re.findall(r"^COPY (?!--)(.+) \S+$", dockerfile, re.MULTILINE)
        for source in line.split()
    ]

    assert copied
    assert [source for source in copied if not (ROOT / source).exists()] == []
    assert re.findall(r"^USER (\S+)$", dockerfile, re.MULTILINE) == ["65534:65534", "65534:65534", "999:999"]
