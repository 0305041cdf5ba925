"""The report, its JSON form, and sweeps over one size."""
