"""Findings as every writer gets them."""

from __future__ import annotations

import pytest

from renderer.findings.located import Located, LocatedFix, LocatedRelated
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import RemoveField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.location import Location
from renderer.model.kube.res_id import Gvk, ResId
from renderer.report.report import Report

VM = ResId(Gvk("kubevirt.io", "v1", "VirtualMachine"), "db", "prod")
HOSTILE = 'a:b,c%d\r\n<&>"\x1b\x00\ud800]]>'


@pytest.fixture
def report() -> Report:
    return Report(
        (
            Located(
                code=Code.CONFLICT,
                message="cores is set by instance type u1.medium",
                location=Location("overlays/prod/my db.yaml", 23, 15),
                resource=VM,
                field=FieldPath.of("spec", "cores"),
                hint="drop it",
                related=(
                    LocatedRelated("spec.cpu.guest: 1", location=Location("builtin:common/u1.yaml", 41, 3)),
                    LocatedRelated("without a place"),
                ),
                overlays=("overlays/prod",),
                fix=LocatedFix(
                    "overlays/prod/my db.yaml", 0, ROOT, (RemoveField(FieldPath.of("spec", "cores")),), "4"
                ),
            ),
            Located(
                code=Code.YAML_SYNTAX,
                message=HOSTILE,
                location=Location(f"{HOSTILE}.yaml", 2),
                hint=HOSTILE,
                related=(LocatedRelated(HOSTILE, location=Location("-", 1)),),
            ),
            Located(
                code=Code.DEPRECATED, message="old", location=Location("-", 7), severity=Severity.WARNING
            ),
            Located(code=Code.SCHEMA, message="no place at all", severity=Severity.INFO),
        ),
        overlays=("overlays/dev", "overlays/prod"),
    )
