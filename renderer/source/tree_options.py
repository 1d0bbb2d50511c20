"""What ``vmrender.yaml`` says of the rendered tree, for the project and for an overlay."""

from __future__ import annotations

from renderer.model.fields import Fields
from renderer.model.render_config import Extra, TreeOptions, WebhookField, check_file_pattern

TREE_FIELDS = ("files", "extras", "syncWaves", "webhookFields")


def read_tree_options(fields: Fields) -> TreeOptions:
    if "files" in fields and "layout" in fields:
        fields.reject("layout", "layout and files both say what goes into which file", "drop layout")
    return TreeOptions(
        files=_files(fields),
        extras=fields.choices("extras", Extra) if "extras" in fields else None,
        sync_waves=fields.flag("syncWaves"),
        webhook_fields=fields.choices("webhookFields", WebhookField) if "webhookFields" in fields else None,
    )


def _files(fields: Fields) -> str | None:
    text = fields.text("files")
    if text is None:
        return None
    try:
        return check_file_pattern(text)
    except ValueError as error:
        fields.reject("files", f"files cannot be {text!r}: {error}")
        return None
