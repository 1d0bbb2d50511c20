"""The keywords of our schemas that are not JSON Schema's own."""

from __future__ import annotations

#: Beside ``enum``: the severity of other values, ``warning`` where KubeVirt takes them.
SEVERITY = "x-vmrender-severity"

#: Upstream's: the API server keeps unknown fields here. They are refused all the same, as KubeVirt's
#: webhooks do, unless the schema names no fields at all.
PRESERVED = "x-kubernetes-preserve-unknown-fields"

#: Upstream's: the fields by which the elements of a list are told apart.
LIST_KEYS = "x-kubernetes-list-map-keys"
