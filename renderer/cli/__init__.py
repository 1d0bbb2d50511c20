"""The command line."""

import gc

#: Number of new objects before Python looks for cycles among them. A run keeps most of its objects until its
#: end, and scanning them and the imported modules again and again would cost a third of the time. The few
#: cycles hold nothing large: a tenth of this number would use as much memory.
COLLECT_AFTER = 1_000_000
gc.set_threshold(COLLECT_AFTER)
