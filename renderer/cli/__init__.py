"""The command line."""

import gc

#: New objects before Python looks for cycles among them. A run keeps most of what it makes until its end, and
#: looking through all of that again and again would cost a third of the time; so would what is imported. The
#: few cycles that there are hold nothing large: as much memory is taken as with a tenth of this.
COLLECT_AFTER = 1_000_000
gc.set_threshold(COLLECT_AFTER)
