"""CPU features of a preference (KubeVirt ``pkg/instancetype/preference/apply/cpu.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs, ApplyError, FieldOwner
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, array_at, object_at, text_at


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Adds the features that the VM does not name.

    Raises ``ApplyError`` when the VM has no ``domain.cpu``, which only an instance type would have given it:
    there KubeVirt crashes.
    """
    preferred = array_at(selection.preference, "cpu", "preferredCPUFeatures")
    if not preferred:
        return template
    domain = domain_of(template)
    if domain.get("cpu") is None:
        raise _no_cpu()
    cpu = object_at(domain, "cpu")
    present = array_at(cpu, "features")
    names = {text_at(feature, "name") for feature in present}
    added = [feature for feature in preferred if text_at(feature, "name") not in names]
    return (
        with_domain_section(template, "cpu", {**cpu, "features": [*present, *added]}) if added else template
    )


def _no_cpu() -> ApplyError:
    return ApplyError(
        FieldOwner.PREFERENCE,
        Diagnostic(
            code=Code.APPLY_FAILED,
            message="the preference adds CPU features, but the VM has no instance type and no domain.cpu",
            field=FieldPath.of("spec", "cpu", "preferredCPUFeatures"),
            hint="name an instance type, or set spec.template.spec.domain.cpu, if only to {}",
        ),
    )
