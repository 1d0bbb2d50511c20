"""The schema of HyperConverged: that of the operator which deploys the target release of KubeVirt."""

from __future__ import annotations

from functools import lru_cache

from renderer.checks.schemas.kind_schema import KindSchema
from renderer.kubevirt.facts.kinds import HYPERCONVERGED
from renderer.kubevirt.hyperconverged.release import KNOWN_RELEASES, OperatorRelease
from renderer.kubevirt.hyperconverged.structural_schema import served_versions, structural_schema
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_edit import SetField
from renderer.model.fix import Fix
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import Gvk
from renderer.model.release import Release

#: Of an operator that is older than the shipped schemas: nothing is checked.
_ANY_OBJECT = KindSchema({"type": "object"})


def hyperconverged_schema(release: Release, gvk: Gvk) -> KindSchema:
    """Return the schema of a kind in the group of HyperConverged at a release of KubeVirt.

    Raises ``DiagnosticError``: schema-missing for another kind, api-version for a version that is not served.
    """
    if gvk.kind != HYPERCONVERGED:
        message = f"the HyperConverged operator has no kind {gvk.kind} in the group {gvk.group}"
        raise Diagnostic(Code.SCHEMA_MISSING, message, hint=f"its only kind is {HYPERCONVERGED}").error()
    operator = OperatorRelease.deploying(release)
    if operator is None:
        return _ANY_OBJECT
    schema = _schema(operator, gvk.version)
    if schema is None:
        raise _unserved_version(operator, release, gvk)
    return schema


@lru_cache(maxsize=16)  # versions are what users write
def _schema(operator: OperatorRelease, version: str) -> KindSchema | None:
    structural = structural_schema(operator, version)
    return None if structural is None else KindSchema(structural.document)


def _unserved_version(operator: OperatorRelease, release: Release, gvk: Gvk) -> DiagnosticError:
    served = served_versions(operator)
    message = (
        f"the HyperConverged operator {operator}, which deploys KubeVirt {release.minor_release},"
        f" serves {gvk.kind} as {' and '.join(served)}, not as {gvk.version or 'nothing'}"
    )
    later = next((each for each in KNOWN_RELEASES if gvk.version in served_versions(each)), None)
    hint = f"write apiVersion: {' or '.join(f'{gvk.group}/{version}' for version in served)}"
    fix = None
    if later is not None:
        hint += (
            f", whose fields have other names, or, if the cluster has the operator {later} or a later one,"
            f" kubevirt: {later.kubevirt.minor_release} or later in vmrender.yaml"
        )
    elif len(served) == 1:
        fix = Fix((SetField(FieldPath.of("apiVersion"), f"{gvk.group}/{served[0]}"),), roots=())
    return Diagnostic(Code.API_VERSION, message, hint=hint, fix=fix).error()
