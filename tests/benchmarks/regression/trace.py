"""``python trace.py FILE ARGUMENT…`` is vmrender with these arguments, and writes what it did into ``FILE``.

Nothing is imported here before it that it may import itself.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # the name alone is what type checkers know
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

_LIBRARIES = "libraries"


def main() -> None:
    file, *sys.argv[1:] = sys.argv[1:]
    counts: dict[CodeType, int] = {}

    def count(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ANN401 - as the interpreter has it
        if event == "opcode":
            counts[frame.f_code] = counts.get(frame.f_code, 0) + 1
        elif event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return count

    code: Any = None
    sys.settrace(count)
    try:
        from renderer.cli.app import main as vmrender  # noqa: PLC0415 - is counted, too

        vmrender()
    except SystemExit as end:
        code = end.code
    finally:
        sys.settrace(None)
    _write(file, counts)
    sys.exit(code)


def _write(file: str, counts: dict[CodeType, int]) -> None:
    import json  # noqa: PLC0415 - as the module says
    from pathlib import Path  # noqa: PLC0415 - as the module says

    import renderer  # noqa: PLC0415 - as the module says

    package = f"{Path(renderer.__file__).parent}/"
    stages: dict[str, int] = {}
    for code, instructions in counts.items():
        stage = _stage(code.co_filename, package)
        stages[stage] = stages.get(stage, 0) + instructions
    Path(file).write_text(json.dumps(stages), encoding="utf-8")


def _stage(file: str, package: str) -> str:
    """The folder of ``package`` that it is in."""
    if not file.startswith(package):
        return _LIBRARIES
    folder, slash, _ = file.removeprefix(package).partition("/")
    return folder if slash else "cli"


if __name__ == "__main__":
    main()
