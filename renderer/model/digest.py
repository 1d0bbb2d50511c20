"""Short digests of JSON trees."""

from __future__ import annotations

import json

from renderer.model.json import Json

_DIGEST_LENGTH = 10


def content_digest(value: Json) -> str:
    """Ten hexadecimal digits that change with the value, and not with the order of its keys."""
    content = json.dumps(value, sort_keys=True, separators=(",", ":"))
    import hashlib  # noqa: PLC0415 - loads OpenSSL, for what few commands do

    return hashlib.sha256(content.encode()).hexdigest()[:_DIGEST_LENGTH]
