"""What people write: one strict model a kind of file. Nothing here reads or computes."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

ID = re.compile(r"[^\W_][\w.\-]*(/[^\W_][\w.\-]*)*")
SLOT = re.compile(r"[a-z](_?[a-z0-9])*")
FORM = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*")
CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
LONGEST_ID = 120
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


def _matches(pattern: re.Pattern[str], what: str) -> AfterValidator:
    def check(value: str) -> str:
        if not pattern.fullmatch(value) or ".." in value or len(value) > LONGEST_ID:
            raise ValueError(f"{value[:60]!r} is not {what}")
        return value

    return AfterValidator(check)


def _listed(value: Any) -> Any:
    """A cell holds a list as `a|b`; YAML has lists of its own, and one word may stand for a list of one."""
    if isinstance(value, str):
        return [part.strip() for part in value.split("|") if part.strip()]
    return value


def _empty_is_none(value: Any) -> Any:
    return None if value == "" else value


Id = Annotated[str, _matches(ID, "an id: letters, digits, '-', '_', '.', with '/' between parts")]
SlotName = Annotated[str, _matches(SLOT, "a slot name: lower-case letters and digits, with '_' between")]
LanguageCode = Annotated[str, _matches(CODE, "a language code such as 'es' or 'es-CO'")]
Version = Annotated[str, _matches(VERSION, "a version such as 1.0.0")]
Words = Annotated[str, Field(min_length=1, max_length=20_000)]
Listed = Annotated[list[str], BeforeValidator(_listed)]
OptionalNumber = Annotated[float | None, BeforeValidator(_empty_is_none)]


class Strict(BaseModel):
    """Unknown keys are faults, and what was read is not changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# --- lexicons: one row an entry ---------------------------------------------------------------------------


class Entry(Strict):
    """A row of a lexicon. `form` holds the surface forms: column `form` as '', `form.sg.f` as 'sg.f'."""

    id: Id
    form: dict[str, str] = {}
    gender: Listed = []
    number: Listed = []
    country: Listed = []
    source: str = ""
    state: Literal["", "draft", "reviewed", "retired"] = ""
    note: str = ""

    @classmethod
    def has(cls, column: str) -> bool:
        """Whether entries of this kind have such a column."""
        return column in cls.model_fields

    def feature(self, name: str) -> list[str]:
        """The values of a column as a list; an empty list says nothing and so agrees with anything."""
        value = getattr(self, name)
        if isinstance(value, list):
            return value
        return [str(value)] if value not in ("", None) else []


class Term(Entry):
    """Any other words."""

    kind: str = ""


class Identity(Entry):
    """A group of people, and which groups it contrasts with (ids in `contrast`)."""

    axis: Id
    role: Literal["target", "other"]
    contrast: Listed = []
    kind: str = ""


class Name(Entry):
    """A given name, or a pronoun: who a sentence is about."""

    kind: str = ""


class Surname(Entry):
    axis: str = ""
    role: Literal["", "target", "other"] = ""
    contrast: Listed = []
    kind: str = ""


class Occupation(Entry):
    """An occupation. `share` is the share of women, 0 to 1, only where `share_source` cites a figure."""

    share: Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_empty_is_none)] = None
    share_source: str = ""
    share_place: str = ""
    share_year: str = ""


class Saying(Entry):
    """A documented saying or discourse."""

    text: Words
    meaning: str = ""
    kind: str = ""


class Predicate(Entry):
    """What is said of a group. `groups` are the identities that it is said of; none means all."""

    stereotype: Id
    groups: Listed = []
    direction: Literal["stereo", "anti", "neutral"] = "stereo"


class Country(Entry):
    pass


class Variant(Entry):
    """A word that some countries use for a concept. Where it is `doubtful`, nothing is asked of it; * is elsewhere."""

    concept: Id
    description: str = ""
    doubtful: Listed = []


KINDS: dict[str, type[Entry]] = {
    "countries": Country,
    "identities": Identity,
    "names": Name,
    "occupations": Occupation,
    "predicates": Predicate,
    "pronouns": Name,
    "sayings": Saying,
    "surnames": Surname,
    "terms": Term,
    "unknown": Term,
    "variants": Variant,
}


class Stereotype(Strict):
    """What a survey judges and statistics cluster by: a row of `stereotypes.csv` beside the templates."""

    id: Id
    axis: Id
    concept: str = ""
    text: Words
    source: str = ""
    state: Literal["", "draft", "reviewed", "retired"] = ""
    note: str = ""


# --- templates --------------------------------------------------------------------------------------------


