"""An object that a template of an overlay with parameters made."""

from __future__ import annotations

from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource
from renderer.model.record import Record


class MadeOfTemplate(Record):
    """An object of a template, as it is written there and as it is made.

    ``parameters`` is the field of the template that declares them, ``place`` the one that has the object.
    """

    template: Resource
    parameters: FieldPath
    place: FieldPath
    written: Resource
    made: Resource
