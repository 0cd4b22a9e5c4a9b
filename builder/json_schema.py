"""JSON Schema of every kind of source file, as people write it, so that an editor completes and underlines.

Our reader takes every scalar as text and a lone word as a list of one; an editor does not. So the schemas come
from the models that check the files, with those liberties written out.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from . import schema
from .families import FAMILIES
from .field_help import FIELDS
from .problems import UsageError, nearest
from .schema import KINDS as LEXICONS

DRAFT = "http://json-schema.org/draft-07/schema#"
STEREOTYPES, DATASET, TEMPLATES = "stereotypes", "dataset", "templates-"
SLOT = schema.Slot.__name__
# what a kind is called -> its model; a table's schema is that of one row
KINDS: dict[str, type[BaseModel]] = {
    DATASET: schema.Dataset,
    **{f"{TEMPLATES}{name}": module.TEMPLATE for name, module in FAMILIES.items()},
    STEREOTYPES: schema.Stereotype,
    **LEXICONS,
}

_PORTABLE_ID = r"[^\s/;|._\-][^\s/;|]*(/[^\s/;|._\-][^\s/;|]*)*"  # \w means less in an editor than here
_PATTERNS = {
    get_args(annotated)[1].func: f"^{pattern}$"
    for annotated, pattern in (
        (schema.Id, _PORTABLE_ID),
        (schema.SlotName, schema.SLOT.pattern),
        (schema.LanguageCode, schema.CODE.pattern),
        (schema.Version, schema.VERSION.pattern),
    )
}
_WHOLE, _NUMBER = r"^\s*\d+\s*$", r"^\s*-?\d+(\.\d+)?\s*$"
_YES_NO = ["true", "false", "yes", "no", "on", "off"]


def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 7) of a kind of file; of a table, the schema of one row, whose cells are text.

    Raises UsageError where there is no such kind.
    """
    if kind not in KINDS:
        raise UsageError(f"{kind!r} is no kind of source file; {nearest(kind, KINDS)}")
    table = kind in LEXICONS or kind == STEREOTYPES
    generator = _Cells if table else _Written
    made = KINDS[kind].model_json_schema(ref_template="#/definitions/{model}", schema_generator=generator)
    definitions = made.pop("$defs", {})
    if SLOT in definitions:
        definitions[SLOT] = _slot(definitions[SLOT])
    for described in (made, *definitions.values()):
        _describe(described)
    if kind in LEXICONS:
        _forms_as_columns(made)
    if kind == DATASET:
        made["properties"]["family"]["enum"] = sorted(FAMILIES)
    if kind.startswith(TEMPLATES):
        made = {"type": "array", "items": made}
    if definitions:
        made["definitions"] = definitions
    return {"$schema": DRAFT, **made, "title": f"contrapar {kind}"}


class _Written(GenerateJsonSchema):
    """YAML as people write it: any scalar is text, one word stands for a list of one."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        types = ["string", "number", "boolean"] if schema.get("min_length") else ["string", "number", "boolean", "null"]
        return {**super().str_schema(schema), "type": types}

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        return {"anyOf": [super().int_schema(schema), {"type": "string", "pattern": _WHOLE}]}

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        return {"anyOf": [super().float_schema(schema), {"type": "string", "pattern": _NUMBER}]}

    def bool_schema(self, schema: core_schema.BoolSchema) -> JsonSchemaValue:
        return {"anyOf": [{"type": "boolean"}, {"enum": _YES_NO}]}

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        if made.get("default") in (None, "", [], {}):
            made.pop("default", None)
        return made

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        inner = super().function_before_schema(schema)
        function = _function(schema)
        if function is _LISTED:
            return {"anyOf": [inner, {"type": ["string", "number", "boolean"]}]}
        if function is _AGREEMENTS:
            return {"anyOf": [inner, inner["items"]]}
        return inner

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonSchemaValue:
        inner = super().function_after_schema(schema)
        pattern = _PATTERNS.get(_function(schema))
        if not pattern:
            return inner
        types = inner["type"] if isinstance(inner["type"], str) else [t for t in inner["type"] if t != "null"]
        return {**inner, "type": types, "pattern": pattern}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        made = super().dict_schema(schema)
        return {**made, "additionalProperties": False} if "patternProperties" in made else made


class _Cells(_Written):
    """A table as a spreadsheet holds it: every cell is text, a list is `a|b`."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        return {**super().str_schema(schema), "type": "string"}

    def float_schema(self, schema: core_schema.FloatSchema) -> JsonSchemaValue:
        return {"type": "string", "pattern": f"^$|{_NUMBER}"}

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        return {"type": "string"} if _function(schema) is _LISTED else super().function_before_schema(schema)


def _function(made: Any) -> Any:
    return made["function"]["function"]


_LISTED = get_args(schema.Listed)[1].func
_AGREEMENTS = schema.Template.model_fields["agree"].metadata[-1].func


def _slot(full: JsonSchemaValue) -> JsonSchemaValue:
    """`names`, `[today, tomorrow]`, or a mapping with `from` (and filters on columns) or `values`."""
    kinds = "|".join(LEXICONS)
    word = {"type": ["string", "number", "boolean"]}
    lexicon = {"anyOf": [{"enum": list(LEXICONS)}, {"type": "string", "pattern": rf"^({kinds})(\s*\|\s*({kinds}))*$"}]}
    words = {"type": "object", "additionalProperties": word, "minProperties": 1}
    columns = sorted({name for model in LEXICONS.values() for name in model.model_fields} - {"form"})
    filters = {name: {"anyOf": [word, {"type": "array", "items": word}]} for name in columns}
    source = {"anyOf": [lexicon, {"type": "array", "items": {"enum": list(LEXICONS)}, "minItems": 1}]}
    like = full["properties"]["like"]
    return {
        "title": full["title"],
        "description": full["description"],
        "anyOf": [
            lexicon,
            {"type": "array", "items": word, "minItems": 1, "uniqueItems": True},
            {
                "type": "object",
                "properties": {"from": source, "like": like, **filters},
                "required": ["from"],
                "additionalProperties": False,
            },
            {"type": "object", "properties": {"values": words}, "required": ["values"], "additionalProperties": False},
        ],
    }


def _forms_as_columns(row: dict[str, Any]) -> None:
    """`form`, `form.sg.f` and so on are columns of their own; a form is not named like another column."""
    row["properties"].pop("form")
    taken = "|".join(re.escape(name) for name in (*row["properties"], "form"))
    pattern = rf"^form(\.(?!({taken})(\.|$)){schema.FORM.pattern})?$"
    row["patternProperties"] = {pattern: {"type": "string", "description": FIELDS["form"]}}


def _describe(made: dict[str, Any]) -> None:
    """Says of each key what it means. A title that repeats the key says nothing."""
    owner = made.get("title", "")
    groups = [made, *(choice for choice in made.get("anyOf", []) if isinstance(choice, dict))]
    for name, value in [pair for group in groups for pair in group.get("properties", {}).items()]:
        value.pop("title", None)
        words = FIELDS.get(f"{owner}.{name}") or FIELDS.get(name)
        if words:
            value["description"] = words
