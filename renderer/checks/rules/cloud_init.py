"""The data of cloud-init is not what cloud-init reads, so the guest starts without it.

cloud-init recognises the type of user data by its first line: `#cloud-config` for YAML, `#!` for a script,
and a few others (`doc/rtd/explanation/format` of cloud-init). Data without such a line is ignored. So are
YAML that cannot be parsed, top-level keys that no module knows, and a `runcmd` other than a list of commands.
The guest starts anyway, without its users and keys.

Network data has to be of version 1 or 2 in `cloudInitNoCloud`, and OpenStack's `network_data.json` in
`cloudInitConfigDrive`. With anything else the guest has no network, or asks for an address by DHCP. A Secret
must have the key `userdata` or `networkdata`: KubeVirt reads no other.

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

Data in base64, in Secrets of the repository and in files of a `secretGenerator` is checked as well. Encrypted
data, templates of Jinja and the values of placeholders are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.guest_files import files_of, finding, nearest_key
from renderer.checks.rules.network_data import network_data_problems
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.checks.rules.user_data import user_data_problems
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.guest_data.sources import CONFIG_DRIVE, GuestFile, MissingKey, Role
from renderer.model.codes import Code
from renderer.model.rule_settings import Level


def _check_machine(context: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for file in files_of(context, machine):
        if isinstance(file, MissingKey):
            if file.role in (Role.USER_DATA, Role.NETWORK_DATA):
                yield _missing_key(file)
        elif file.role is Role.USER_DATA:
            for problem in user_data_problems(file.content, _name(file)):
                yield finding(file, problem)
        elif file.role is Role.NETWORK_DATA:
            is_openstack = file.volume == CONFIG_DRIVE
            for problem in network_data_problems(file.content, _name(file), is_openstack=is_openstack):
                yield finding(file, problem)


def _name(file: GuestFile) -> str:
    if file.resource is file.machine.resource:
        return file.name
    return f"{file.name} of {file.resource.kind} {file.resource.name}"


def _missing_key(missing: MissingKey) -> Finding:
    """Return the finding about a Secret without the key, at a key that was probably meant."""
    consequence = "does not start the machine" if missing.is_alone else f"gives the guest no {missing.role}"
    message = (
        f"{missing.resource.kind} {missing.resource.name} has no key {missing.keys[0]}, "
        f"so KubeVirt {consequence}"
    )
    near = [key for key in missing.present if nearest_key(key, missing.keys)]
    wrong = near or (list(missing.present) if len(missing.present) == 1 else [])
    used = related_to(
        missing.machine.resource,
        f"{missing.machine.kind} {missing.machine.name} reads it here",
        missing.reference,
    )
    if wrong:
        hint = f"rename the key {wrong[0]} to {missing.keys[0]}"
        return Finding(missing.resource, missing.present[wrong[0]], message, hint, (used,))
    there = related_to(missing.resource, f"{missing.resource.kind} {missing.resource.name} is here")
    hint = f"add the data as {missing.keys[0]}"
    return Finding(missing.machine.resource, missing.reference, message, hint, (there,))


RULE = Rule(Code.CLOUD_INIT, Level.WARNING, MachineCheck(_check_machine), __doc__)
