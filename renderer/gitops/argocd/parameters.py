"""Parameter sets of ApplicationSets: the output of a generator and the input of templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from renderer.golang.template import GoTemplateError, render
from renderer.golang.template.cost import ACTIVITY
from renderer.golang.template.values import TextMap, format_value, go_value
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json
from renderer.model.kube.label_selector import Requirement, SelectorError, read_selector
from renderer.model.run.limits import limits
from renderer.model.run.work import spend

_FUNCTIONS_HINT = "docs/existing-repositories.md lists the functions that templates may use"
_MISSING_VALUE_ERRORS = ("no entry for key", "can't evaluate field")
_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_STEPS_PER_TEXT, _CHARACTERS_PER_STEP = 8, 8
#: A longer text fits into no Application, as the API server stores at most 1.5 MiB.
_LONGEST_TEXT = 1 << 20
#: Values by name: only strings without ``goTemplate``, any structure with it.
Parameters: TypeAlias = dict[str, object]


class SetError(ValueError):
    """An ApplicationSet that cannot be evaluated; the text says why.

    ``field`` is the path from the rendered value to the text that fails.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.field: tuple[Segment, ...] = ()


class _UnclosedTagError(ValueError):
    """The text has ``{{`` without a following ``}}``."""


class Rendering(NamedTuple):
    """How the templates of one ApplicationSet are rendered (``applicationset/utils/utils.go`` Render)."""

    go_template: bool = False
    options: tuple[str, ...] = ()

    def text(self, text: str, values: Mapping[str, object]) -> str:
        """Render one text. Raises ``SetError``."""
        spend(_STEPS_PER_TEXT + len(text) // _CHARACTERS_PER_STEP, ACTIVITY)
        try:
            if self.go_template:
                rendered = render(text, values, self.options)
            else:
                rendered = _with_tags_replaced(text, values)
        except GoTemplateError as error:
            raise SetError(f"{_named(text)} fails: {error}", _FUNCTIONS_HINT) from None
        except _UnclosedTagError as error:
            raise SetError(f"{_named(text)} fails: {error}") from None
        if len(rendered) > max(len(text), _LONGEST_TEXT):
            raise SetError(f"{_named(text)} makes more than {_LONGEST_TEXT} characters")
        return rendered

    def deeply(self, value: Json, values: Mapping[str, object]) -> Json:
        """Return ``value`` with every string and every key rendered. Raises ``SetError``."""
        if isinstance(value, str):
            return self.text(value, values)
        if isinstance(value, dict):
            return {self.text(key, values): self._child(key, each, values) for key, each in value.items()}
        if isinstance(value, list):
            return [self._child(index, each, values) for index, each in enumerate(value)]
        return value

    def _child(self, segment: Segment, value: Json, values: Mapping[str, object]) -> Json:
        try:
            return self.deeply(value, values)
        except SetError as error:
            error.field = (segment, *error.field)
            raise

    def with_values(self, written_values: Mapping[str, Json], parameters: Parameters) -> Parameters:
        """Return ``parameters`` and the generator's own ``values``, rendered with them.

        ``value_interpolation.go``.
        """
        rendered = {key: self.text(_as_text(value), parameters) for key, value in written_values.items()}
        if not rendered:
            return parameters
        if self.go_template:
            return {**parameters, "values": TextMap(rendered)}
        return {**parameters, **{f"values.{key}": value for key, value in rendered.items()}}

    def keeping_unknown(
        self, written_values: Mapping[str, Json], values: Mapping[str, object]
    ) -> dict[str, Json]:
        """Return ``values`` of a matrix's second generator with the parameters of the first one filled in."""
        others = (option for option in self.options if not option.startswith("missingkey="))
        strict = self._replace(options=(*others, "missingkey=error"))
        rendered: dict[str, Json] = {}
        for key, value in written_values.items():
            try:
                rendered[key] = strict.text(_as_text(value), values)
            except SetError as error:
                if not any(sign in str(error) for sign in _MISSING_VALUE_ERRORS):
                    raise
                rendered[key] = value
        return rendered


def decoded(value: Json) -> object:
    """Return a value of YAML or JSON as Go decodes it. Raises ``SetError``."""
    try:
        return go_value(value)
    except GoTemplateError as error:
        raise SetError(str(error)) from None


def flattened(parameters: Mapping[str, object]) -> dict[str, str]:
    """Return parameters as selectors see them: ``a.b`` for nested values, every value as text."""
    flat: dict[str, str] = {}
    _flatten(parameters, "", lambda key, value: flat.__setitem__(key, format_value(value, nested=True)))
    return flat


def combine(one: Parameters, other: Parameters) -> Parameters:
    """Merge both, as texts (``applicationset/utils/map.go``). Raises ``SetError`` if they disagree."""
    texts = {key: format_value(value, nested=True) for key, value in one.items()}
    for key, value in other.items():
        text = format_value(value, nested=True)
        if texts.setdefault(key, text) != text:
            raise SetError(
                f"both generators of the matrix have a parameter {key}, with different values",
                "give one of them another name, or use goTemplate: true, where the first one's value counts",
            )
    return dict(texts)


def requirements_of(selector: Json) -> tuple[Requirement, ...]:
    """Return the requirements of a label selector; empty if it selects everything. Raises ``SetError``."""
    try:
        return read_selector(selector)
    except SelectorError as error:
        raise SetError(str(error), error.hint) from None


def _flatten(value: object, prefix: str, note: Callable[[str, object], None]) -> None:
    """Flatten as ``jeremywohl/flatten`` with dots; empty mappings and lists stay."""
    entries: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    elif prefix:
        note(prefix, value)
        return
    found = False
    for key, each in entries:
        found = True
        _flatten(each, f"{prefix}.{key}" if prefix else str(key), note)
    if not found and prefix:
        note(prefix, value)


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else format_value(value, nested=True)


def _named(text: str) -> str:
    """Return how a message names a template: a text of several lines, such as a patch, is not repeated."""
    text = text.strip()
    if "\n" in text:
        return "the template"
    return f"the template {text if len(text) <= 60 else f'{text[:57]}...'}"  # noqa: PLR2004 - on one line


def _with_tags_replaced(text: str, values: Mapping[str, object]) -> str:
    """Replace ``{{ name }}`` with the values of known names; everything else stays.

    argo-cd ``applicationset/utils``, for sets without ``goTemplate``. Raises ``_UnclosedTagError``, and
    ``GoTemplateError`` for an output that is too long.
    """
    if not any("}}" in line.partition("{{")[2] for line in text.split("\n")):
        return text
    if text.find("{{", text.rfind("}}")) >= 0:
        raise _UnclosedTagError("a {{ is never closed")

    length = 0

    def value(match: re.Match[str]) -> str:
        nonlocal length
        found = values.get(match[1].strip())
        replacement = found if isinstance(found, str) and match[1].strip() else match[0]
        length += len(replacement)
        spend(1 + len(replacement) // _CHARACTERS_PER_STEP, ACTIVITY)
        if length > limits().template_output:
            raise GoTemplateError(f"the output has more than {limits().template_output} characters")
        return replacement

    return _TAG.sub(value, text)
