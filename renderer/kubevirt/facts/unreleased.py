"""The remark about a target release that KubeVirt has not made yet."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.release import LATEST, Release, snapshot_of


def about_target(release: Release) -> tuple[Diagnostic, ...]:
    """Return the remark that a target release is not released yet; none about any other."""
    snapshot = snapshot_of(release)
    if snapshot is None:
        return ()
    message = (
        f"KubeVirt {release.minor_release} is not released yet: what vmrender knows of it is {snapshot}"
        f" (commit {snapshot.commit[:10]})"
    )
    hint = f"render what is deployed today for {LATEST}, the newest release"
    return (Diagnostic(Code.UNRELEASED, message, Severity.INFO, hint=hint),)
