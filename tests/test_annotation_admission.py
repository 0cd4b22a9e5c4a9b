"""What comes back from a server: what no form could give stays out, and so does everybody's name."""

from __future__ import annotations

from typing import Any

import pytest
from contrapar.annotation.admission import Gathered, admit, nameless, pseudonyms
from contrapar.annotation.answers import Answer
from contrapar.annotation.plan import Plan, make_plan
from contrapar.annotation.subjects import Subject

KEY = b"0123456789abcdef"
KNOWN = [Subject(f"en/hats/{n}", "hats", f"They are {n}.", ("bowler",)) for n in range(2)]


@pytest.fixture
def plan() -> Plan:
    return make_plan(KNOWN, survey="hats", dataset="hats", language="en", answers=3, items=5)


def part(control: str, kind: str = "choices", **value: Any) -> dict[str, Any]:
    return {"from_name": control, "to_name": "item", "type": kind, "value": value}


def annotation(person: Any, *result: Any, id: int = 1, at: str = "2026-01-01T10:00:00Z", **more: Any) -> dict[str, Any]:
    return {"id": id, "completed_by": person, "result": list(result), "updated_at": at, "lead_time": 4.04, **more}


YES = part("relevant", choices=["yes"])
NO = part("relevant", choices=["no"])


def gathered(plan: Plan, *annotations: dict[str, Any], data: dict[str, str] | None = None, **more: Any) -> Gathered:
    block = plan.blocks[0]
    tasks = [{"id": n, "data": item.data("hats", "bowler"), "annotations": []} for n, item in enumerate(block.items)]
    first: dict[str, Any] = tasks[0]
    first["annotations"] = list(annotations)
    first["data"] |= data or {}
    return admit(plan, {block.key: tasks}, pseudonyms(KEY), **more)


def test_an_answer_is_kept_with_a_pseudonym(plan: Plan) -> None:
    found = gathered(plan, annotation({"id": 7, "email": "ana@example.org"}, YES, part("harmfulness", choices=["-1"])))
    stereotype = plan.blocks[0].items[0].stereotype
    assert found.answers == [Answer(pseudonyms(KEY)(7), stereotype, "yes", -1, 4.0)]
    assert found.problems == []


def test_pseudonyms_are_stable_keyed_and_say_nothing() -> None:
    one, other = pseudonyms(KEY), pseudonyms(KEY[::-1])
    assert one(7) == one(7) != one(8)
    assert one(7) != other(7)
    assert len(one(7)) == 16


