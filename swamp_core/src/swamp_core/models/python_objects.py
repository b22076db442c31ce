"""The object whose method a step calls: made anew for each call, of the settings in the model's file.

Only a pydantic model takes settings, which are checked by what its class declares; nothing is coerced, and an
unknown one is never let go. An object of any other class is made without arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import AliasChoices, AliasPath, BaseModel, ValidationError
from pydantic.fields import FieldInfo

from swamp_core.models.raised import told
from swamp_core.payload.values import compact
from swamp_core.workflow.problems import Finding, did_you_mean, quoted
from swamp_core.workflow.sentences import findings_of


def make(owner: type, settings: Mapping[str, Any]) -> Any | list[Finding]:
    """The object, or what is wrong with the settings, at paths within them. Raises what the class itself raises."""
    unknown = _unknown(owner, settings)
    if unknown or not issubclass(owner, BaseModel):
        return unknown or owner()
    try:
        return owner.model_validate_json(compact(dict(settings)), strict=True)
    except ValidationError as error:
        return findings_of(error, dict(settings), owner)


def settings_findings(owner: type, settings: Mapping[str, Any]) -> list[Finding]:
    """What is wrong with the settings, at paths in the model's file."""
    if not issubclass(owner, BaseModel):
        found = _unknown(owner, settings)
    else:
        try:
            made = make(owner, settings)
        except Exception as error:  # whatever a validator of the class raises
            message = f"The class {quoted(owner.__qualname__)} cannot take these settings: {told(error)}."
            made = [Finding((), "model_unusable", message)]
        found = made if isinstance(made, list) else []
    return [replace(each, path=("settings", *each.path)) for each in found]


def _unknown(owner: type, settings: Mapping[str, Any]) -> list[Finding]:
    if not issubclass(owner, BaseModel):
        message = f"The class {quoted(owner.__qualname__)} is no pydantic model, so it takes no settings."
        return [Finding((name,), "unknown_field", message, at_key=True) for name in settings]
    if owner.model_config.get("extra") == "allow":
        return []
    known = {each for name, field in owner.model_fields.items() for each in _names(owner, name, field)}
    return [
        Finding(
            (name,), "unknown_field", f"Unknown field {quoted(name)}{did_you_mean(name, known)}", at_key=True
        )
        for name in settings
        if name not in known
    ]


def _names(owner: type[BaseModel], name: str, field: FieldInfo) -> set[str]:
    """The names that the class reads the field by."""
    alias = field.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    names = {
        str(each.path[0]) if isinstance(each, AliasPath) else each for each in choices if each is not None
    }
    by_name = owner.model_config.get("validate_by_name") or owner.model_config.get("populate_by_name")
    return names | {name} if by_name or not names else names
