"""All switches of ``customize``, by what they are for and by name."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.sizes.customize.instancetype_switches import INSTANCETYPE_SWITCHES
from renderer.sizes.customize.preference_switches import PREFERENCE_SWITCHES
from renderer.sizes.customize.switch import Switch, Target

SWITCHES_FOR: Mapping[Target, tuple[Switch, ...]] = {
    Target.INSTANCETYPE: INSTANCETYPE_SWITCHES,
    Target.PREFERENCE: PREFERENCE_SWITCHES,
}
SWITCHES: Mapping[str, Switch] = {
    switch.name: switch for switches in SWITCHES_FOR.values() for switch in switches
}