IMPOSSIBLE = {
    "unknown choice": ([part("relevant", choices=["maybe"])], "relevant", "'maybe' is no choice"),
    "harmfulness 9": ([YES, part("harmfulness", choices=["9"])], "harmfulness", "'9' is no choice"),
    "rating 9": ([YES, part("harmfulness", "rating", rating=9)], "harmfulness", "'rating'"),
    "number -1": ([YES, part("harmfulness", "number", number=-1)], "harmfulness", "'number'"),
    "two choices": ([part("relevant", choices=["yes", "no"])], "relevant", "2 choices"),
    "no choice": ([part("relevant", choices=[])], "relevant", "0 choices"),
    "nothing": ([], "relevant", "not answered"),
    "harm alone": ([part("harmfulness", choices=["2"])], "relevant", "not answered"),
    "another question": ([YES, part("sentiment", choices=["yes"])], "sentiment", "no such question"),
    "twice": ([YES, NO], "relevant", "answered twice"),
    "text for a choice": ([part("relevant", "textarea", text=["yes"])], "relevant", "'textarea'"),
    "a number for text": ([YES, part("missing", "textarea", text=[3])], "missing", "'textarea'"),
    "no value": ([{"from_name": "relevant", "type": "choices"}], "relevant", "is no answer"),
    "no mapping": (["yes"], "", "no mapping"),
    "another group": ([YES, part("about", choices=["bowlr"])], "about", "did you mean 'bowler'"),
    "of type None": ([{"from_name": "relevant", "value": {"choices": ["yes"]}}], "relevant", "None"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_no_form_could_give_is_told_by_task_and_left_out(plan: Plan, name: str) -> None:
    result, control, told = IMPOSSIBLE[name]
    found = gathered(plan, annotation(1, *result), annotation(2, NO, id=2))
    assert [answer.relevant for answer in found.answers] == ["no"]
    [problem] = found.problems
    assert problem.place.path == "hats: hats bowler 1, task 0"
    assert (problem.place.field, problem.code, problem.severity) == (control, "impossible-answer", "warning")
    assert told in problem.message
    assert pseudonyms(KEY)(1) in problem.message
    assert problem.mend == "the answer is left out"


def test_the_latest_answer_of_each_person_counts(plan: Plan) -> None:
    found = gathered(
        plan,
        annotation(1, YES, id=5, at="2026-01-01T10:00:01Z"),
        annotation(1, NO, id=4, at="2026-01-01T10:00:02Z"),
        annotation(2, NO, id=8),
        annotation(2, YES, id=9),  # at the same moment: the one that was made last
    )
    assert sorted(answer.relevant for answer in found.answers) == ["no", "yes"]
    assert {answer.respondent: answer.relevant for answer in found.answers}[pseudonyms(KEY)(1)] == "no"
    assert found.earlier == 2


def test_who_skips_at_last_takes_the_answer_back(plan: Plan) -> None:
    found = gathered(plan, annotation(1, YES), annotation(1, id=2, was_cancelled=True))
    assert (found.answers, found.skipped, found.earlier) == ([], 1, 1)


def test_an_author_who_is_gone_is_not_guessed(plan: Plan) -> None:
    found = gathered(plan, annotation(None, YES), annotation(2, NO, id=2))
    assert [answer.relevant for answer in found.answers] == ["no"]
    assert [problem.code for problem in found.problems] == ["author-gone"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({"key": "0" * 24}, "unknown-stereotype"),
        ({"stereotype": "en/hats/none"}, "reworded"),
        ({"text": "They are fine."}, "reworded"),
    ],
)
def test_a_task_that_asks_something_else(plan: Plan, data: dict[str, str], code: str) -> None:
    found = gathered(plan, annotation(1, YES), annotation(2, YES, id=2), data=data)
    assert found.answers == []
    assert found.problems[0].code == code
    assert found.problems[0].mend == "its 2 answers are left out"


@pytest.mark.parametrize("task", [{"id": 1}, {"id": 1, "data": "text"}, {"id": 1, "data": None, "annotations": None}])
def test_a_task_without_data_is_told(plan: Plan, task: dict[str, Any]) -> None:
    found = admit(plan, {plan.blocks[0].key: [task]}, pseudonyms(KEY))
    assert [problem.code for problem in found.problems] == ["unknown-stereotype", "task-gone", "task-gone"]


def test_a_deleted_task_is_told_and_the_rest_comes_through(plan: Plan) -> None:
    block = plan.blocks[0]
    task = {"id": 3, "data": block.items[1].data("hats", "bowler"), "annotations": [annotation(1, YES)]}
    found = admit(plan, {block.key: [task]}, pseudonyms(KEY))
    assert [answer.stereotype for answer in found.answers] == [block.items[1].stereotype]
    assert [(problem.code, block.items[0].stereotype in problem.message) for problem in found.problems] == [
        ("task-gone", True)
    ]


def test_doubled_tasks_count_each_person_once(plan: Plan) -> None:
    block = plan.blocks[0]
    data = block.items[0].data("hats", "bowler")
    tasks = [
        {"id": 1, "data": data, "annotations": [annotation(1, YES), annotation(2, YES, id=2)]},
        {"id": 2, "data": data, "annotations": [annotation(1, NO, id=3, at="2026-01-02T10:00:00Z")]},
    ]
    found = admit(plan, {block.key: tasks}, pseudonyms(KEY))
    assert sorted(answer.relevant for answer in found.answers) == ["no", "yes"]


def test_proposals_are_counted_by_person_and_hold_no_name(plan: Plan) -> None:
    said = part("missing", "textarea", text=["They are   vain", "ask Maria at maria@example.org or +31 6 1234 5678"])
    also = part("missing", "textarea", text=["they are vain!"])
    found = gathered(plan, annotation(1, YES, said), annotation(2, YES, also, id=2), names=["maria", "Jo"])
    assert [(one.text, one.people, one.group) for one in found.proposals] == [
        ("They are vain", 2, "bowler"),
        ("ask [...] at [...] or [...]", 1, "bowler"),
    ]


def test_what_people_belong_to_is_counted_and_kept_of_nobody(plan: Plan) -> None:
    found = gathered(
        plan,
        annotation(1, YES, part("about", choices=["none"])),
        annotation(1, YES, part("about", choices=["bowler", "bowler"]), id=2, at="2026-02-01T10:00:00Z"),
        annotation(2, YES, part("about", choices=["bowler"]), id=3),
    )
    assert found.belong == {"bowler": 2}
    assert not any("bowler" in str(answer) for answer in found.answers)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("write to a.b+c@mail.example.nl, please", "write to [...] please"),
        ("see https://example.org/me?x=1 now", "see [...] now"),
        ("I am @someone_else", "I am [...]"),
        ("call 0800-1234567", "call [...]"),
        ("born in 1984, 3 of 4 agree", "born in 1984, 3 of 4 agree"),
        ("Marias hat and MARIA", "Marias hat and [...]"),
    ],
)
def test_free_text_without_names(text: str, kept: str) -> None:
    assert nameless(text, ["maria", "", "x"]) == kept
