"""Mask what is confidential in trees and in names: as the tree holds it, before anything writes it."""

from __future__ import annotations

from collections.abc import Callable

from renderer.kubevirt.facts.confidential.parts import hides, opened, without_confidential_parts
from renderer.kubevirt.facts.confidential.scope import Scope
from renderer.model.credential_text.search import without_credentials
from renderer.model.kube.encryption import is_ciphertext
from renderer.model.kube.field_path import ElementName, FieldPath, Segment
from renderer.model.kube.json import (
    Json,
    scalar_text,
)
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.masking import MASK, NOTHING, Masking


def holds_secret(value: Json, secrets: Masking) -> bool:
    """Return True if a key or scalar of a tree contains one of ``secrets``."""
    if isinstance(value, dict):
        return any(holds_secret(each, secrets) for entry in value.items() for each in entry)
    if isinstance(value, list):
        return any(holds_secret(each, secrets) for each in value)
    return contains_secret(value, secrets)


def without_values(value: Json, secrets: Masking) -> Json:
    """Return a tree with ``***`` for each key and scalar that contains one of ``secrets``.

    What code reads from this tree is public, whatever it makes of it.
    """
    if isinstance(value, dict):
        return {
            MASK if contains_secret(key, secrets) else key: without_values(child, secrets)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [without_values(child, secrets) for child in value]
    return MASK if contains_secret(value, secrets) else value


def shown_path(field: FieldPath, secrets: Masking) -> FieldPath:
    """Return the path with ``***`` for each key and name in it that contains one of ``secrets``.

    Of a key that is an address, the credentials are masked.
    """
    return FieldPath(tuple(_shown_segment(segment, secrets) for segment in field.segments))


def public_part(field: FieldPath, secrets: Masking) -> FieldPath:
    """Return the path up to the first key or name in it that ``shown_path`` masks."""
    shown = (_shown_segment(segment, secrets) == segment for segment in field.segments)
    return FieldPath(field.segments[: next((at for at, is_shown in enumerate(shown) if not is_shown), None)])


def _shown_segment(segment: Segment, secrets: Masking) -> Segment:
    if isinstance(segment, ElementName):
        return segment._replace(value=MASK) if contains_secret(segment.value, secrets) else segment
    return masked_key(segment, secrets) if isinstance(segment, str) else segment


def contains_secret(value: Json, secrets: Masking) -> bool:
    """Return True if a scalar contains one of ``secrets``, or is ciphertext."""
    if isinstance(value, str):
        return secrets.is_in(value) or is_ciphertext(value)
    if value is None or isinstance(value, bool | dict | list):
        return False
    return secrets.is_in(scalar_text(value))


def masked(
    value: Json, scope: Scope, secrets: Masking = NOTHING, mask: Callable[[Json], str] = lambda _: MASK
) -> Json:
    """Return a tree with a mask for each confidential part of it, keys included.

    Every scalar that contains one of ``secrets`` is confidential; of another text, some parts may be
    (``without_confidential_parts``). ``mask`` makes the text for a value.
    """
    if hides(value, scope):
        return value if value is None or value in ({}, []) else mask(value)
    if isinstance(value, dict):
        scope_of = opened(value, scope)
        return {
            masked_key(key, secrets, mask): masked(child, scope_of(key), secrets, mask)
            for key, child in value.items()
        }
    if isinstance(value, list):
        scope_of = opened(value, scope)
        return [masked(child, scope_of(index), secrets, mask) for index, child in enumerate(value)]
    if contains_secret(value, secrets):
        return mask(value)
    if not isinstance(value, str):
        return value
    return without_confidential_parts(value, scope.area, mask)


def masked_key(key: str, secrets: Masking, mask: Callable[[Json], str] = lambda _: MASK) -> str:
    """Return a key of a mapping, with a mask for one of ``secrets`` in it and for its credentials."""
    if contains_secret(key, secrets):
        return mask(key)
    return key if key.isidentifier() else without_credentials(key, mask)  # most keys are words


def shown_id(identity: ResId, secrets: Masking) -> ResId:
    """Return the id of an object with ``***`` for each of ``secrets`` in its kind and names.

    The group is masked for a value that is in the API version across the slash.
    """
    gvk = Gvk(*map(secrets.mask, identity.gvk))
    if secrets.is_in(gvk.api_version):
        gvk = gvk._replace(group=MASK)
    return ResId(gvk, secrets.mask(identity.name), secrets.mask(identity.namespace))
