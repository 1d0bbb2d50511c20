"""The readers of guest data accept any bytes, and point at lines that the data has."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from renderer.checks.rules.network_data import network_data_problems
from renderer.checks.rules.user_data import user_data_problems
from renderer.kubevirt.guest_data.cloud_config import KEYS
from renderer.kubevirt.guest_data.credentials import credentials_in_answer_file, credentials_in_user_data
from renderer.kubevirt.guest_data.network_config import V1_DEVICE_KEYS, V2_DEVICE_KEYS, V2_KEYS

_WORDS = st.sampled_from((*KEYS, *V1_DEVICE_KEYS, *V2_DEVICE_KEYS, *V2_KEYS, "network", "config", "ignition"))
_SCALARS = st.none() | st.booleans() | st.integers(0, 3) | st.floats(0, 3) | _WORDS | st.just("10.0.0.1/24")
_TREES = st.recursive(
    _SCALARS,
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(_WORDS | st.text(max_size=3), below, max_size=4)
    ),
    max_leaves=12,
)
_TEXTS = st.text(max_size=60) | st.builds(lambda tree: json.dumps(tree, indent=1), _TREES)


@given(_TEXTS, st.sampled_from(("", "#cloud-config\n", "## template: jinja\n", "#cloud-config-archive\n")))
@example("MIME-Version: 1.0\nContent-Type: multipart/mixed", "")
@example("\ufeff", "")
def test_user_data_of_any_form_is_read(text: str, header: str) -> None:
    content = (header + text).encode("utf-8", "replace")
    lines = content.decode("utf-8", "replace").count("\n") + 1

    for problem in user_data_problems(content, "userData"):
        assert 0 <= problem.line <= lines + 1
    for credential in credentials_in_user_data(content):
        assert credential.what


@given(_TREES, st.booleans(), st.booleans())
def test_network_data_of_any_form_is_read(tree: object, is_openstack: bool, has_version: bool) -> None:  # noqa: FBT001
    data = {"version": 2, **tree} if has_version and isinstance(tree, dict) else tree
    content = json.dumps(data, indent=1).encode()

    for problem in network_data_problems(content, "networkData", is_openstack=is_openstack):
        assert 1 <= problem.line <= content.count(b"\n") + 1


@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_read(content: bytes) -> None:
    user_data_problems(content, "userData")
    network_data_problems(content, "networkData", is_openstack=False)
    assert list(credentials_in_answer_file(content)) == []
