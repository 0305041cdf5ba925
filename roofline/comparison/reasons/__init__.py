"""Why a measured quantity differs from a predicted one: rules with one reason each."""
