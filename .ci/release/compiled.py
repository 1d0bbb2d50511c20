"""Compile the modules in which a render spends its time, with mypyc: a wheel for one Python and platform.

    HATCH_BUILD_HOOK_ENABLE_CUSTOM=true python -m build --wheel --no-isolation

Without that variable this file is not read, and the wheel is the pure one. The sources are in both wheels.
``python .ci/release/compiled.py FOLDER`` compiles the modules of a copy of the checkout, in place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Relative to ``renderer/``: each takes part in what a render does for each resource. A class of one of them
#: may not be the base of an interpreted class.
MODULES = (
    "admitters/boot_order",
    "admitters/check_table",
    "admitters/data_volume_templates",
    "admitters/vm",
    "admitters/vmi_spec",
    "admitters/volumes",
    "compose/fields/field_specs",
    "compose/identity",
    "compose/json_patch",
    "compose/merge_keys/kubevirt",
    "compose/merge_keys/merge_schema",
    "compose/merge_keys/replaced_lists",
    "compose/res_map",
    "compose/selection",
    "compose/strategic_merge",
    "compose/transformers/name_affixes",
    "emit/layout",
    "emit/ownership",
    "instancetype/admission_requests",
    "instancetype/apply/cpu",
    "instancetype/apply/memory",
    "instancetype/apply/vmi",
    "instancetype/defaults",
    "instancetype/expand",
    "instancetype/find",
    "instancetype/matcher",
    "instancetype/preference/devices",
    "instancetype/preference/set_when_absent",
    "instancetype/preference/vmi",
    "instancetype/requirements",
    "instancetype/resolve",
    "instancetype/virtual_machine",
    "instancetype/vmi_template",
    "model/field_path",
    "model/json",
    "model/limits",
    "model/list_elements",
    "model/resource",
    "model/work",
    "rules/duplicates",
    "source/resources",
    "validation/surely_valid",
    "yamlio/builder",
    "yamlio/decode",
    "yamlio/dialects",
    "yamlio/encode",
    "yamlio/events",
)

#: What mypyc compiles to something else than Python runs: it gives no docstring to a module, computes a
#: ``cached_property`` each time, and bases a ``TextEnum`` on ``enum``.
NOT_COMPILED = re.compile(r"\b__doc__\b|\bcached_property\b|^class \w+\(TextEnum\)", re.MULTILINE)
_SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def compile_in(folder: Path) -> list[Path]:
    """Compile the modules of the checkout in ``folder`` beside their sources; return the new files."""
    sources = [f"renderer/{module}.py" for module in MODULES]
    refused = [name for name in sources if NOT_COMPILED.search((folder / name).read_text(encoding="utf-8"))]
    if refused:
        raise SystemExit(f"mypyc compiles these to something else: {', '.join(refused)}")
    (folder / "pyproject.toml").rename(folder / "mypy.toml")  # setuptools would take it for its own
    try:
        command = [sys.executable, "-P", str(Path(__file__).resolve()), "--here", *sources]
        subprocess.run(command, check=True, cwd=folder, env=os.environ | {"CFLAGS": "-g0 -w"})  # noqa: S603 - ourselves
    finally:
        (folder / "mypy.toml").rename(folder / "pyproject.toml")
    shutil.rmtree(folder / "build")
    return sorted(folder.glob(f"*{_SUFFIX}")) + sorted(folder.glob(f"renderer/**/*{_SUFFIX}"))


def _compile_here(sources: list[str]) -> None:
    """Call mypyc and the C compiler. Both look at the folder that the process stands in."""
    from mypyc.build import mypycify  # noqa: PLC0415 - a pure wheel needs neither
    from setuptools import setup  # type: ignore[import-untyped] # noqa: PLC0415 - as above

    options = ["--config-file", "mypy.toml", *sources]
    extensions = mypycify(
        options, only_compile_paths=sources, opt_level="2", debug_level="0", group_name="vmrender"
    )
    setup(
        name="vmrender",
        packages=[],
        ext_modules=extensions,
        script_args=["build_ext", "--inplace", "--quiet"],
    )


class CompiledModules(BuildHookInterface):  # type: ignore[type-arg] # of any configuration
    """Adds the compiled modules to a wheel, and names its Python and platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self.folder = Path(tempfile.mkdtemp())
        shutil.copytree(Path(self.root, "renderer"), self.folder / "renderer")
        shutil.copy(Path(self.root, "pyproject.toml"), self.folder)
        for file in compile_in(self.folder):
            build_data["force_include"][str(file)] = file.relative_to(self.folder).as_posix()
        build_data |= {"pure_python": False, "infer_tag": True}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 - hatchling's
        if version != "editable":
            shutil.rmtree(self.folder)


if __name__ == "__main__":
    if sys.argv[1] == "--here":
        _compile_here(sys.argv[2:])
    else:
        sys.stdout.writelines(f"{file}\n" for file in compile_in(Path(sys.argv[1])))
