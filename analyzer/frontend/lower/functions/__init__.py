"""Functions as wholes, before their statements are lowered: what they may change, their instances, how they recur."""
