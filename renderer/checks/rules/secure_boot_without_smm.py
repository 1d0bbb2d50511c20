"""A preference enables secure boot but not system management mode, which secure boot needs.

KubeVirt rejects a machine with EFI and secure boot unless `features.smm` is on
(`pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go`); EFI without `secureBoot` means
secure boot. A preference that sets secure boot but not SMM works only for machines that enable SMM
themselves. For machines of the overlay, the error is reported at the machine. So this rule checks only
preferences that none of them names.

Wrong:

```yaml
kind: VirtualMachineClusterPreference
spec:
  firmware:
    preferredEfi: {secureBoot: true}
```

Right:

```yaml
kind: VirtualMachineClusterPreference
spec:
  features:
    preferredSmm: {}
  firmware:
    preferredEfi: {secureBoot: true}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import PREFERENCE, PREFERENCES, Context, not_named_by_machines
from renderer.checks.rules.rule import Finding, Rule
from renderer.model.codes import Code
from renderer.model.field_edit import AddField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.rule_settings import Level

_SMM_ARCHITECTURE = "amd64"


def _check(context: Context) -> Iterator[Finding]:
    wrong = {
        id(resource): field
        for resource in context.of_kind(*PREFERENCES)
        if (field := _secure_boot(object_at(resource.content, "spec"))) is not None
    }
    if not wrong:
        return
    resources = [resource for resource in context.of_kind(*PREFERENCES) if id(resource) in wrong]
    for resource in not_named_by_machines(context, PREFERENCE, resources):
        message = "this preference enables secure boot but not SMM, which secure boot needs"
        hint = "add features.preferredSmm: {}"
        fix = AddField(FieldPath.of("spec", "features"), "preferredSmm", {})
        yield Finding(resource, wrong[id(resource)], message, hint, fix=fix)


def _secure_boot(spec: JsonObject) -> FieldPath | None:
    """Return the field that enables secure boot in a preference that does not enable SMM."""
    smm = object_at(spec, "features").get("preferredSmm")
    if isinstance(smm, dict) and smm.get("enabled") is not False:
        return None
    is_for_amd64 = spec.get("preferredArchitecture") in (None, "", _SMM_ARCHITECTURE)
    if not is_for_amd64 or "tdx" in object_at(spec, "preferredLaunchSecurity"):
        return None
    firmware = object_at(spec, "firmware")
    efi = firmware.get("preferredEfi")
    if isinstance(efi, dict):
        field = FieldPath.of("spec", "firmware", "preferredEfi")
        if "secureBoot" not in efi:
            return field
        return field.child("secureBoot") if efi["secureBoot"] is not False else None
    old = firmware.get("preferredUseEfi") is True and firmware.get("preferredUseSecureBoot") is True
    return FieldPath.of("spec", "firmware", "preferredUseSecureBoot") if old else None


RULE = Rule(Code.SECURE_BOOT_WITHOUT_SMM, Level.WARNING, _check, __doc__)
