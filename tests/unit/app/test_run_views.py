"""Where a job, or a step with a forEach, stands: it is running only while something of it is."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from swamp_core.app.run_views import status_of_all
from swamp_core.run.statuses import StepStatus

statuses = st.lists(st.sampled_from([*get_args(StepStatus), "unknown"]), min_size=1)


@given(statuses)
def test_what_waits_is_not_shown_as_running(found):
    """Something waits and nothing runs: then all of it waits, whatever else is pending or over."""
    runs = {"running", "unknown"} & set(found)
    assert (status_of_all(found) == "waiting") == ("waiting" in found and not runs)


@given(statuses)
def test_what_nothing_has_happened_to_is_pending(found):
    """Pending are only those of which every step is."""
    assert (status_of_all(found) == "pending") == (set(found) == {"pending"})
