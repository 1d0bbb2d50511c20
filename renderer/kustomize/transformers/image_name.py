"""The parts of a container image's name, and the lists that have containers (``api/internal/image``)."""

from __future__ import annotations

from renderer.model.record import Record

CONTAINER_LISTS = ("containers", "initContainers")


class ImageName(Record):
    """The parts of an image; ``tag`` and ``digest`` may be empty."""

    name: str
    tag: str
    digest: str

    @classmethod
    def parse(cls, text: str) -> ImageName:
        """Return the parts of an image; a colon before the first slash belongs to the host."""
        start = max(text.find("/"), 0)
        at, colon = text.find("@", start), text.find(":", start)
        if at >= 0 and not start <= colon < at:
            return cls(text[:at], "", text[at + 1 :])
        if colon < 0:
            return cls(text, "", "")
        if at < 0:
            return cls(text[:colon], text[colon + 1 :], "")
        return cls(text[:colon], text[colon + 1 : at], text[at + 1 :])

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.name}{tag}{digest}"
