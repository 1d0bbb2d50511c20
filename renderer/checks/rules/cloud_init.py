"""The user data of cloud-init is not what cloud-init reads, so the guest starts without it.

cloud-init recognises the type of user data by its first line: `#cloud-config` for YAML, `#!` for a script,
and a few others (`doc/rtd/explanation/format` of cloud-init). Data without such a line is ignored. So are
YAML that cannot be parsed and top-level keys that no module knows. The guest starts anyway, without its users
and keys.

Wrong:

```yaml
cloudInitNoCloud:
  userData: |
    user: fedora
    ssh_authorised_keys: [ssh-ed25519 AAAA…]
```

Right:

```yaml
cloudInitNoCloud:
  userData: |
    #cloud-config
    user: fedora
    ssh_authorized_keys: [ssh-ed25519 AAAA…]
```

Data in `userDataBase64` is checked as well. Data in Secrets, compressed data and the values of placeholders
are not checked.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import Context
from renderer.checks.rules.rule import Finding, MachineCheck, Rule
from renderer.kubevirt.facts.placeholders import has_placeholder
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.rule_settings import Level
from renderer.model.suggest import suggest
from renderer.yamlio.decode import decode_yaml11

_SOURCES = ("cloudInitConfigDrive", "cloudInitNoCloud")
_CLOUD_CONFIG = "#cloud-config"
#: The first characters of user data, in lower case: for cloud-init, and for Cloudbase-Init on Windows.
_HEADERS = (
    _CLOUD_CONFIG,
    "#!",
    "#include",
    "#cloud-boothook",
    "#part-handler",
    "## template:",
    "#ps1",
    "rem cmd",
    "<powershell>",
    "<script>",
    "content-type:",
)
_GZIP = b"\x1f\x8b"
#: MIME messages have this header within this number of characters (cloud-init ``user_data.py``
#: convert_string).
_MIME_HEADER, _MIME_WITHIN = "mime-version:", 4096
#: Top-level keys of cloud-config (cloud-init ``cloudinit/config/schemas/schema-cloud-config-v1.json``).
_KEYS = frozenset(
    [
        "allow_public_ssh_keys",
        "ansible",
        "apk_repos",
        "apt",
        "apt_pipelining",
        "apt_reboot_if_required",
        "apt_update",
        "apt_upgrade",
        "authkey_hash",
        "autoinstall",
        "bootcmd",
        "byobu_by_default",
        "ca-certs",
        "ca_certs",
        "chef",
        "chpasswd",
        "cloud_config_modules",
        "cloud_final_modules",
        "cloud_init_modules",
        "create_hostname_file",
        "datasource",
        "datasource_list",
        "debug",
        "device_aliases",
        "disable_ec2_metadata",
        "disable_root",
        "disable_root_opts",
        "disk_setup",
        "drivers",
        "fan",
        "final_message",
        "fqdn",
        "fs_setup",
        "groups",
        "growpart",
        "grub-dpkg",
        "grub_dpkg",
        "hostname",
        "instance-data",
        "is_virtual",
        "keyboard",
        "landscape",
        "launch-index",
        "locale",
        "locale_configfile",
        "lxd",
        "manage_etc_hosts",
        "manage_resolv_conf",
        "mcollective",
        "merge_how",
        "merge_type",
        "migrate",
        "mount_default_fields",
        "mounts",
        "network",
        "no_ssh_fingerprints",
        "ntp",
        "output",
        "package_reboot_if_required",
        "package_update",
        "package_upgrade",
        "packages",
        "password",
        "phone_home",
        "power_state",
        "prefer_fqdn_over_hostname",
        "preserve_hostname",
        "puppet",
        "random_seed",
        "reporting",
        "resize_rootfs",
        "resolv_conf",
        "rh_subscription",
        "rpi",
        "rsyslog",
        "runcmd",
        "salt_minion",
        "snap",
        "spacewalk",
        "ssh",
        "ssh_authorized_keys",
        "ssh_deletekeys",
        "ssh_fp_console_blacklist",
        "ssh_genkeytypes",
        "ssh_import_id",
        "ssh_key_console_blacklist",
        "ssh_keys",
        "ssh_publish_hostkeys",
        "ssh_pwauth",
        "ssh_quiet_keygen",
        "sudo",
        "swap",
        "system_info",
        "timezone",
        "ubuntu_advantage",
        "ubuntu_pro",
        "updates",
        "user",
        "users",
        "vendor_data",
        "version",
        "wireguard",
        "write_files",
        "yum_repo_dir",
        "yum_repos",
        "zypper",
    ]
)


def _check_machine(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    for index, volume in machine.volumes:
        for source in _SOURCES:
            content = volume.get(source)
            if isinstance(content, dict):
                for message, hint, key in _problems(content):
                    field = machine.in_instance("volumes", index, source, key)
                    yield Finding(machine.resource, field, message, hint)


def _problems(source: dict[str, Json]) -> Iterator[tuple[str, str, str]]:
    """Yield each problem, a hint, and the key of the data."""
    for key in ("userData", "userDataBase64"):
        text = _user_data(source.get(key), key)
        if text is None or not text.strip() or _MIME_HEADER in text[:_MIME_WITHIN].lower():
            continue
        first = text.lstrip().partition("\n")[0].strip()  # ``handlers/__init__.py`` type_from_starts_with
        if has_placeholder(first):
            continue
        if not first.lower().startswith(_HEADERS):
            yield (
                f"{key} does not begin with a line that cloud-init knows, so it ignores the data",
                "write #cloud-config as the first line, or #! and the program of a script",
                key,
            )
        elif first == _CLOUD_CONFIG and not has_placeholder(text):
            yield from ((message, hint, key) for message, hint in _problems_of_config(text, key))


def _problems_of_config(text: str, key: str) -> Iterator[tuple[str, str]]:
    try:
        content = decode_yaml11(text.encode(), "userData")  # as in PyYAML, the last of equal keys wins
    except (DiagnosticError, UnicodeEncodeError) as error:
        found = error.diagnostics[0].location if isinstance(error, DiagnosticError) else None
        where = f" (line {found.line} of it)" if found and found.line else ""
        yield f"{key} is not YAML{where}, so cloud-init ignores it", "correct the YAML below #cloud-config"
        return
    if content is not None and not isinstance(content, dict):
        yield (
            f"{key} is not a mapping, so cloud-init ignores it",
            "write the keys of cloud-config below #cloud-config",
        )
        return
    for name in content or ():
        near = () if name in _KEYS else suggest(name, sorted(_KEYS), most=1, cutoff=0.8)
        if near:
            yield f"{key} has a key {name}, which cloud-init does not know", f"did you mean {near[0]}?"


def _user_data(value: Json, key: str) -> str | None:
    """Return the decoded user data; None for a value that is not text, or is compressed."""
    if not isinstance(value, str):
        return None
    if key == "userData":
        return value
    from base64 import b64decode  # noqa: PLC0415 - most data is written as it is

    try:
        content = b64decode(value, validate=True)
    except ValueError:  # the schema or KubeVirt reports it
        return None
    return None if content.startswith(_GZIP) else content.decode("utf-8", "replace")


RULE = Rule(Code.CLOUD_INIT, Level.WARNING, MachineCheck(_check_machine), __doc__)
