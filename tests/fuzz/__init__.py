"""Any input is accepted or gives a diagnostic: inputs made by Hypothesis from seeds."""
