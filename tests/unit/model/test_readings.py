from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from base64 import b64encode, encodebytes, urlsafe_b64encode
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from renderer.kubevirt.facts.confidential.parts import Part
from renderer.kubevirt.facts.confidential.secret_values import readings_of_secrets
from renderer.model.credential_text.search import credentials_in
from renderer.model.encoded_text import content_of_base64
from renderer.model.run.limits import lowered
from renderer.model.run.readings import credential_readings, readings
from renderer.model.run.work import WorkLimitError, begin_run, spent

BASIC = b64encode(b"app:canary-is-a-bird").decode()
LONG = "canary-is-a-bird-" + "x" * 80


@pytest.mark.parametrize(
    "text",
    [
        "canary-is-a-bird",
        "  canary-is-a-bird\n",
        "one line\ncanary-is-a-bird\n",
        '"canary-is-a-bird"',
        "'canary-is-a-bird'",
        '"canary\\u002dis-a-bird"',
        "canary-is-a-bird # of paradise",
        "!!str canary-is-a-bird",
        "&anchor !!str 'canary-is-a-bird'",
        b64encode(b"canary-is-a-bird").decode(),
        b64encode(b"canary-is-a-bird").decode().rstrip("="),
        b64encode(gzip.compress(b"canary-is-a-bird", mtime=0)).decode(),
        *(b64encode(each.compress(b"canary-is-a-bird")).decode() for each in (zlib, bz2, lzma)),
        b64encode("canary-is-a-bird".encode("utf-16")).decode(),
        b64encode("canary-is-a-bird".encode("utf-16-be")).decode(),
        "<Password><![CDATA[canary-is-a-bird]]></Password>",
        BASIC,
        f'{{"auths": {{"registry.example.org": {{"auth": "{BASIC}"}}}}}}',
        b64encode(f'{{"auth": "{BASIC}"}}'.encode()).decode(),
        "postgres://app:canary-is-a-bird@db.example.org:5432/orders?sslmode=require",
        "postgres://app:canary%2Dis%2da-bird@db.example.org/orders",
        "https://canary-is-a-bird@example.org/a/b.git",
        "app:canary-is-a-bird@tcp(db:3306)/orders",
        "jdbc:oracle:thin:app/canary-is-a-bird@//db.example.org:1521/orders",
        "host=db user=app password=canary-is-a-bird sslmode=require",
        "Server=tcp:db,1433; Database=orders; User ID=app; Password=canary-is-a-bird; Encrypt=True",
        "DB_HOST=db\nDB_PASSWORD=canary-is-a-bird\n",
        "export API_KEY='canary-is-a-bird'",
        '{"user": "app", "password": "canary-is-a-bird"}',
        '{"user": "app", "password": "canary\\u002dis-a-bird"}',
        "{user: app, token: canary-is-a-bird}",
        "db:\n  user: app\n  password: canary-is-a-bird # of paradise\n",
        "[default]\naws_secret_access_key = canary-is-a-bird\n",
        "Authorization: Bearer canary-is-a-bird",
        f"Authorization: Basic {BASIC}",
        "machine example.org login app password canary-is-a-bird",
        "chpasswd:\n  list: |\n    root:canary-is-a-bird\n",
        "db.example.org:5432:orders:app:canary-is-a-bird",
        "<AdministratorPassword><Value>canary-is-a-bird</Value></AdministratorPassword>",
    ],
)
def test_readings_contain_the_credential_alone(text: str) -> None:
    assert "canary-is-a-bird" in set(readings(text))


@pytest.mark.parametrize(
    "encoded",
    [
        encodebytes(LONG.encode()).decode(),
        encodebytes(LONG.encode()).decode().replace("\n", "\r\n"),
        urlsafe_b64encode(LONG.encode()).decode().rstrip("="),
    ],
)
def test_readings_contain_what_is_encoded_in_base64(encoded: str) -> None:
    assert LONG in set(readings(encoded))


@pytest.mark.parametrize(
    "text",
    ["1_234_567", "0x12D687", "0X12d687", "0o4553207", "04553207", "+1234567", "1234567.0", "1.234567e6"],
)
def test_readings_of_a_number_contain_its_other_spellings(text: str) -> None:
    assert {"1234567", "1.234567e+06"} <= set(readings(text))


def test_parts_that_are_not_credentials_are_not_read() -> None:
    text = """\
#cloud-config
keyboard: {layout: german}
packages: [qemu-guest-agent]
image: quay.io/containerdisks/fedora:42-latest
url: postgres://app:canary-is-a-bird@db.example.org:5432/orders
other: postgresql://homeassistant@db.example.org/orders
author: somebody
"""
    found = set(readings(text))
    assert "canary-is-a-bird" in found
    public = {
        "german",
        "qemu-guest-agent",
        "42-latest",
        "db.example.org",
        "somebody",
        "orders",
        "Bearer",
        "homeassistant",
    }
    assert found.isdisjoint(public)


def test_short_texts_are_left_out() -> None:
    assert set(readings("short")) == set()
    assert all(len(each) >= 6 for each in readings("a: b\npassword: c\n12345\n"))


@pytest.mark.parametrize(
    "part", ["a", "password", "a:", "a@", "://", "<password", "token ", "'\"", "password='", "x: y\n", "{["]
)
def test_readings_do_not_multiply(part: str) -> None:
    assert len(list(readings(part * 20_000))) < 100


@pytest.mark.parametrize("compress", [bz2.compress, lzma.compress])
def test_a_few_bytes_are_not_unpacked_into_megabytes(compress: Callable[[bytes], bytes]) -> None:
    packed = compress(bytes(1_000_000))
    assert len(content_of_base64(b64encode(packed).decode())) <= 64 * len(packed)


def test_readings_are_counted_before_the_next_part_is_searched() -> None:
    """Compressed text, a credential in a credential in a credential, ends soon after the limit is reached."""
    text = b"key=AAAAAAAAAAAAAAAA:%252541@" * 10_000
    begin_run()
    with lowered({"work": 100_000}), pytest.raises(WorkLimitError):
        readings_of_secrets([Part(b64encode(gzip.compress(text)).decode(), is_secret=True)])
    assert spent() < 200_000


@pytest.mark.parametrize(
    "text", ["Canary-Is-A-Bird", "../canary-is-a-bird", "./canary-is-a-bird/", "x/..//canary-is-a-bird"]
)
def test_readings_contain_names_and_paths_as_programs_write_them(text: str) -> None:
    assert "canary-is-a-bird" in set(readings(text))


def test_path_that_nobody_shortens_has_one_reading_in_plain_text() -> None:
    assert not {each for each in readings("base/overlay-one") if "/" in each} - {"base/overlay-one"}


def test_equal_texts_are_searched_for_credentials_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = Mock(side_effect=credentials_in)
    monkeypatch.setattr("renderer.model.run.readings.credentials_in", searched)
    line = "mount -o username=ops,password=Mount-S3cret //files.example/share /mnt"
    for _ in range(3):
        assert "Mount-S3cret" in {*credential_readings(line)}
    assert [each.args[0] for each in searched.mock_calls].count(line) == 1
