"""Writes the bills of materials in ``.ci/sbom/`` (CycloneDX 1.6) from the lock file and the data here.

``vmrender.cdx.json`` lists what others made and the wheel holds; it is put into it (PEP 770).
``image.cdx.json`` lists what is installed beside it in the image, too.
Equal sources give equal bytes: there is no time in them.
"""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]

_ENTRY = re.compile(r"^([a-z0-9-]+)==(\S+)(.*\n(?:[ #].*\n)*)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_NEEDED_BY = re.compile(r"^    #(?: via|  ) ([a-z0-9][a-z0-9-]*)", re.MULTILINE)
_NOT_IN_AN_IMAGE = "sys_platform == 'win32'"


class Pin(NamedTuple):
    """One entry of a lock file. ``needed_by`` are names: of other entries, and our own."""

    name: str
    version: str
    hashes: tuple[str, ...]
    needed_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def read_lock(text: str) -> list[Pin]:
    """The entries of a file that ``uv pip compile --generate-hashes`` wrote, but for Windows' own."""
    return [
        Pin(name, version, tuple(_HASH.findall(rest)), tuple(_NEEDED_BY.findall(rest)))
        for name, version, rest in _ENTRY.findall(text)
        if _NOT_IN_AN_IMAGE not in rest
    ]


def bill(version: str, bundled: list[dict[str, Any]], pins: list[Pin]) -> dict[str, Any]:
    """A CycloneDX document of vmrender ``version``, with ``bundled`` in it and ``pins`` beside it."""
    subject = f"pkg:pypi/vmrender@{version}"
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": subject,
                "name": "vmrender",
                "version": version,
                "purl": subject,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "components": bundled,
            }
        },
        "components": [_component(pin) for pin in pins],
        "dependencies": [
            {"ref": reference, "dependsOn": [pin.purl for pin in pins if name in pin.needed_by]}
            for name, reference in [("vmrender", subject), *((pin.name, pin.purl) for pin in pins)]
        ],
    }


def _component(pin: Pin) -> dict[str, Any]:
    # A release is several files, of which pip takes one: their digests are those of its distribution.
    hashes = [{"alg": "SHA-256", "content": digest} for digest in pin.hashes]
    return {
        "type": "library",
        "bom-ref": pin.purl,
        "name": pin.name,
        "version": pin.version,
        "purl": pin.purl,
        "externalReferences": [{"type": "distribution", "url": pin.purl, "hashes": hashes}],
    }


def bundled_data(root: Path) -> list[dict[str, Any]]:
    """What others made and the wheel holds: catalogs, and schemas of KubeVirt's kinds by release."""
    catalogs = sorted((root / "catalog/common-instancetypes").glob("v*"))
    releases = sorted((root / "schemas/kubevirt").glob("*.*"), key=lambda path: _numbers(path.name))
    return [
        *(
            _data("kubevirt/common-instancetypes", path.name) | {"purl": _github(path.name)}
            for path in catalogs
        ),
        *(_data("kubevirt/kubevirt", path.name) for path in releases),
    ]


def _data(name: str, version: str) -> dict[str, Any]:
    return {
        "type": "data",
        "bom-ref": f"{name}@{version}",
        "name": name,
        "version": version,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }


def _github(version: str) -> str:
    return f"pkg:github/kubevirt/common-instancetypes@{version}"


def _numbers(release: str) -> list[int]:
    return [int(number) for number in release.split(".")]


def bills(root: Path) -> dict[str, str]:
    """The documents by file name, as text. ``root`` is a checkout."""
    version = str(runpy.run_path(str(root / "renderer/__init__.py"))["__version__"])
    bundled = bundled_data(root)
    pins = read_lock((root / ".ci/lock/vmrender.txt").read_text("utf-8"))
    documents = {"vmrender": bill(version, bundled, []), "image": bill(version, bundled, pins)}
    return {f"{name}.cdx.json": json.dumps(each, indent=2) + "\n" for name, each in documents.items()}


if __name__ == "__main__":
    for name, text in bills(ROOT).items():
        (ROOT / ".ci/sbom" / name).write_text(text, "utf-8")
