"""Make `schemas/beside/`: the schemas of the kinds that stand beside virtual machines.

    python .ci/schemas_beside.py validations_generated.go crds_generated.go virt-template/config/crd/bases \
        1.8=virt-template-0.1.8/config/crd/bases 1.10=validations_generated.go

The first file is in `pkg/virt-operator/resource/generate/components` of KubeVirt, the second in
`pkg/operator/resources` of CDI, the folder in virt-template; the schemas that ship are of KubeVirt v1.9.0,
CDI v1.66.0 and virt-template v0.2.2. Field names, types and bounds are taken; descriptions are not. The
definitions of another release of KubeVirt follow, its own in a file or those of the virt-template that it
deploys in a folder, and are written where they differ.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import yaml  # noqa: E402 - as for the path above

from renderer.checks.schemas.crd_schema import version_schemas  # noqa: E402 - as above
from renderer.checks.schemas.schema_import import (  # noqa: E402 - as above
    encoded,
    with_definitions,
)
from renderer.model.digest_list import checksums  # noqa: E402 - as above

SCHEMAS = ROOT / "schemas"
#: KubeVirt's kinds that have no schema for each release, with their group and served versions.
OF_KUBEVIRT = {
    "MigrationPolicy": ("migrations.kubevirt.io", ["v1alpha1"]),
    "VirtualMachineBackup": ("backup.kubevirt.io", ["v1alpha1"]),
    "VirtualMachineBackupTracker": ("backup.kubevirt.io", ["v1alpha1"]),
    "VirtualMachineClone": ("clone.kubevirt.io", ["v1alpha1", "v1beta1"]),
    "VirtualMachineExport": ("export.kubevirt.io", ["v1alpha1", "v1beta1"]),
    "VirtualMachineInstanceMigration": ("kubevirt.io", ["v1"]),
    "VirtualMachineInstancePreset": ("kubevirt.io", ["v1"]),
    "VirtualMachineInstanceReplicaSet": ("kubevirt.io", ["v1"]),
    "VirtualMachineRestore": ("snapshot.kubevirt.io", ["v1alpha1", "v1beta1"]),
    "VirtualMachineSnapshot": ("snapshot.kubevirt.io", ["v1alpha1", "v1beta1"]),
    "VirtualMachineSnapshotContent": ("snapshot.kubevirt.io", ["v1alpha1", "v1beta1"]),
}
#: Of Multus; its configuration is text.
NETWORK = {
    "spec": {
        "group": "k8s.cni.cncf.io",
        "names": {"kind": "NetworkAttachmentDefinition"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"config": {"type": "string"}}}
                        },
                    }
                },
            }
        ],
    }
}


def texts(go: Path) -> Iterator[tuple[str, str]]:
    """The YAML texts in a Go map, by key."""
    source = go.read_text().replace('` + "`" + `', "'")
    yield from re.findall(r'^\t"(\w+)": `(.*?)`,$', source, re.MULTILINE | re.DOTALL)


def kubevirts(kubevirt: Path) -> Iterator[dict[str, Any]]:
    of_kubevirt = {kind.lower(): (kind, *where) for kind, where in OF_KUBEVIRT.items()}
    for name, text in texts(kubevirt):
        if name in of_kubevirt:
            kind, group, versions = of_kubevirt[name]
            schema = yaml.safe_load(text)
            served = [{"name": version, "served": True, "schema": schema} for version in versions]
            yield {"spec": {"group": group, "names": {"kind": kind}, "versions": served}}


def of_folder(templates: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(templates.glob("*.yaml")):
        yield yaml.safe_load(file.read_text())


def definitions(kubevirt: Path, cdi: Path, templates: Path) -> Iterator[dict[str, Any]]:
    yield from kubevirts(kubevirt)
    for _, text in texts(cdi):
        yield yaml.safe_load(text)
    yield from of_folder(templates)
    yield NETWORK


def schema_files(definition: dict[str, Any], release: str = "") -> Iterator[tuple[Path, str]]:
    spec = definition["spec"]
    name = f"{spec['names']['kind'].lower()}.json"
    for version, schema in version_schemas(definition).items():
        folder = SCHEMAS / "beside" / spec["group"] / version
        yield folder / release / name, encoded(with_definitions(dict(schema)))


def main(kubevirt: str, cdi: str, templates: str, *of_releases: str) -> None:
    files = dict(
        each
        for definition in definitions(Path(kubevirt), Path(cdi), Path(templates))
        for each in schema_files(definition)
    )
    for release, _, named in (each.partition("=") for each in of_releases):
        source = Path(named)
        for definition in of_folder(source) if source.is_dir() else kubevirts(source):
            for path, text in schema_files(definition, release):
                if files[path.parents[1] / path.name] != text:
                    files[path] = text
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shipped = {path.relative_to(SCHEMAS).as_posix(): path.read_bytes() for path in SCHEMAS.rglob("*.json")}
    (SCHEMAS / "SHA256SUMS").write_text(checksums(shipped))


if __name__ == "__main__":
    main(*sys.argv[1:])
