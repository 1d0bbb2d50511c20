from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from renderer.cache.known_results import finding_from_json, finding_json
from renderer.findings.located import Located, LocatedFix, LocatedRelated
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import AddField, AddItem, RemoveField, RemoveItem, RenameField, SetField
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.release import Release

TEXTS = st.text(max_size=8)
LOCATIONS = st.builds(Location, TEXTS, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
SEGMENTS = TEXTS | st.integers(0, 9) | st.builds(ElementName, TEXTS, TEXTS)
PATHS = st.builds(FieldPath, st.lists(SEGMENTS, max_size=3).map(tuple))
VALUES = (
    st.none()
    | st.booleans()
    | TEXTS
    | st.lists(TEXTS, max_size=2)
    | st.dictionaries(TEXTS, TEXTS, max_size=2)
)
EDITS = st.one_of(
    st.builds(SetField, PATHS, VALUES),
    st.builds(RenameField, PATHS, TEXTS),
    st.builds(AddField, PATHS, TEXTS, VALUES),
    st.builds(RemoveField, PATHS),
    st.builds(AddItem, PATHS, VALUES, st.booleans()),
    st.builds(RemoveItem, PATHS),
)
FIXES = st.builds(
    LocatedFix,
    path=TEXTS,
    document=st.integers(0, 9),
    inline=PATHS,
    edits=st.lists(EDITS, min_size=1, max_size=2).map(tuple),
    old=st.none() | TEXTS,
)
FINDINGS = st.builds(
    Located,
    code=st.sampled_from([*Code]),
    message=TEXTS,
    severity=st.sampled_from([*Severity]),
    location=st.none() | LOCATIONS,
    resource=st.none() | st.builds(ResId, st.builds(Gvk, TEXTS, TEXTS, TEXTS), TEXTS, TEXTS),
    field=st.none() | PATHS,
    hint=st.none() | TEXTS,
    related=st.lists(st.builds(LocatedRelated, TEXTS, st.none() | LOCATIONS), max_size=2).map(tuple),
    overlays=st.lists(TEXTS, max_size=2).map(tuple),
    target=st.none() | st.builds(Release, st.integers(0, 9), st.integers(0, 9)),
    fix=st.none() | FIXES,
    unmatched_target=st.none() | st.builds(Site, TEXTS, st.integers(0, 9), PATHS, st.none()),
)


@given(FINDINGS)
def test_finding_survives_a_round_trip(found: Located) -> None:
    assert finding_from_json(json.loads(json.dumps(finding_json(found)))) == found
