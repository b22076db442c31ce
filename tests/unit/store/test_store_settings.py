"""How messages call a store: by what tells it from others, in a form that can be read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from swamp_core.store.settings import EndpointUrl, read_url, shown_url

ENDPOINTS = TypeAdapter(EndpointUrl)


def test_a_name_has_the_options_that_are_set_and_is_readable() -> None:
    """An address stays as it was written: who compares two names does not decode them first."""
    assert shown_url("s3://team/a", region=None, endpoint_url=None) == "s3://team/a"
    named = shown_url("s3://team/a", region="eu-west-1", endpoint_url="http://[::1]:9000/b")
    assert named == "s3://team/a?region=eu-west-1&endpoint_url=http://[::1]:9000/b"


@given(st.text(min_size=1).filter(lambda text: text.isprintable()), st.text("ab-1", min_size=1))
def test_two_stores_have_two_names(endpoint: str, region: str) -> None:
    """The options are read back from the name as they were."""
    named = shown_url("s3://team/a", region=region, endpoint_url=endpoint)
    assert read_url(named) == ("team", "/a", {"region": region, "endpoint_url": endpoint})


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://key:hunter2@objects.example.com",
        "https://hunter2@objects.example.com",
        "https://objects.example.com?token=hunter2",
        "https://objects.example.com/#hunter2",
    ],
)
def test_an_address_that_may_hold_a_credential_names_no_store(endpoint: str) -> None:
    """It is refused before anything shows it."""
    with pytest.raises(ValidationError):
        ENDPOINTS.validate_python(endpoint)
