"""Every rule, in the order of their codes."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.codes import Code
from renderer.rules import (
    bundled_name,
    claim_not_found,
    config_map_not_found,
    data_source_not_found,
    duplicate_data_volume,
    duplicate_mac_address,
    halted_in_sync_waves,
    hugepages_overcommit,
    hugepages_remainder,
    name_too_long,
    network_not_found,
    run_strategy,
    running_deprecated,
    secret_not_found,
    secure_boot_without_smm,
    service_account_not_found,
    size_label,
    storage_class_dropped,
    unused_suppression,
    volume_without_disk,
)
from renderer.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    bundled_name.RULE,
    claim_not_found.RULE,
    config_map_not_found.RULE,
    data_source_not_found.RULE,
    duplicate_data_volume.RULE,
    duplicate_mac_address.RULE,
    halted_in_sync_waves.RULE,
    hugepages_overcommit.RULE,
    hugepages_remainder.RULE,
    name_too_long.RULE,
    network_not_found.RULE,
    run_strategy.RULE,
    running_deprecated.RULE,
    secret_not_found.RULE,
    secure_boot_without_smm.RULE,
    service_account_not_found.RULE,
    size_label.RULE,
    storage_class_dropped.RULE,
    unused_suppression.RULE,
    volume_without_disk.RULE,
)

BY_CODE: Mapping[Code, Rule] = {rule.code: rule for rule in RULES}
