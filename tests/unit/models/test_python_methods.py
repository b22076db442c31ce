"""Which methods of a class steps can call, and which not, with the reason."""

import functools
import typing
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from swamp_core.models.context import MethodContext
from swamp_core.models.python_methods import InvalidInput, PythonMethod, Unsupported, method_names, method_of


class Base:
    def inherited(self):
        pass

    def overridden(self):
        pass


class Model(Base):
    setting = 5

    def overridden(self, tag):
        pass

    def _private(self):
        pass

    @property
    def value(self):
        raise AssertionError("a property is not read")

    @functools.cached_property
    def cached(self):
        raise AssertionError("a property is not read")

    class Nested:
        pass


class Fields(BaseModel):
    url: str

    def get(self):
        pass

    def copy(self):
        pass

    def model_post_init(self, context):
        pass


def test_the_public_methods_of_a_class_are_those_of_the_model():
    """Its own and inherited ones; no property, no nested class, nothing private."""
    assert method_names(Model) == ("inherited", "overridden")


def test_what_pydantic_adds_is_no_method():
    """Of a pydantic model only what its author wrote counts, even under a name that pydantic has too."""
    assert method_names(Fields) == ("get", "copy")


class Signatures:
    def any_type(self, tag, other=None):
        pass

    def bounded(self, replicas: Annotated[int, Field(ge=1, le=9)]):
        pass

    def rest(self, tag: str, *args: int, **labels: str):
        pass

    def keyword_only(self, *, tag: str):
        pass

    def context_last(self, tag: str, context: "MethodContext | None" = None):
        pass

    def by_position(self, tag: str, /):
        pass

    def field_default(self, tag: str = Field(min_length=1)):
        pass

    def unresolved(self, tag: "NoSuchType"):  # noqa: F821 (the mistake that is told)
        pass

    def no_schema(self, tag: "typing.Iterator[object()]"):
        pass

    async def later(self):
        pass

    async def many(self):
        yield


def method(name):
    found = method_of(Signatures, name)
    assert isinstance(found, PythonMethod), found
    return found


def test_a_class_without_the_method_has_none():
    """A private name is no method either."""
    assert method_of(Signatures, "nothing") is None
    assert method_of(Model, "_private") is None


@pytest.mark.parametrize("value", [None, 5, "x", [1], {"a": 1}])
def test_without_an_annotation_any_value_is_taken(value):
    """It arrives as it is."""
    assert method("any_type").arguments({"tag": value}) == {"tag": value}


def test_a_bound_in_an_annotation_holds():
    """What pydantic can check is checked."""
    assert method("bounded").arguments({"replicas": 9}) == {"replicas": 9}
    with pytest.raises(InvalidInput, match="less than or equal to 9"):
        method("bounded").arguments({"replicas": 10})


def test_further_inputs_are_taken_where_the_method_takes_them():
    """`**labels` takes any name, with values of its type; `*args` takes none."""
    assert method("rest").arguments({"tag": "a", "args": "b", "c": "d"}) == {
        "tag": "a",
        "args": "b",
        "c": "d",
    }
    with pytest.raises(InvalidInput, match="valid string"):
        method("rest").arguments({"tag": "a", "c": 5})


def test_a_parameter_may_be_by_keyword_only():
    """Inputs have names, so all are given by keyword."""
    assert method("keyword_only").required == ("tag",)


def test_a_context_is_found_wherever_it_stands():
    """It is no input."""
    assert (method("context_last").context, tuple(method("context_last").parameters)) == ("context", ("tag",))


UNSUPPORTED = {
    "by_position": "can only be given by position",
    "field_default": "write the parameter tag as `Annotated[TYPE, Field(…)]`",
    "unresolved": "NameError: name 'NoSuchType' is not defined",
    "no_schema": "PydanticSchemaGenerationError: ",
    "later": "is asynchronous",
    "many": "is asynchronous",
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_a_method_that_cannot_be_called_says_why(name):
    """The reason is known before a run starts."""
    found = method_of(Signatures, name)
    assert isinstance(found, Unsupported)
    assert f"`Signatures.{name}`" in found.message
    assert UNSUPPORTED[name] in found.message


def test_a_signature_is_read_once():
    """However many steps call the method."""
    assert method_of(Signatures, "rest") is method_of(Signatures, "rest")


def test_many_problems_are_cut():
    """A message stays a sentence."""

    class Wide(BaseModel):
        a: int
        b: int
        c: int
        d: int
        e: int

    class Owner:
        def go(self, wide: Wide) -> Any:
            pass

    with pytest.raises(InvalidInput, match=r"Field required at `c`; and 2 more\.$"):
        method_of(Owner, "go").arguments({"wide": {}})
