"""The stages of the analysis of one file, as :mod:`..pipeline` calls them: reading, lowering, counting, traffic."""
