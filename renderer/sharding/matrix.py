"""What the CI systems make jobs of: one for each shard.

No overlay is named: a pull request chooses the names of its folders, and a job may hand what it
gets to a shell.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from renderer.sharding.shard import Shard


def github_matrix(shards: Iterable[Shard]) -> str:
    """One line of JSON, the value of ``strategy.matrix``."""
    include = [
        {"shard": str(shard.name), "overlays": len(shard.overlays), "seconds": shard.seconds}
        for shard in shards
    ]
    return json.dumps({"include": include}) + "\n"


def gitlab_matrix(shards: Iterable[Shard]) -> str:
    """YAML for a child pipeline that includes it beside a job ``vmrender``."""
    names = "".join(f'          - "{shard.name}"\n' for shard in shards)
    return f"vmrender:\n  parallel:\n    matrix:\n      - VMRENDER_SHARD:\n{names}"
