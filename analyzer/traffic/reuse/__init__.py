"""The analytic cache model: reuse strata, stack distances and the probability of a miss."""
