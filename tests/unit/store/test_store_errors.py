import pytest
from swamp_core.store import OutcomeUnknown, StoreError, errors

CLASSES = sorted(
    (
        thing
        for thing in vars(errors).values()
        if isinstance(thing, type) and issubclass(thing, StoreError) and thing is not StoreError
    ),
    key=lambda cls: cls.__name__,
)


def make(cls: type[StoreError]) -> StoreError:
    where = {"operation": "put_if_absent", "key": "waits/w1", "store": "file:///srv/swamp"}
    if cls is OutcomeUnknown:
        return OutcomeUnknown("It went wrong", put_id="f00", **where)
    return cls("It went wrong", **where)


@pytest.mark.parametrize("cls", CLASSES)
def test_each_error_says_what_where_and_what_to_do(cls: type[StoreError]) -> None:
    """The message is sentences: what happened, at which operation, key and store, and the next step."""
    error = make(cls)
    text = str(error)
    assert text.startswith("It went wrong (at put_if_absent `waits/w1` in file:///srv/swamp). ")
    assert text.endswith((".", f"`{error.hint}`"))
    assert error.hint == cls.default_hint
    assert len(error.hint.split()) > 3
    assert "  " not in text


@pytest.mark.parametrize("cls", CLASSES)
def test_each_error_documents_the_world_it_leaves(cls: type[StoreError]) -> None:
    """A class that says nothing of what is certain afterwards is no help to its caller."""
    assert cls.__doc__
    assert len(cls.__doc__.split()) > 8


def test_each_error_has_a_code_of_its_own() -> None:
    """Text and JSON tell the errors apart by the same word."""
    codes = [cls.code for cls in CLASSES]
    assert len(set(codes)) == len(codes)
    assert all(code.replace("_", "").isalpha() and code.islower() for code in codes)


def test_a_place_that_is_not_known_is_left_out() -> None:
    """No empty brackets, and no word for what is not there."""
    assert str(StoreError("It went wrong", hint="Try again.")) == "It went wrong. Try again."
    assert (
        str(StoreError("It went wrong", key="a", hint="Try again.")) == "It went wrong (at `a`). Try again."
    )
    listing = StoreError("It went wrong", operation="list", key="", store="s3://a", hint="Try again.")
    assert str(listing) == "It went wrong (at list in s3://a). Try again."


def test_an_unknown_outcome_carries_its_put_id() -> None:
    """Whoever finds the record later can tell whether it came of this call."""
    assert OutcomeUnknown("It went wrong", put_id="f00", key="a").put_id == "f00"
