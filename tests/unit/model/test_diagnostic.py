"""The constructors of findings: each sets the places that fit its kind, and nothing else."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.resource import Resource

_SITE = Site("overlays/prod/vm.yaml")
_PATCH = Site("overlays/prod/patch.yaml")
_RESOURCE = Resource(
    {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db"}}, _SITE, (_PATCH,)
)
_FIELD = FieldPath.of("spec", "running")


def test_at_uses_one_site_and_its_subject() -> None:
    related = (Related("the other one"),)
    found = Diagnostic.at(
        _SITE,
        Code.DEPRECATED,
        "message",
        "hint",
        severity=Severity.WARNING,
        resource=_RESOURCE,
        field=_FIELD,
        related=related,
    )
    assert found == Diagnostic(
        code=Code.DEPRECATED,
        message="message",
        severity=Severity.WARNING,
        sites=(_SITE,),
        resource=_RESOURCE.current_id,
        field=_FIELD,
        hint="hint",
        related=related,
    )


def test_at_alone_is_an_error_at_its_site() -> None:
    assert Diagnostic.at(_SITE, Code.SCHEMA, "message") == Diagnostic(Code.SCHEMA, "message", sites=(_SITE,))


def test_in_file_takes_a_path_or_a_known_line() -> None:
    line = Location("vmrender.yaml", 3)
    assert Diagnostic.in_file("vmrender.yaml", Code.SCHEMA, "message") == Diagnostic(
        Code.SCHEMA, "message", location=Location("vmrender.yaml")
    )
    assert Diagnostic.in_file(line, Code.SCHEMA, "message", "hint") == Diagnostic(
        Code.SCHEMA, "message", location=line, hint="hint"
    )


def test_about_names_every_layer_of_the_resource() -> None:
    found = Diagnostic.about(_RESOURCE, _FIELD, Code.SCHEMA, "message")
    assert found.sites == (_PATCH.child(_FIELD), _SITE.child(_FIELD))
    assert (found.resource, found.field) == (_RESOURCE.current_id, _FIELD)


def test_about_a_whole_resource_has_no_field() -> None:
    found = Diagnostic.about(_RESOURCE, None, Code.SCHEMA, "message")
    assert (found.sites, found.field) == ((_PATCH, _SITE), None)


def test_error_carries_the_finding() -> None:
    found = Diagnostic(Code.SCHEMA, "message")
    error = found.error()
    assert isinstance(error, DiagnosticError)
    assert error.diagnostics == (found,)
