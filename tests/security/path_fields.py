"""Every field that contains the path of a file or folder, and paths that try to leave the repository."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

#: In every file outside, and allowed in no output.
CANARY = "canary-from-outside"

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
overlays:
- path: prod
"""
_CONFIG_MAP = f"""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  a: {CANARY}
"""
_OWN = "resources:\n- own.yaml\n"
_OWN_OBJECT = _CONFIG_MAP.replace("settings", "own").replace(CANARY, "own")
_TEMPLATE = """\
apiVersion: vmrender.io/v1alpha1
kind: Template
metadata:
  name: machines
spec:
"""
_TRANSFORMER = """\
apiVersion: builtin
kind: LabelTransformer
metadata:
  name: labels
labels:
  a: b
fieldSpecs:
- path: metadata/labels
  create: true
"""
_FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: prod
  namespace: flux-system
spec:
  path: ./prod
"""
_SIZE = f"""\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata:
  name: size
  labels: {{a: {CANARY}}}
spec:
  cpu: {{guest: 1}}
  memory: {{guest: 1Gi}}
"""
_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: machine
spec:
  runStrategy: Always
  instancetype: {name: size}
  template:
    spec:
      domain:
        devices: {}
"""


class Field(NamedTuple):
    """``files`` have ``PATH`` in place of the path; ``content`` is that of a valid file there."""

    files: dict[str, str]
    content: str


def _kustomization(text: str, content: str = _CONFIG_MAP) -> Field:
    return Field({"prod/kustomization.yaml": text}, content)


def _template(text: str, content: str, template: str = "") -> Field:
    files = {"prod/kustomization.yaml": "generators:\n- template.yaml\n", "prod/template.yaml": text}
    return Field(files | ({"prod/own.j2": template} if template else {}), content)


FILES = {
    "resources": _kustomization("resources:\n- PATH\n"),
    "components as a file": _kustomization(_OWN + "components:\n- PATH\n"),
    "generators": _kustomization(
        _OWN + "generators:\n- PATH\n",
        "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nliterals: [a=b]\n",
    ),
    "transformers": _kustomization(_OWN + "transformers:\n- PATH\n", _TRANSFORMER),
    "configurations": _kustomization(_OWN + "configurations:\n- PATH\n", "commonLabels: []\n"),
    "crds": _kustomization(_OWN + "crds:\n- PATH\n", "{}\n"),
    "openapi": _kustomization(_OWN + "openapi:\n  path: PATH\n", '{"definitions": {}}\n'),
    "patches": _kustomization(
        _OWN + "patches:\n- path: PATH\n  target: {kind: ConfigMap}\n",
        f"- {{op: add, path: /data/b, value: {CANARY}}}\n",
    ),
    "patchesStrategicMerge": _kustomization(
        _OWN + "patchesStrategicMerge:\n- PATH\n", _CONFIG_MAP.replace("settings", "own")
    ),
    "patchesJson6902": _kustomization(
        _OWN + "patchesJson6902:\n- path: PATH\n  target: {version: v1, kind: ConfigMap, name: own}\n",
        f"- {{op: add, path: /data/b, value: {CANARY}}}\n",
    ),
    "replacements": _kustomization(_OWN + "replacements:\n- path: PATH\n", "[]\n"),
    "files": _kustomization("configMapGenerator:\n- name: x\n  files: [PATH]\n"),
    "files with a key": _kustomization("configMapGenerator:\n- name: x\n  files: [a=PATH]\n"),
    "envs": _kustomization("configMapGenerator:\n- name: x\n  envs: [PATH]\n", f"A={CANARY}\n"),
    "env": _kustomization("configMapGenerator:\n- name: x\n  env: PATH\n", f"A={CANARY}\n"),
    "files of a Secret": _kustomization("secretGenerator:\n- name: x\n  files: [PATH]\n"),
    "envs of a Secret": _kustomization("secretGenerator:\n- name: x\n  envs: [PATH]\n", f"A={CANARY}\n"),
    "template": _template(_TEMPLATE + "  template: PATH\n", _CONFIG_MAP),
    "values of a template": _template(
        _TEMPLATE + "  template: own.j2\n  valuesFrom:\n  - file: PATH\n",
        f"a: {CANARY}\n",
        _CONFIG_MAP.replace(CANARY, "{{ a }}"),
    ),
    "patch of a transformer": Field(
        {
            "prod/kustomization.yaml": _OWN + "transformers:\n- patch.yaml\n",
            "prod/patch.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\n"
            "path: PATH\ntarget: {kind: ConfigMap}\n",
        },
        f"- {{op: add, path: /data/b, value: {CANARY}}}\n",
    ),
    "flux": Field(
        {
            "vmrender.yaml": _PROJECT + "  flux:\n    kustomization: prod/PATH\n",
            "prod/kustomization.yaml": _OWN,
        },
        _FLUX,
    ),
    "variables of flux": Field(
        {
            "vmrender.yaml": _PROJECT + "  flux:\n    kustomization: flux.yaml\n    resources: [prod/PATH]\n",
            "prod/kustomization.yaml": _OWN,
            "flux.yaml": _FLUX
            + "  postBuild:\n    substituteFrom:\n    - kind: ConfigMap\n      name: settings\n",
        },
        _CONFIG_MAP.replace("name: settings", "name: settings\n  namespace: flux-system"),
    ),
}
#: Their ``content`` is that of the resource of the kustomization in the folder.
FOLDERS = {
    "resources": _kustomization("resources:\n- PATH\n"),
    "bases": _kustomization("bases:\n- PATH\n"),
    "components": _kustomization("components:\n- PATH\n"),
    "overlays": Field({"vmrender.yaml": _PROJECT.replace("path: prod", "path: prod/PATH")}, _CONFIG_MAP),
    "catalogs": Field(
        {
            "vmrender.yaml": _PROJECT + "catalogs:\n- path: prod/PATH\n",
            "prod/kustomization.yaml": _OWN,
            "prod/own.yaml": _MACHINE,
        },
        _SIZE,
    ),
    "schemas": Field(
        {"vmrender.yaml": _PROJECT + "schemas:\n- path: prod/PATH\n", "prod/kustomization.yaml": _OWN},
        _CONFIG_MAP,
    ),
}


