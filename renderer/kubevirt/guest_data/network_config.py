"""The forms of network data that cloud-init reads: its own versions 1 and 2, and OpenStack's.

Version 1 and version 2 are in cloud-init's ``cloudinit/net/network_state.py``; netplan, which renders
version 2 where it is installed, knows more fields (``netplan/doc/netplan-yaml.md``). OpenStack's
``network_data.json`` is in ``cloudinit/sources/helpers/openstack.py`` convert_net_json.
"""

from __future__ import annotations

from collections.abc import Mapping

#: The types of elements of ``config`` in version 1, and the keys that each must have (``network_state.py``
#: ensure_command_keys).
V1_TYPES: Mapping[str, tuple[str, ...]] = {
    "physical": ("name",),
    "bond": ("name", "bond_interfaces", "params"),
    "bridge": ("name", "bridge_interfaces"),
    "vlan": ("name", "vlan_id", "vlan_link"),
    "infiniband": ("name",),
    "loopback": ("name",),
    "nameserver": ("address",),
    "route": ("destination",),
}
#: A route of version 1 may call its destination so.
V1_DESTINATIONS = ("destination", "network")
V1_SUBNET_TYPES = (
    "dhcp",
    "dhcp4",
    "dhcp6",
    "ipv6_dhcpv6-stateful",
    "ipv6_dhcpv6-stateless",
    "ipv6_slaac",
    "manual",
    "static",
    "static4",
    "static6",
)
V1_STATIC = ("static", "static4", "static6")
V1_DEVICE_KEYS = (
    "accept-ra",
    "address",
    "bond_interfaces",
    "bridge_interfaces",
    "config_id",
    "destination",
    "gateway",
    "interface",
    "keep_configuration",
    "mac_address",
    "metric",
    "mtu",
    "name",
    "netmask",
    "network",
    "optional",
    "params",
    "search",
    "subnets",
    "type",
    "vlan_id",
    "vlan_link",
    "wakeonlan",
)
V1_SUBNET_KEYS = (
    "address",
    "broadcast",
    "control",
    "dns_nameservers",
    "dns_search",
    "gateway",
    "ip_address",
    "ipv4",
    "ipv6",
    "metric",
    "mtu",
    "netmask",
    "pointopoint",
    "prefix",
    "routes",
    "scope",
    "type",
)
#: The keys of version 2 beside ``version`` whose values are devices by name.
V2_DEVICES = (
    "bonds",
    "bridges",
    "dummy-devices",
    "ethernets",
    "modems",
    "nm-devices",
    "tunnels",
    "virtual-ethernets",
    "vlans",
    "vrfs",
    "wifis",
)
V2_KEYS = (*V2_DEVICES, "openvswitch", "renderer", "version")
V2_DEVICE_KEYS = (
    "accept-ra",
    "access-points",
    "activation-mode",
    "addresses",
    "auth",
    "critical",
    "dhcp-identifier",
    "dhcp4",
    "dhcp4-overrides",
    "dhcp6",
    "dhcp6-overrides",
    "gateway4",
    "gateway6",
    "id",
    "ignore-carrier",
    "interfaces",
    "ipv6-address-generation",
    "ipv6-mtu",
    "ipv6-privacy",
    "link",
    "link-local",
    "local",
    "macaddress",
    "match",
    "mode",
    "mtu",
    "nameservers",
    "neigh-suppress",
    "networkmanager",
    "openvswitch",
    "optional",
    "optional-addresses",
    "parameters",
    "peer",
    "remote",
    "renderer",
    "routes",
    "routing-policy",
    "set-name",
    "table",
    "wakeonlan",
)
#: Words that people write for a key of a device of version 2, which do not resemble it or resemble two.
V2_OTHER_WORDS: Mapping[str, str] = {
    "address": "addresses",
    "dhcp": "dhcp4",
    "dns": "nameservers",
    "gateway": "gateway4",
    "ip": "addresses",
    "mac": "macaddress",
    "mac_address": "macaddress",
    "nameserver": "nameservers",
}
V2_MATCH_KEYS = ("driver", "macaddress", "name")
V2_NAMESERVER_KEYS = ("addresses", "search")
V2_ROUTE_KEYS = (
    "advertised-mss",
    "advertised-receive-window",
    "congestion-window",
    "from",
    "metric",
    "mtu",
    "on-link",
    "scope",
    "table",
    "to",
    "type",
    "via",
)
#: Words for a key of a route, which do not resemble it.
V2_ROUTE_WORDS: Mapping[str, str] = {"destination": "to", "gateway": "via", "network": "to"}
#: The texts that both readers of YAML 1.1 and netplan accept for true and false.
FLAGS = ("true", "false", "yes", "no", "on", "off", "y", "n", "1", "0")
