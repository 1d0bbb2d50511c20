"""Build what a release publishes, twice, and fail where the bytes differ.

    python .ci/release/build.py FOLDER [--pyz]

FOLDER gets the sdist, the wheel that is built from it, the bills of materials and ``SHA256SUMS``; with
``--pyz`` also ``vmrender-VERSION-TAG.pyz``, which runs on the version of Python and the platform that it is
built with. Every time in the files is that of the commit, or ``SOURCE_DATE_EPOCH``.
Nothing is fetched but what ``.ci/lock/vmrender.txt`` names, by hash, and that for ``--pyz`` alone.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / ".ci/lock/vmrender.txt"
#: Files of an installation that tell where and how it was made.
OF_THE_INSTALLATION = ("direct_url.json", "RECORD", "REQUESTED", "INSTALLER")


def version() -> str:
    """Return the version, which stands in ``renderer/__init__.py`` and nowhere else."""
    return str(runpy.run_path(str(ROOT / "renderer/__init__.py"))["__version__"])


def time_of_the_commit() -> str:
    """Return ``SOURCE_DATE_EPOCH``, or the time of the commit in seconds since 1970."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return os.environ["SOURCE_DATE_EPOCH"]
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603 - fixed


def run(*command: str) -> None:
    environment = os.environ | {"SOURCE_DATE_EPOCH": time_of_the_commit(), "PYTHONHASHSEED": "0"}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603 - no shell, our own


def build_distributions(folder: Path) -> None:
    """Write the sdist, and the wheel that is built from it, into ``folder``."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))


def build_pyz(wheel: Path, folder: Path) -> None:
    """Write ``vmrender-VERSION-TAG.pyz``: the wheel and all that it needs, unpacked when it is first run."""
    with tempfile.TemporaryDirectory() as temporary:
        site = Path(temporary) / "site-packages"
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(site)]
        run(*install, "--require-hashes", "--only-binary", ":all:", "-r", str(LOCK))
        run(*install, "--no-index", "--no-deps", str(wheel))
        shutil.rmtree(site / "bin", ignore_errors=True)
        for file in site.glob("*.dist-info/*"):
            if file.name in OF_THE_INSTALLATION:
                file.unlink()
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        tag = f"cp{sys.version_info.major}{sys.version_info.minor}-{platform}"
        options = [
            "--site-packages",
            str(site),
            "--console-script",
            "vmrender",
            "--reproducible",
            "--compressed",
        ]
        python = f"/usr/bin/env python{sys.version_info.major}.{sys.version_info.minor}"
        target = folder / f"vmrender-{version()}-{tag}.pyz"
        run(sys.executable, "-m", "shiv", *options, "--python", python, "--output-file", str(target))


def build(folder: Path, *, pyz: bool) -> None:
    build_distributions(folder)
    if pyz:
        build_pyz(next(folder.glob("*.whl")), folder)


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in ``folder``, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def main(folder: Path, *, pyz: bool) -> int:
    """Build twice and compare; return the exit code."""
    folder.mkdir(parents=True)
    build(folder, pyz=pyz)
    with tempfile.TemporaryDirectory() as again:
        build(Path(again), pyz=pyz)
        first, second = digests(folder), digests(Path(again))
    if first != second:
        different = sorted({name for name, _ in first.items() ^ second.items()})
        sys.stderr.write(f"built again, these have other bytes: {', '.join(different)}\n")
        return 1
    for bill in sorted((ROOT / ".ci/sbom").glob("*.json")):
        shutil.copy(bill, folder)
    sums = "".join(f"{digest}  {name}\n" for name, digest in digests(folder).items())
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    sys.stdout.write(sums)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--pyz", action="store_true", help="build vmrender.pyz, too")
    given = parser.parse_args()
    sys.exit(main(given.folder, pyz=given.pyz))
