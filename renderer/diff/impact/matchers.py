"""``spec.instancetype`` and ``spec.preference``, where they are written."""

from __future__ import annotations

from renderer.diff.impact.update import Update, Verdict, restart
from renderer.model.difference import Effect, FieldChange
from renderer.model.json import JsonObject, object_at
from renderer.model.release import Release

_JUDGED_EXPANDED = Release(1, 3)
#: The first release that notes the revision in the status, which leaves the matcher to Git.
_REVISION_IN_STATUS = Release(1, 5)
_KEYS = ("instancetype", "preference")


def judge_matcher(update: Update, change: FieldChange) -> Verdict:
    del change
    release = update.cluster.release
    for key in _KEYS:
        if release < _REVISION_IN_STATUS and _is_refused(_matcher(update, key)):
            return Verdict(
                Effect.REFUSED,
                f"before KubeVirt {_REVISION_IN_STATUS} the cluster writes spec.{key}.revisionName, and "
                "refuses another name as long as that stays: clear it in the cluster with the change",
            )
    if release < _JUDGED_EXPANDED:
        return restart(f"before KubeVirt {_JUDGED_EXPANDED} another matcher counts from the next start")
    if update.before.instance == update.after.instance:
        return Verdict(Effect.NONE, "both come to the same")
    return Verdict(Effect.NONE, "see the fields that come from it")


def _matcher(update: Update, key: str) -> tuple[JsonObject, JsonObject]:
    return object_at(update.written_before, key), object_at(update.written_after, key)


def _is_refused(matchers: tuple[JsonObject, JsonObject]) -> bool:
    """``validateMatcherUpdate``; where Git has no revisionName, the cluster has one, and keeps it."""
    before, after = matchers
    if not before or not after:
        return False
    return before.get("name") != after.get("name") and before.get("revisionName") == after.get("revisionName")
