"""The keys of cloud-config, and the forms of their values that cloud-init can use.

The keys are in cloud-init's ``cloudinit/config/schemas/schema-cloud-config-v1.json``. The modules accept more
than the schema, so a form is listed only if the module that reads it fails on any other: ``cc_runcmd.py`` and
``cc_bootcmd.py`` (``util.py`` shellify), ``cc_mounts.py``, ``cc_write_files.py``, ``cc_set_passwords.py``,
``cc_ssh.py`` (which takes the characters of a text for keys),
``distros/ug_util.py``, and ``util.get_cfg_option_list``, which makes a list of a single text.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.kube.json import Json
from renderer.model.record import Record


class Form(Record):
    """A form of values, as messages name it, and the types that have it."""

    name: str
    types: tuple[type, ...]

    def accepts(self, value: Json) -> bool:
        """Return True if cloud-init can use the value; an empty one is always fine."""
        if isinstance(value, bool):  # which Python counts as an int
            return bool in self.types
        return value is None or isinstance(value, self.types)


LIST = Form("a list", (list,))
TEXT_OR_LIST = Form("a list", (list, str, int, float))
MAPPING = Form("a mapping", (dict,))
SCALAR = Form("a single value", (str, int, float, bool))
_USERS = Form("a list", (list, dict, str))
_ANY = Form("any value", (object, bool))

_LISTS = """
    bootcmd cloud_config_modules cloud_final_modules cloud_init_modules fs_setup mount_default_fields mounts
    runcmd ssh_authorized_keys write_files
"""
_TEXTS_OR_LISTS = "packages ssh_genkeytypes ssh_import_id"
_MAPPINGS = """
    ansible apk_repos apt autoinstall ca-certs ca_certs chef chpasswd device_aliases disk_setup drivers
    keyboard landscape lxd mcollective ntp phone_home power_state puppet random_seed resolv_conf
    rh_subscription salt_minion snap ssh_keys swap system_info ubuntu_advantage ubuntu_pro wireguard yum_repos
    zypper
"""
_SCALARS = """
    authkey_hash byobu_by_default disable_root_opts final_message fqdn hostname locale_configfile password
    timezone yum_repo_dir
"""
_OTHERS = """
    allow_public_ssh_keys apt_pipelining apt_reboot_if_required apt_update apt_upgrade create_hostname_file
    datasource datasource_list debug disable_ec2_metadata disable_root fan groups growpart grub-dpkg
    grub_dpkg instance-data is_virtual launch-index locale manage_etc_hosts manage_resolv_conf merge_how
    merge_type migrate network no_ssh_fingerprints output package_reboot_if_required package_update
    package_upgrade prefer_fqdn_over_hostname preserve_hostname reporting resize_rootfs rpi rsyslog spacewalk
    ssh ssh_deletekeys ssh_fp_console_blacklist ssh_key_console_blacklist ssh_publish_hostkeys ssh_pwauth
    ssh_quiet_keygen sudo updates user vendor_data version
"""

#: Each top-level key, and the form of its value.
KEYS: Mapping[str, Form] = {
    key: form
    for keys, form in (
        (_LISTS, LIST),
        (_TEXTS_OR_LISTS, TEXT_OR_LIST),
        (_MAPPINGS, MAPPING),
        (_SCALARS, SCALAR),
        ("users", _USERS),
        (_OTHERS, _ANY),
    )
    for key in keys.split()
}
_USER_KEYS = """
    create-groups create_groups doas expiredate gecos groups hashed-passwd hashed_passwd homedir inactive
    lock-passwd lock_passwd name no-create-home no-log-init no-user-group no_create_home no_log_init
    no_user_group passwd plain-text-passwd plain_text_passwd primary-group primary_group selinux-user
    selinux_user shell snapuser ssh-authorized-keys ssh-import-id ssh-redirect-user ssh_authorized_keys
    ssh_import_id ssh_redirect_user sudo system uid
"""
#: The keys of each element of a list, or of a mapping, in which a misspelt key has no effect.
NESTED_KEYS: Mapping[str, tuple[str, ...]] = {
    "users": tuple(_USER_KEYS.split()),
    "write_files": ("append", "content", "defer", "encoding", "owner", "path", "permissions", "source"),
    "chpasswd": ("expire", "list", "users"),
}
#: Lists of commands: a command is a text or a list of arguments.
COMMANDS = ("bootcmd", "runcmd")
#: Lists whose elements have a form of their own.
ELEMENTS: Mapping[str, Form] = {"mounts": LIST, "write_files": MAPPING}
#: Words that people write for a key, which do not resemble it.
OTHER_WORDS: Mapping[str, str] = {
    "commands": "runcmd",
    "files": "write_files",
    "ssh_keys_authorized": "ssh_authorized_keys",
    "sshkeys": "ssh_authorized_keys",
}
