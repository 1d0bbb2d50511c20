"""References to container images, as container runtimes parse them.

Source: https://github.com/distribution/reference, ``regexp.go`` and ``normalize.go``.
"""

from __future__ import annotations

from renderer.model.pattern import pattern

_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
_DOMAIN = rf"(?:{_HOST}|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_COMPONENT = r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*"
#: The first part is a registry if it looks like one (``splitDockerDomain``).
_REGISTRY = rf"(?=localhost/|[^/]*[.:A-Z]){_DOMAIN}/"
_IMAGE = pattern(
    rf"(?:{_REGISTRY})?(?P<repository>{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,})?",
)
#: ``RepositoryNameTotalLengthMax``, and the longest text that is matched.
_LONGEST_REPOSITORY, _LONGEST_IMAGE = 255, 4096
_SHA256 = pattern(r".*@sha256:[0-9a-f]{64}")


def image_problem(image: str) -> tuple[str, str] | None:
    """Return the problem of an image reference, and a hint; None for a valid reference."""
    if not image:
        return "the image has no name", "write one, such as quay.io/containerdisks/fedora:43"
    match = _IMAGE.fullmatch(image) if len(image) <= _LONGEST_IMAGE else None
    message = f"invalid image reference {image!r}"
    length = len(match["repository"]) if match else len(image)
    if length > (_LONGEST_REPOSITORY if match else _LONGEST_IMAGE):
        hint = f"shorten it: a repository has at most {_LONGEST_REPOSITORY} characters, not {length}"
        return message, hint
    if match is None or ("@sha256:" in image and _SHA256.fullmatch(image) is None):
        return message, _hint(image)
    return None


def _hint(image: str) -> str:
    if "://" in image:
        return f"leave out {image.partition('://')[0]}://"
    if image != image.strip() or " " in image:
        return "remove the spaces"
    if "@sha256:" in image:
        return "a digest has sha256: and 64 hexadecimal digits"
    if image != image.lower():
        return "the path of an image has lower-case letters only"
    return "write it as registry/path:tag, or registry/path@sha256:digest"
