"""Values that are more than a formula: functions, truths, lost ones, and those that data give."""
