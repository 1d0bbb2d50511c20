"""No report shows ciphertext: it is only in the manifests, where Flux decrypts it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from renderer.cli.app import main
from tests.security.git_history import committed
from tests.test_cases import CASES

SOURCES = CASES / "adoption" / "flux-carried"
COMMANDS = (
    *(f"validate --format {name}" for name in ("text", "json", "github", "sarif", "junit", "gitlab")),
    "validate apps/db.yaml apps/secret.sops.yaml apps/sealed-vm.sops.yaml apps/settings.sops.yaml",
    "render --check",
    "render --check --format json",
    *(f"diff --format {name}" for name in ("text", "json", "markdown", "html")),
    *(f"explain {name} --format json" for name in ("secret/db-cloudinit", "vm/sealed", "configmap/settings")),
    *(f"explain {name}" for name in ("secret/db-cloudinit", "vm/sealed", "configmap/settings")),
    "explain configmap/settings data.tier",
    "explain vm/sealed sops.mac",
)
CIPHERTEXT = re.compile(r"ENC\[AES|AGE ENCRYPTED")


@pytest.mark.parametrize("breakage", ["nothing", "a finding at every encrypted value"])
def test_no_report_shows_ciphertext(breakage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("apps", "clusters"):
        shutil.copytree(SOURCES / folder, tmp_path / folder)
    shutil.copy(SOURCES / "vmrender.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert invoked("render")[0] == 0
    committed(tmp_path)
    for path in (tmp_path / "apps").glob("*.sops.yaml"):
        text = path.read_text(encoding="utf-8").replace(",iv:", "A,iv:")
        if breakage != "nothing":
            text = re.sub(r"^( +)(\w+): (ENC.*)$", r"\1\2: \3\n\1\2: \3", text, flags=re.MULTILINE)
        path.write_text(text, encoding="utf-8")
    outputs = {command: invoked(command) for command in COMMANDS}
    if breakage == "nothing":
        assert all(code in (0, 1) for code, _ in outputs.values())
        assert "(withheld)" in outputs["diff --format text"][1]
    assert [command for command, (_, output) in outputs.items() if CIPHERTEXT.search(output)] == []


def invoked(command: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, command.split())
    return result.exit_code, result.output
