"""Every rule, in the order of their codes."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.codes import Code
from renderer.rules import (
    bundled_name,
    cloud_init,
    duplicates,
    halted_in_sync_waves,
    hugepages,
    implausible_size,
    name_too_long,
    not_found,
    run_strategy,
    secure_boot_without_smm,
    service_selector,
    size_label,
    storage_class_dropped,
    suppression,
    unusable_value,
    volume_without_disk,
)
from renderer.rules.rule import Rule

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            bundled_name.RULE,
            cloud_init.RULE,
            *duplicates.RULES,
            halted_in_sync_waves.RULE,
            *hugepages.RULES,
            implausible_size.RULE,
            name_too_long.RULE,
            *not_found.RULES,
            *run_strategy.RULES,
            secure_boot_without_smm.RULE,
            service_selector.RULE,
            size_label.RULE,
            storage_class_dropped.RULE,
            suppression.RULE,
            unusable_value.RULE,
            volume_without_disk.RULE,
        ),
        key=lambda rule: rule.code,
    )
)

BY_CODE: Mapping[Code, Rule] = {rule.code: rule for rule in RULES}
