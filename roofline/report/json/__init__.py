"""The JSON form of a report (``report.schema.json``): one module for each kind of its values."""