def _chain(path: Path) -> None:
    path.symlink_to("second")
    path.with_name("second").symlink_to("linked/file")


def put_socket(path: Path) -> None:
    """By a short name, as names of sockets are limited."""
    here = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


#: Ways to put something at ``prod/attack`` that is not a file of the repository.
_SPECIAL: dict[str, Callable[[Path], object]] = {
    "a named pipe": os.mkfifo,
    "a socket": put_socket,
    "a device, by a link": lambda path: path.symlink_to("/dev/zero"),
    "a link to a file outside": lambda path: path.symlink_to(path.parents[2] / "outside/file"),
    "a relative link to a file outside": lambda path: path.symlink_to("../../outside/file"),
    "a link to a link": _chain,
    "a link to itself": lambda path: path.symlink_to("attack"),
    "a link to the root of everything": lambda path: path.symlink_to("/"),
}
#: The path as written; ``OUTSIDE`` is the absolute path of the folder next to the repository.
WAYS_TO_A_FILE = {
    "up": "../../outside/file",
    "up from below": "below/../../../outside/file",
    "absolute": "OUTSIDE/file",
    "a URL": "file://OUTSIDE/file",
    "through a linked folder": "linked/file",
    "up from a linked folder": "linked/../outside/file",
    **dict.fromkeys(_SPECIAL, "attack"),
}
WAYS_TO_A_FOLDER = {
    "up": "../../outside",
    "absolute": "OUTSIDE",
    "a linked folder": "linked",
    "below a linked folder": "linked/below",
    "a named pipe": "attack",
    "a link to itself": "attack",
    "a link to the root of everything": "attack",
}


def planted(root: Path, field: Field, way: str, written: str, *, is_folder: bool) -> None:
    """Create the repository ``root``, in which ``field`` points outside in the given ``way``."""
    outside = root.parent / "outside"
    (outside / "below").mkdir(parents=True)
    (root / "prod/below").mkdir(parents=True)
    for folder in (outside, outside / "below"):
        (folder / "file").write_text(field.content)
        (folder / "kustomization.yaml").write_text("resources:\n- leaked.yaml\n")
        (folder / "leaked.yaml").write_text(field.content if is_folder else _CONFIG_MAP)
    (root / "prod/linked").symlink_to(outside)
    if way in _SPECIAL:
        _SPECIAL[way](root / "prod/attack")
    written = written.replace("OUTSIDE", str(outside))
    _write(root, {"vmrender.yaml": _PROJECT, "prod/own.yaml": _OWN_OBJECT} | field.files, written)
    if is_folder and "prod/kustomization.yaml" not in field.files:
        _write(root, {"prod/kustomization.yaml": _OWN}, "")


def good(root: Path, field: Field, *, is_folder: bool) -> None:
    """Create the repository ``root``, in which ``field`` points inside."""
    _write(root, {"vmrender.yaml": _PROJECT, "prod/own.yaml": _OWN_OBJECT} | field.files, "inside")
    if not is_folder:
        (root / "prod/inside").write_text(field.content)
        return
    kind = "kind: Component\n" if "components" in field.files.get("prod/kustomization.yaml", "") else ""
    if "prod/kustomization.yaml" not in field.files:
        _write(root, {"prod/kustomization.yaml": _OWN}, "")
    inside = {"kustomization.yaml": f"{kind}resources:\n- leaked.yaml\n", "leaked.yaml": field.content}
    _write(root, {f"prod/inside/{path}": text for path, text in inside.items()}, "")


def _write(root: Path, files: dict[str, str], written: str) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.replace("PATH", written))
