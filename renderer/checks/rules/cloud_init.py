"""The data of cloud-init is not what cloud-init reads, so the guest starts without it.

cloud-init recognises the type of user data by its first line: `#cloud-config` for YAML, `#!` for a script,
and a few others (`doc/rtd/explanation/format` of cloud-init). Data without such a line is ignored. So are
YAML that cannot be parsed, top-level keys that no module knows, and a `runcmd` other than a list of commands.
Of a key that is written twice only the last one counts, and `userData: >` joins the lines to one comment.
The guest starts anyway, without its users and keys.

Network data has to be of version 1 or 2 in `cloudInitNoCloud`, and OpenStack's `network_data.json` in
`cloudInitConfigDrive`. With anything else the guest has no network, or asks for an address by DHCP. A Secret
must have the key `userdata` or `networkdata`: KubeVirt reads no other, and reads `networkdata` only of the
Secret in `networkDataSecretRef`.

Wrong:

```yaml
cloudInitNoCloud:
  userData: |
    user: fedora
    ssh_authorised_keys: [ssh-ed25519 AAAA…]
  networkData: |
    ethernets:
      enp1s0: {dhcp4: true}
```

Right:

```yaml
cloudInitNoCloud:
  userData: |
    #cloud-config
    user: fedora
    ssh_authorized_keys: [ssh-ed25519 AAAA…]
  networkData: |
    version: 2
    ethernets:
      enp1s0: {dhcp4: true}
```

Data in base64, in Secrets of the repository and in files of a `secretGenerator` is checked as well, and so
are the keys of a SealedSecret or ExternalSecret. Encrypted data, templates of Jinja and the values of
placeholders are not, nor is the user data of Windows, which cloudbase-init reads in its own way.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import PREFERENCE, Context
from renderer.checks.rules.guest_files import files_of, finding, missing_key_finding, name_of
from renderer.checks.rules.network_data import network_data_problems
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.checks.rules.user_data import user_data_problems
from renderer.kubevirt.facts.cloud_init import CONFIG_DRIVE
from renderer.kubevirt.facts.guest_system import OS_ANNOTATION, WINDOWS, guest_system
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import GuestFile, MissingKey, Role
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.rule_settings import Level


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for file in files_of(context, machine):
        if isinstance(file, MissingKey):
            if file.role in (Role.USER_DATA, Role.NETWORK_DATA):
                yield missing_key_finding(file)
        elif file.role is Role.USER_DATA:
            if _is_windows(context, machine):
                continue  # cloudbase-init knows other keys and forms
            for problem in user_data_problems(file.content, name_of(file)):
                yield finding(file, problem)
        elif file.role is Role.NETWORK_DATA:
            if file.unread_at is not None and file.resource.name not in context.network_data_secrets:
                yield _unread(file, file.unread_at)
            is_openstack = file.volume == CONFIG_DRIVE
            for problem in network_data_problems(file.content, name_of(file), is_openstack=is_openstack):
                yield finding(file, problem)


def _is_windows(context: Context, machine: VirtualMachineView) -> bool:
    """Return True for a guest whose data cloudbase-init reads: a cloud-config as cloud-init would not.

    cloudbase-init ``cloudbaseinit/plugins/common/userdataplugins/cloudconfigplugins/factory.py``.
    """
    places = filter(None, (machine.paths.template, machine.paths.machine))
    metadata = (object_at(machine.resource.content, *each.keys, "metadata") for each in places)
    names = (
        text_at(context.spec_before(machine), PREFERENCE, "name"),
        *(text_at(each, "annotations", OS_ANNOTATION) for each in metadata),
    )
    return guest_system(names, machine.domain) == WINDOWS


def _unread(file: GuestFile, reference: FieldPath) -> Finding:
    name = file.resource.name
    message = f"nothing reads {name_of(file)}: through secretRef KubeVirt reads the user data only"
    hint = f"add networkDataSecretRef: {{name: {name}}} beside secretRef"
    there = related_to(file.resource, f"{file.name} is here", file.field)
    return Finding(file.machine.resource, reference, message, hint, (there,))


RULE = Rule(Code.CLOUD_INIT, Level.WARNING, MachineCheck(_check_machine), __doc__)
