"""Numbers, names, rates and sentences that several renderers share."""
