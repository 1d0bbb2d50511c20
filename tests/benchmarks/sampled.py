"""``python sampled.py FILE ARGUMENT…`` is vmrender with these arguments, and writes where its time went.

A thousand times in a second of CPU time, the innermost code of ours is noted. ``FILE`` gets the seconds of
each step. Nothing is imported here before it that costs time.
"""

from __future__ import annotations

import signal
import sys
import time

TYPE_CHECKING = False  # the name alone is what type checkers know
if TYPE_CHECKING:
    from types import FrameType

_INTERVAL = 0.001
#: The step of a module or folder of ``renderer``; the longest prefix of a path counts.
STEP_OF = {
    "app/": "other",
    "authoring/": "compose",
    "cache/": "cache",
    "checks/rules/": "rules",
    "checks/schemas/": "validate",
    "cli/": "command line",
    "diff/": "diff",
    "emit/": "compare, write",
    "emit/bounded_text.py": "encode",
    "emit/durable.py": "write",
    "emit/layout.py": "encode",
    "emit/ownership.py": "hash",
    "files/": "find, read",
    "gitops/": "compose",
    "instancetype_names/": "expand",
    "kubevirt/admission/": "admit",
    "kubevirt/impact/": "diff",
    "kubevirt/instancetype/": "expand",
    "kustomize/": "compose",
    "kustomize/reader/": "find, read",
    "pipeline/": "other",
    "project/": "find, read",
    "provenance/": "explain",
    "report/": "report",
    "yamlio/": "parse",
    "yamlio/encode.py": "encode",
    "yamlio/scalar_text.py": "encode",
}
_PREFIXES = sorted(STEP_OF, key=len, reverse=True)
_IMPORTS, _OTHER = "imports", "other"


def main() -> None:
    file, *sys.argv[1:] = sys.argv[1:]
    samples: dict[str, int] = {}
    before = time.process_time()

    def note(_number: int, frame: FrameType | None) -> None:
        step = _step(frame)
        samples[step] = samples.get(step, 0) + 1

    code: object = None
    signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
    try:
        from renderer.cli.app import main as vmrender  # noqa: PLC0415 - is sampled, too

        vmrender()
    except SystemExit as end:
        code = end.code
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    _write(file, samples, time.process_time() - before, before)
    sys.exit(0 if code is None else 1 if not isinstance(code, int) else code)


def _step(frame: FrameType | None) -> str:
    """The step of the innermost frame that belongs to one; what steps share counts for its caller."""
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith("<frozen importlib"):
            return _IMPORTS
        _, found, path = file.rpartition("/renderer/")
        if found:
            if frame.f_code.co_name == "<module>":
                return _IMPORTS
            for prefix in _PREFIXES:
                if path.startswith(prefix):
                    return STEP_OF[prefix]
        frame = frame.f_back
    return _OTHER


def _write(file: str, samples: dict[str, int], seconds: float, start: float) -> None:
    import json  # noqa: PLC0415 - as the module says
    from pathlib import Path  # noqa: PLC0415 - as the module says

    total = sum(samples.values()) or 1
    steps = {step: seconds * count / total for step, count in samples.items()}
    Path(file).write_text(json.dumps({"start Python": start, **steps}), encoding="utf-8")


if __name__ == "__main__":
    main()
