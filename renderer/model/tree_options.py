"""What a project may ask of its rendered trees beyond the manifests themselves."""

from __future__ import annotations

from enum import StrEnum

from renderer.model.record import Record


class Extra(StrEnum):
    """Files for people and tools, beside the manifests."""

    KUSTOMIZATION = "kustomization"  # for Flux: lists the files, so that it applies these and no others
    GITATTRIBUTES = "gitattributes"  # marks the files as generated, and keeps their line ends
    README = "readme"


class WebhookField(StrEnum):
    """Fields that KubeVirt's mutating webhook fills in when they are not written."""

    MATCHER_KIND = "matcherKind"
    ARCHITECTURE = "architecture"
    MACHINE = "machine"
    STORAGE_CLASS = "storageClass"
    FIRMWARE = "firmware"
    PCI_TOPOLOGY = "pciTopology"


class TreeOptions(Record):
    """What is left out is None and comes from further up.

    ``files`` is a pattern (``model.file_pattern``).
    """

    files: str | None = None
    extras: tuple[Extra, ...] | None = None
    sync_waves: bool | None = None
    webhook_fields: tuple[WebhookField, ...] | None = None

    def over(self, other: TreeOptions) -> TreeOptions:
        """An overlay's options completed by the project's."""
        return TreeOptions(
            self.files or other.files,
            other.extras if self.extras is None else self.extras,
            other.sync_waves if self.sync_waves is None else self.sync_waves,
            other.webhook_fields if self.webhook_fields is None else self.webhook_fields,
        )
