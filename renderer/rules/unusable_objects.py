"""Values of DataVolumes and networks that CDI and Multus cannot use (rule ``unusable-value``)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from renderer.kubevirt.placeholders import has_placeholder
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at

#: A field below the object's spec, what is wrong with it, and what to do.
Problem: TypeAlias = tuple[tuple[str, ...], str, str | None]

_SOURCES = ("blank", "gcs", "http", "imageio", "pvc", "registry", "s3", "snapshot", "upload", "vddk")
_SCHEMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("gcs", "http", "imageio", "s3", "vddk"), ("http", "https", "gs")),
    "registry": ("docker", "oci-archive"),
}
_SIZE = ("resources", "requests", "storage")


def data_volume_problems(spec: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a DataVolume (CDI ``pkg/apiserver/webhooks/datavolume-validate.go``)."""
    source, targets = (
        object_at(spec, "source"),
        [key for key in ("pvc", "storage") if spec.get(key) is not None],
    )
    given = [name for name in _SOURCES if source.get(name) is not None]
    is_filled = spec.get("sourceRef") is not None or any(
        _is_populated(object_at(spec, key)) for key in targets
    )
    if not targets:
        yield (), "the DataVolume has neither storage nor pvc", "add storage with the size"
    elif len(targets) > 1:
        yield ("pvc",), "the DataVolume has both storage and pvc", "keep one of them"
    else:
        yield from _target_problems(targets[0], spec, is_copied={"pvc", "snapshot"}.intersection(given))
    if len(given) > 1:
        yield ("source",), f"the DataVolume has more than one source: {', '.join(given)}", "keep one of them"
    elif given and spec.get("sourceRef") is not None:
        yield ("sourceRef",), "the DataVolume has both source and sourceRef", "keep one of them"
    elif not given and not is_filled:
        yield ("source",), "the DataVolume does not say what it is filled from", "add source or sourceRef"
    yield from _source_problems(source)


def _is_populated(target: JsonObject) -> bool:
    return target.get("dataSource") is not None or target.get("dataSourceRef") is not None


def _target_problems(key: str, spec: JsonObject, *, is_copied: Collection[str]) -> Iterator[Problem]:
    """``validateStorageSize``; too small sizes are told by another rule."""
    target = object_at(spec, key)
    may_lack_size = key == "storage" and (is_copied or spec.get("sourceRef") is not None)
    if not may_lack_size and object_at(target, *_SIZE[:-1]).get(_SIZE[-1]) is None:
        message = f"{key} has no size, and only what is copied from another volume has one of its own"
        yield (key,), message, f"add {'.'.join(_SIZE)}"
    modes = array_at(target, "accessModes")
    if key == "pvc" and len(modes) != 1:
        yield (
            ("pvc",),
            f"CDI takes a pvc with one access mode, not {len(modes)}",
            "or write storage in its place",
        )


def _source_problems(source: JsonObject) -> Iterator[Problem]:
    for name, schemes in _SCHEMES.items():
        url = object_at(source, name).get("url")
        if not isinstance(url, str) or has_placeholder(url):
            continue
        if url.partition("://")[0].lower() not in schemes or "://" not in url:
            begins = " or ".join(f"{known}://" for known in schemes)
            yield ("source", name, "url"), f"the URL of the source {name} does not begin with {begins}", None


def network_problems(spec: JsonObject) -> Iterator[Problem]:
    """Yield what is wrong with a NetworkAttachmentDefinition (Multus ``pkg/types/conf.go``)."""
    written = spec.get("config")
    if not isinstance(written, str) or not written or has_placeholder(written):
        return
    try:
        config: Json = json.loads(written)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno} of it)" if isinstance(error, json.JSONDecodeError) else ""
        yield ("config",), f"config is no JSON{where}, so no interface can be attached", None
        return
    if not text_at(config, "type") and object_at(config).get("plugins") is None:
        message = "config has neither type nor plugins, so no interface can be attached"
        yield ("config",), message, 'add the CNI plugin, such as "type": "bridge"'
