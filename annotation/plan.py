"""Stereotypes into blocks, a block for one sitting: balanced, seeded, and kept once it was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from ..builder.problems import Place, Problem, SourceFaults
from .subjects import Subject

_TITLE = 50  # the longest title that Label Studio takes


class Item(BaseModel):
    """A task: one stereotype as people see it. `key` is the same for ever in one survey."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    stereotype: str
    text: str
    examples: tuple[str, ...] = ()

    def data(self, survey: str, group: str) -> dict[str, str]:
        """What the server keeps of it."""
        return {
            "key": self.key,
            "survey": survey,
            "group": group,
            "stereotype": self.stereotype,
            "text": self.text,
            "examples": "\n".join(self.examples),
        }


class Block(BaseModel):
    """A project: stereotypes that speak of one group. `key` finds it again on the server."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    title: str
    axis: str
    group: str
    items: tuple[Item, ...]

    @property
    def mark(self) -> str:
        """What a project's description says, so that it can be told from all others."""
        return f"contrapar survey {self.key}"


class Plan(BaseModel):
    """A survey: who is asked what. `answers` are wanted of each stereotype, by as many people.

    `identities` are what people may say they belong to.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    survey: str
    dataset: str
    language: str
    answers: int
    items: int
    seed: int
    identities: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def stereotypes(self) -> int:
        return sum(len(block.items) for block in self.blocks)

    def by_key(self) -> dict[str, tuple[Block, Item]]:
        return {item.key: (block, item) for block in self.blocks for item in block.items}


def make_plan(
    subjects: Sequence[Subject],
    *,
    survey: str,
    dataset: str,
    language: str,
    answers: int,
    items: int,
    seed: int = 0,
    sent: Plan | None = None,
) -> Plan:
    """Blocks of at most `items` stereotypes of one group, equal to within one.

    What `sent` holds has been sent: it stays where it is, with its words, and only what is new is put into
    blocks of its own. Raises SourceFaults where a stereotype that was sent has other words now.
    """
    kept = sent.by_key() if sent else {}
    current = {subject.id: subject for subject in subjects}
    problems = [
        Problem(
            Place(item.stereotype),
            "reworded",
            f"people were asked about {item.text!r}, and it now reads {current[item.stereotype].text!r}",
            "put the old words back, or ask again in a survey with another --name",
        )
        for _, item in kept.values()
        if item.stereotype in current and current[item.stereotype].text != item.text
    ]
    if problems:
        raise SourceFaults(problems)
    blocks = list(sent.blocks) if sent else []
    asked = {item.stereotype for _, item in kept.values()}
    groups: dict[tuple[str, str], list[Subject]] = {}
    for subject in subjects:
        if subject.id not in asked:
            groups.setdefault((subject.axis, subject.group), []).append(subject)
    for (axis, group), members in sorted(groups.items()):
        # by hash: one more stereotype does not deal all the others anew
        members.sort(key=lambda subject: _hash(str(seed), survey, subject.id))
        count = -(-len(members) // items)
        for number in range(count):
            before = sum(block.group == group and block.axis == axis for block in blocks)
            blocks.append(_block(survey, axis, group, before + 1, members[number::count]))
    return Plan(
        survey=survey,
        dataset=dataset,
        language=language,
        answers=answers,
        items=items,
        seed=seed,
        # another choice would make another form, and people have begun to fill in this one
        identities=sent.identities if sent else tuple(sorted({one for subject in subjects for one in subject.groups})),
        blocks=tuple(blocks),
    )


def _block(survey: str, axis: str, group: str, number: int, members: Iterable[Subject]) -> Block:
    name = group if group == axis else f"{axis} {group}"
    tail = f" {number}"
    return Block(
        key=f"{survey} {_hash(survey, axis, group, str(number))[:16]}",
        title=f"{survey}: {name}"[: _TITLE - len(tail)] + tail,
        axis=axis,
        group=group,
        items=tuple(
            Item(
                key=_hash(survey, subject.id)[:24],
                stereotype=subject.id,
                text=subject.text,
                examples=subject.examples,
            )
            for subject in members
        ),
    )


def _hash(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()
