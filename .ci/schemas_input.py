"""Make `schemas/input/`: the schemas of what vmrender reads, which follow the newest release.

    python .ci/schemas_input.py

Run it once the schemas of that release are in `schemas/kubevirt/`, and `LATEST` names it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from renderer.checks.schemas.kubevirt_kinds import KINDS  # noqa: E402 - as above
from renderer.checks.schemas.schema_import import input_files  # noqa: E402 - as above
from renderer.model.digest_list import checksums  # noqa: E402 - as above
from renderer.model.release import LATEST  # noqa: E402 - as for the path above

SCHEMAS = ROOT / "schemas"


def main() -> None:
    folder = SCHEMAS / "kubevirt" / str(LATEST)
    newest = {kind.name: json.loads((folder / kind.file_name).read_bytes()) for kind in KINDS}
    for path, text in input_files(newest).items():
        (SCHEMAS / path).write_text(text)
    files = {path.relative_to(SCHEMAS).as_posix(): path.read_bytes() for path in SCHEMAS.rglob("*.json")}
    (SCHEMAS / "SHA256SUMS").write_text(checksums(files))


if __name__ == "__main__":
    main()
