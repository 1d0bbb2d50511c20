"""The group, version and kinds of vmrender's own API: what people write in files of theirs."""

from __future__ import annotations

VMRENDER_GROUP = "vmrender.io"
VMRENDER_VERSION = "v1alpha1"
VMRENDER_API_VERSION = f"{VMRENDER_GROUP}/{VMRENDER_VERSION}"

RENDER_CONFIG = "RenderConfig"
INSTANCETYPE_SERIES = "InstancetypeSeries"
TEMPLATE = "Template"