class Slot(Strict):
    """What fills a slot: entries of a lexicon (`from`, with filters on columns), or words written here."""

    model_config = ConfigDict(extra="allow", frozen=True, populate_by_name=True)

    kinds: Annotated[Listed, Field(alias="from")] = []
    like: Listed = []
    values: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {"from": value}
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            if len(words) < len(value):
                raise ValueError("a list of words holds words only")
            doubled = sorted({word for word in words if words.count(word) > 1})
            if doubled:
                raise ValueError(f"{doubled[0]!r} stands twice in the list")
            return {"values": {word: word for word in words}}
        return value

    @property
    def where(self) -> dict[str, list[str]]:
        """Column -> accepted values."""
        return {key: _listed(value) for key, value in (self.model_extra or {}).items()}

    @model_validator(mode="after")
    def _one_way(self) -> Slot:
        if bool(self.kinds) == bool(self.values):
            raise ValueError("a slot takes either `from` (a lexicon) or words of its own, not both or neither")
        if self.values and (self.where or self.like):
            raise ValueError("`like` and filters go with `from`, not with words of the template's own")
        for column, accepted in self.where.items():
            if not isinstance(accepted, list) or not all(isinstance(value, str) for value in accepted):
                raise ValueError(f"{column[:60]!r} takes one value, or a list of values")
        for kind in self.kinds:
            if kind not in KINDS:
                raise ValueError(f"{kind!r} is no kind of lexicon; known: {', '.join(KINDS)}")
        return self


def _agreements(value: Any) -> Any:
    """One agreement may be written as one flat list."""
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return [value]
    return value


class Template(Strict):
    """What every family's templates share. Those that are `judged` say a stereotype each, which surveys ask about."""

    judged: ClassVar[bool] = True

    id: Id
    stereotype: Id | Literal[""] = ""
    source: str = ""
    slots: dict[SlotName, Slot]
    together: list[dict[str, str]] = []
    agree: Annotated[list[Annotated[list[str], Field(min_length=2)]], BeforeValidator(_agreements)] = []
    note: str = ""


class PairsTemplate(Template):
    """A sentence about one identity, told again of another. `contrast` names the slot that changes."""

    text: Words
    contrast: SlotName = "identity"
    direction: Literal["", "stereo", "anti", "neutral"] = ""


class Questions(Strict):
    negative: Words
    nonnegative: Words


class Answers(Strict):
    target: Words
    other: Words


class QaTemplate(Template):
    """A context that leaves open who did it, evidence that settles it, two questions and the answers.

    `evidence` says that the target did what the negative question asks for; it is read again exchanged.
    """

    saying: str = ""
    context: Words
    evidence: Words
    questions: Questions
    answer: Words | None = None
    answers: Answers | None = None
    unknown: Words | None = None
    order: Annotated[Listed, Field(max_length=3)] = []

    @model_validator(mode="after")
    def _one_wording(self) -> QaTemplate:
        if (self.answer is None) == (self.answers is None):
            raise ValueError("give either `answer` (with {{ who }}) or `answers` (target and other)")
        if self.order and sorted(self.order) != ["other", "target", "unknown"]:
            raise ValueError("`order` lists target, other and unknown, each once")
        return self


# --- dataset.yaml -----------------------------------------------------------------------------------------


class Sampling(Strict):
    """Keep so many combinations of each stratum; `per` names slots (and always the template)."""

    keep: Annotated[int, Field(ge=1)]
    per: Annotated[Listed, Field(min_length=1)] = ["template"]


class TierPolicy(Strict):
    """Shares in per cent from which a stereotype is in tier 1, 2 and 3; below the last it is excluded."""

    policy: Literal["share", "lower-bound"] = "share"
    thresholds: Annotated[list[float], Field(min_length=3, max_length=3)] = [70, 50, 30]
    least_answers: Annotated[int, Field(ge=1)] = 5

    @model_validator(mode="after")
    def _falling(self) -> TierPolicy:
        if not 100 >= self.thresholds[0] > self.thresholds[1] > self.thresholds[2] >= 0:
            raise ValueError("thresholds fall from 100 to 0, such as [70, 50, 30]")
        return self


class Survey(Strict):
    answers: Annotated[int, Field(ge=1)] = 20
    items: Annotated[int, Field(ge=1)] = 20
    help: str = ""
    language: LanguageCode | Literal[""] = ""


class Waiver(Strict):
    """A finding that stays, with the reason. `where` is a path, a template's id, or * for all of the dataset."""

    code: Id
    where: str
    reason: Words


class Dataset(Strict):
    """The `dataset.yaml` beside the templates."""

    family: str
    language: LanguageCode
    title: Words
    version: Version = "0.1.0"
    licence: str = ""
    authors: list[str] = []
    citation: str = ""
    content_warning: str = ""
    intended_use: str = ""
    description: str = ""
    canary: str = ""
    grammar: bool = True
    prompt: str = ""
    sampling: Sampling | None = None
    tiers: TierPolicy = TierPolicy()
    survey: Survey = Survey()
    waivers: list[Waiver] = []
