"""What holds for every test: no property is judged by the time that it took, and each is tried on a sample.

`pytest --hypothesis-profile=soak` tries twenty times as many examples.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("sample", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)
settings.register_profile("soak", settings.get_profile("sample"), max_examples=1000)
settings.load_profile("sample")  # an option of the command line comes after it
