from __future__ import annotations

from renderer.findings.located import Located, LocatedRelated
from renderer.findings.merged import without_repetitions
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.location import Location
from renderer.model.kube.res_id import Gvk, ResId

VM = ResId(Gvk("kubevirt.io", "v1", "VirtualMachine"), "db")
HERE = Location("vm.yaml", 3, 5)
REFUSED = Located(
    code=Code.SCHEMA, message="schema", location=HERE, field=FieldPath.of("spec", "a"), resource=VM
)


def test_admission_finding_about_the_same_value_is_dropped() -> None:
    same = REFUSED._replace(code=Code.MATCHER_INVALID, message="admission")
    assert without_repetitions([same, REFUSED]) == (REFUSED,)


def test_findings_about_other_fields_lines_or_matters_are_kept() -> None:
    others = (
        REFUSED._replace(code=Code.MATCHER_INVALID, field=FieldPath.of("spec", "b")),
        REFUSED._replace(code=Code.MATCHER_INVALID, location=Location("vm.yaml", 4, 5)),
        REFUSED._replace(code=Code.CONFLICT),
    )
    assert without_repetitions([REFUSED, *others]) == (REFUSED, *others)


def test_error_about_the_same_value_replaces_the_warning_of_a_schema() -> None:
    warning = REFUSED._replace(severity=Severity.WARNING)
    error = REFUSED._replace(code=Code.TOPOLOGY)
    assert without_repetitions([warning, error]) == (error,)
    assert without_repetitions([warning]) == (warning,)


def test_requirement_is_a_consequence_of_a_misspelt_size_of_the_same_machine() -> None:
    misspelt = REFUSED._replace(
        code=Code.UNKNOWN_FIELD, field=FieldPath.of("spec", "instanceType"), overlays=("prod",)
    )
    unmet = REFUSED._replace(code=Code.REQUIREMENT, field=None, overlays=("prod",))
    elsewhere = unmet._replace(overlays=("test",))
    assert without_repetitions([misspelt, unmet, elsewhere]) == (misspelt, elsewhere)
    other = misspelt._replace(field=FieldPath.of("spec", "hostnam"))
    assert without_repetitions([other, unmet]) == (other, unmet)


def test_unserved_version_is_reported_where_it_is_written() -> None:
    used = Located(
        code=Code.API_VERSION,
        message="u",
        location=Location("vm.yaml", 30, 1),
        related=(LocatedRelated("apiVersion", location=HERE),),
    )
    elsewhere = used._replace(
        related=(LocatedRelated("apiVersion", location=Location("builtin:u1.yaml", 1, 1)),)
    )
    assert without_repetitions([REFUSED, used, elsewhere]) == (REFUSED, elsewhere)


def test_quantity_without_a_field_is_reported_by_the_schema_of_its_object() -> None:
    quantity = Located(code=Code.QUANTITY_INVALID, message="q", resource=VM, field=ROOT)
    other = quantity._replace(resource=VM._replace(name="other"))
    assert without_repetitions([REFUSED, quantity, other]) == (REFUSED, other)
