"""Hypothesis profiles: ``HYPOTHESIS_PROFILE=nightly`` draws a thousand nests each, ``ci`` (the default) 7."""

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("quick", max_examples=50, deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", max_examples=7, deadline=None, suppress_health_check=SLOW, derandomize=True)
settings.register_profile("nightly", max_examples=1000, deadline=None, suppress_health_check=SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
