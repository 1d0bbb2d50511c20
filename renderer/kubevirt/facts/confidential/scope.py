"""Where in an object a value is, as far as it decides whether the value is confidential."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.confidential.fields import is_path_entry
from renderer.kubevirt.facts.confidential.template_names import is_used
from renderer.model.credential_text.form import is_credential_value
from renderer.model.credential_text.names import names_credential
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json
from renderer.model.pattern import pattern
from renderer.model.placeholders import without_placeholders

#: A text in the place of a mapping: ``name=value``, or ``name value``.
_ASSIGNED_NAME = pattern(r"\s*([\w.-]{1,80})(?:\s{0,9}([=:])|\s)")
#: What ResourceSets and shells put in later.
_TAG = pattern(r"<<[^<>\n]{0,200}>>|\$\(\w{1,200}\)|\$\w{1,200}")
#: The characters of names of entries, and of labels and annotations.
_NAME = pattern(r"[-._/A-Za-z0-9]*")


class Area(Enum):
    """The section of an object that a value is in."""

    OBJECT = auto()
    ENTRIES = auto()  # of a Secret: each entry is a value
    SEALED = auto()  # of a SealedSecret: what is not sealed is a value
    REFERENCES = auto()  # all scalars are confidential, except the names of other objects
    GENERATORS = auto()  # the entries of secretGenerator, and a SecretGenerator
    FILES = auto()  # the paths of files that a generator reads
    CHART = auto()  # the values of a chart
    PARAMETERS = auto()  # of a Template or of a chart, with names
    INPUTS = auto()  # of a ResourceSet, or parameters of an ApplicationSet
    GENERATORS_OF_SET = auto()  # of an ApplicationSet
    METADATA = auto()  # of a Secret
    KERNEL_ARGUMENTS = auto()  # a text
    HEADERS = auto()  # texts
    HEADERS_BY_NAME = auto()  # a mapping
    PASSWORDS = auto()  # texts, except the names of other objects
    REFERENCE = auto()  # to a Secret: names, or a value in their place
    COMMAND = auto()  # a text, or a list of arguments


AREAS_OF_TOOLS = frozenset({Area.CHART, Area.INPUTS, Area.PARAMETERS})


class Scope(NamedTuple):
    """What the way from the root of an object says about a value.

    ``is_hidden``: it is confidential as a whole; ``is_secret``: as a value of a Secret, which may occur
    elsewhere; ``is_start_data``: only the credentials in it may. ``kind`` is the kind of the object around
    it, ``target`` the kind that a patch is for. ``parameters`` are the names of parameters that confidential
    fields use. ``is_among_secrets``: a key on the way names Secrets; ``is_among_variables``: it is an element
    of a list of variables. ``depth`` is the number of texts around it. ``command`` has the arguments before
    the first one of ``args``.
    """

    area: Area = Area.OBJECT
    kind: str = ""
    is_root: bool = False
    is_hidden: bool = False
    is_secret: bool = False
    target: str = ""
    parameters: frozenset[str] = frozenset()
    is_among_secrets: bool = False
    is_among_variables: bool = False
    depth: int = 0
    command: tuple[str, ...] = ()
    is_start_data: bool = False

    def hides(self, value: Json) -> bool:
        """Return True if the value is confidential as a whole, whatever a text in it says."""
        if self.is_hidden:
            return True
        if isinstance(value, dict | list):
            return False
        if self.area is Area.FILES:
            return not (isinstance(value, str) and is_path_entry(value))
        if self.area is Area.REFERENCE:
            return is_content(value)
        if self.area is Area.HEADERS:  # the name of a header is public
            return value is not None and not (isinstance(value, str) and ":" in value)
        if self.area in AREAS_OF_TOOLS and isinstance(value, str):  # in the place of a mapping
            name = _ASSIGNED_NAME.match(value)
            is_parameter = self.area is not Area.CHART and name and is_used(name[1], self.parameters)
            return bool(is_parameter or (name and name[2] and names_credential(name[1])))
        return self.area is Area.REFERENCES or (self.area is Area.PASSWORDS and is_credential_value(value))

    def hidden(self, *, is_secret: bool = False) -> Scope:
        return self._replace(is_hidden=True, is_secret=self.is_secret or is_secret)

    def within(self, area: Area) -> Scope:
        return self._replace(area=area, is_root=False)


#: Returns the scope of a child of a mapping or list by its key.
ScopeOf: TypeAlias = Callable[[Segment], Scope]


def root_scope(kind: str = "", target: str = "") -> Scope:
    """Return the scope of a whole object.

    ``kind`` counts if the object has none; ``target`` is the kind that counts whatever kind it has.
    """
    return Scope(kind=kind, is_root=True, target=target)


def is_content(value: Json) -> bool:
    """Return True for a text in the place of a name that cannot be one, whatever is put in later."""
    if not isinstance(value, str) or is_name(value):
        return False
    text = _TAG.sub("", without_placeholders(value, ""))
    return not is_name(text) and is_credential_value(text)


def is_name(key: object) -> bool:
    """Return True if an entry, a label or an annotation can have the name."""
    return not isinstance(key, str) or _NAME.fullmatch(key) is not None
