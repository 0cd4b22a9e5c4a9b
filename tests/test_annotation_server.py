"""A survey on a real Label Studio: round and back, once whatever happens, and every failure in one line."""

from __future__ import annotations

import csv
import http.client
import http.server
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import prepare_labelstudio
import pytest
from contrapar.annotation.labelstudio import Server
from contrapar.annotation.store import Store
from contrapar.annotation.subjects import settings
from contrapar.annotation.survey import forms_of
from label_studio_server import LabelStudio, part
from survey_folder import dataset, hats, read, survey

pytest_plugins = ["labelstudio"]
pytest.importorskip("label_studio_sdk", reason="label-studio-sdk, of the extra survey, is not installed")
# one server for all of them, also where tests run in several processes
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("label-studio")]

SHARED = Path(__file__).parents[1].parent / "shared" / "data" / "winoqueer_nl" / "survey_counts.csv"


@pytest.fixture(autouse=True)
def _address(label_studio: LabelStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABEL_STUDIO_URL", label_studio.url)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", label_studio.token)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A survey of its own for each test, on the one server."""
    words = re.sub(r"\W+", "-", request.node.name.removeprefix("test_"))
    return f"{words[:20]}-{random.Random(request.node.nodeid).randrange(16**4):04x}"


def pushed(server: LabelStudio, name: str) -> dict[str, list[str]]:
    """Title of each project -> keys of its tasks."""
    return {
        str(project["title"]): sorted(task["data"]["key"] for task in server.tasks(project["id"]))
        for project in server.projects(f"{name}:")
    }


def lines(captured: str) -> list[str]:
    return [line for line in captured.splitlines() if line.strip()]


# --- round and back ---------------------------------------------------------------------------------------


def test_a_survey_goes_round(
    label_studio: LabelStudio, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset(tmp_path, [*hats(5), *hats(2, "gloves")], answers=3, items=3)
    store = tmp_path / "store"
    verb = (folder, "--name", name, "--folder", store)
    assert survey("plan", *verb) == 0
    assert survey("push", *verb) == 0
    before = pushed(label_studio, name)
    assert {title: len(keys) for title, keys in before.items()} == {
        f"{name}: gloves 1": 2,
        f"{name}: hats 1": 3,
        f"{name}: hats 2": 2,
    }
    assert survey("push", *verb) == 0
    assert pushed(label_studio, name) == before
    project = label_studio.call("GET", f"/api/projects/{label_studio.projects(name)[0]['id']}")
    assert (project["maximum_annotations"], project["show_instruction"]) == (3, True)
    assert "It speaks ill of hats." in project["expert_instruction"]
    assert "0800 1234, day &amp; night" in project["expert_instruction"]

    persons = label_studio.persons(6)
    yes, no, unsure = (part("relevant", word) for word in ("yes", "no", "unsure"))
    said = {
        task["data"]["stereotype"]: task["id"]
        for p in label_studio.projects(name)
        for task in label_studio.tasks(p["id"])
    }
    for number, person in enumerate(persons):
        label_studio.answer(
            said["en/hats/000"], person, yes if number < 5 else no, part("harmfulness", str(number - 1))
        )
        label_studio.answer(said["en/hats/001"], person, unsure if number == 5 else yes if number < 2 else no)
    label_studio.answer(
        said["en/gloves/000"],
        persons[0],
        yes,
        part("missing", "They hide things", "ask respondent-3 or respondent.3@example.net", kind="textarea"),
        lead_time=0.5,
    )
    label_studio.answer(said["en/hats/000"], persons[5], yes)  # changes their mind
    label_studio.answer(said["en/gloves/001"], persons[0], was_cancelled=True)
    capsys.readouterr()

    assert survey("status", *verb) == 0
    out = capsys.readouterr().out
    assert re.search(r"hats \d +6 of +9 answers, 2 of 3 stereotypes done, 7 more than wanted", out) or (
        len(re.findall(r" +3 of +\d answers, 1 of \d stereotypes done", out)) == 2
    )
    assert "7 of 21 answers" in out
    assert survey("pull", *verb) == 0
    out = capsys.readouterr().out
    assert "13 answers of 6 people, 2 proposals; set aside: 1 earlier answers, 1 skipped, 0 findings" in out
    first = (store / "answers.csv").read_bytes()
    assert survey("pull", *verb) == 0
    assert (store / "answers.csv").read_bytes() == first
    assert survey("tiers", *verb) == 0
    found = {row["stereotype"]: row for row in read(folder / "tiers.csv")}
    assert [(row["yes"], row["no"], row["unsure"], row["tier"]) for row in found.values()] == [
        ("1", "0", "0", ""),
        ("0", "0", "0", ""),
        ("6", "0", "0", "1"),
        ("2", "3", "1", "3"),
        *[("0", "0", "0", "")] * 3,
    ]
    assert found["en/hats/000"]["harmfulness_mean"] == "1.0000"  # the last answer judged no harm
    assert survey("candidates", *verb) == 0
    assert [row["text"] for row in read(store / "candidates.csv")] == ["They hide things", "ask [...] or [...]"]
    assert survey("report", *verb) == 0
    assert (store / "report.html").is_file()

    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"answers.csv", "plan.json", "push.json", "report.html", "tiers.csv"} <= {path.name for path in written}
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"[\w.+-]+@[\w-]+\.\w+", text), path
        assert "respondent-" not in text, path
        assert label_studio.token not in text, path
    assert (store / "respondents.key").stat().st_mode & 0o777 == 0o600


def test_published_counts_give_the_published_tiers(label_studio: LabelStudio, tmp_path: Path, name: str) -> None:
    if not SHARED.is_file():
        pytest.skip(f"the published counts are not here: {SHARED}")
    with SHARED.open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    ids = {"nl/queer/" + re.sub(r"\W+", "-", row["stereotype"]).strip("-"): row for row in published}
    assert len(ids) == 164
    folder = dataset(tmp_path, [(id, "queer", row["stereotype"]) for id, row in ids.items()], language="nl", items=60)
    verb = (folder, "--name", name, "--folder", tmp_path / "store")
    assert survey("plan", *verb) == 0
    assert survey("push", *verb) == 0
    persons = label_studio.persons(11)
    chance = random.Random(3)
    for project in label_studio.projects(name):
        answered = []
        for task in label_studio.tasks(project["id"]):
            row = ids[task["data"]["stereotype"]]
            given = [
                word
                for key, word in (("yes", "yes"), ("no", "no"), ("not_sure", "unsure"))
                for _ in range(int(row[key]))
            ]
            people = chance.sample(persons, len(given))
            annotations = [
                {"completed_by": person, "result": [part("relevant", word)], "lead_time": 9.0}
                for person, word in zip(people, given, strict=True)
            ]
            answered.append((task["data"], annotations))
        label_studio.answer_in_bulk(project["id"], answered)
    assert survey("pull", *verb) == 0
    assert survey("tiers", *verb) == 0
    found = {row["stereotype"]: row for row in read(folder / "tiers.csv")}
    assert {id: row["tier"] for id, row in found.items()} == {id: row["tier"] or "excluded" for id, row in ids.items()}
    assert Counter(row["tier"] for row in found.values()) == {"1": 60, "2": 48, "3": 30, "excluded": 26}
    for id, row in ids.items():
        assert (found[id]["yes"], found[id]["no"], found[id]["unsure"]) == (row["yes"], row["no"], row["not_sure"])


def test_five_thousand_tasks_cost_less_than_a_minute_beyond_the_server(
    label_studio: LabelStudio, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = dataset(tmp_path, hats(5000), items=5000, least=3)
    store = tmp_path / "store"
    verb = (folder, "--name", name, "--folder", store)
    assert survey("plan", *verb) == 0
    made = Store(store).need_plan()
    [block] = made.blocks
    config = forms_of(made, folder, settings(folder))[block.key].config
    body = {"title": block.title, "description": block.mark, "label_config": config}
    project = label_studio.call("POST", "/api/projects/", body)["id"]
    persons = label_studio.persons(3)
    chance = random.Random(5)

    def answers() -> list[dict[str, object]]:
        return [
            {
                "completed_by": person,
                "result": [
                    part("relevant", chance.choice(["yes", "no"])),
                    part("harmfulness", str(chance.randrange(-1, 5))),
                ],
            }
            for person in persons
        ]

    tasks = [{"data": item.data(name, block.group), "annotations": answers()} for item in block.items]
    label_studio.call("POST", f"/api/projects/{project}/import", tasks)
    waited = 0.0
    whole = Server.answered

    def answered(self: Server, project: int) -> list[dict[str, object]]:
        nonlocal waited
        start = time.monotonic()
        found = whole(self, project)
        waited += time.monotonic() - start
        return found

    monkeypatch.setattr(Server, "answered", answered)
    start = time.monotonic()
    assert survey("pull", *verb) == 0
    assert survey("tiers", *verb) == 0
    ours = time.monotonic() - start - waited
    print(f"the server took {waited:.1f} s, everything else {ours:.1f} s")
    assert len(read(store / "answers.csv")) == 15_000
    assert len(read(folder / "tiers.csv")) == 5000
    assert ours < 60


# --- once, whatever happens -------------------------------------------------------------------------------

# pushes in a child that can be killed without loading the client each time
FORKER = """
import os, sys
import label_studio_sdk
from contrapar.cli import main
for line in sys.stdin:
    child = os.fork()
    if not child:
        sys.stdin.close()
        os.dup2(2, 1)
        main(line.rstrip("\\n").split("\\t"))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@contextmanager
def forker() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", FORKER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def run(process: subprocess.Popen[str], arguments: list[str], kill_after: float | None = None) -> tuple[int, float]:
    """Exit code and seconds of a push, killed after so many seconds if it still runs then."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\t".join(arguments) + "\n")
    process.stdin.flush()
    child = int(process.stdout.readline())
    start = time.monotonic()
    if kill_after is not None:
        # a killed child is reaped by its parent only after this: the id is still its own, or already told
        timer = threading.Timer(kill_after, lambda: subprocess.run(["kill", "-9", str(child)], check=False, stderr=-3))
        timer.start()
        code = int(process.stdout.readline())
        timer.cancel()
        timer.join()
    else:
        code = int(process.stdout.readline())
    return code, time.monotonic() - start


def test_killed_ten_times_at_random_points_there_is_one_of_each(
    label_studio: LabelStudio, tmp_path: Path, name: str
) -> None:
    folder = dataset(tmp_path, [*hats(130), *hats(9, "gloves"), *hats(8, "scarves")], items=130)
    verb = [str(folder), "--name", name, "--folder", str(tmp_path / "store")]
    whole = [str(folder), "--name", f"{name}-whole", "--folder", str(tmp_path / "whole")]
    assert survey("plan", *verb) == survey("plan", *whole) == 0
    chance = random.Random(10)
    with forker() as process:
        run(process, ["survey", "status", *whole])
        code, seconds = run(process, ["survey", "push", *whole])
        assert code == 0
        codes = [run(process, ["survey", "push", *verb], chance.uniform(0, seconds / 2))[0] for _ in range(10)]
        assert codes.count(-signal.SIGKILL) >= 5
        assert run(process, ["survey", "push", *verb])[0] == 0
    found = pushed(label_studio, name)
    assert {title: len(keys) for title, keys in found.items()} == {
        f"{name}: gloves 1": 9,
        f"{name}: hats 1": 130,
        f"{name}: scarves 1": 8,
    }
    keys = [key for keys in found.values() for key in keys]
    assert len(set(keys)) == len(keys) == 147


class Lossy(http.server.BaseHTTPRequestHandler):
    """Carries each request to the server and loses two answers in three on the way back."""

    server: LossyServer

    def log_message(self, *_: object) -> None:
        pass

    def _carry(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        target = urlsplit(self.server.target)
        line = http.client.HTTPConnection(target.hostname or "", target.port, timeout=60)
        headers = {key: value for key, value in self.headers.items() if key.lower() not in ("host", "connection")}
        line.request(self.command, self.path, body or None, headers)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        self.server.count += 1
        self.close_connection = True
        if self.server.chance.random() < 2 / 3:
            self.server.lost[self.command] += 1
            return
        self.send_response(answer.status)
        for key, value in answer.getheaders():
            if key.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(key, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = _carry  # noqa: N815


class LossyServer(http.server.ThreadingHTTPServer):
    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), Lossy)
        self.target, self.count, self.lost = target, 0, Counter[str]()
        self.chance = random.Random(7)


@contextmanager
def serving(server: http.server.HTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_proxy_that_loses_two_answers_in_three_causes_no_double(
    label_studio: LabelStudio, tmp_path: Path, name: str
) -> None:
    folder = dataset(tmp_path, [*hats(6), *hats(3, "gloves")], items=6)
    verb = (folder, "--name", name, "--folder", tmp_path / "store")
    assert survey("plan", *verb) == 0
    proxy = LossyServer(label_studio.url)
    with serving(proxy) as url:
        assert survey("push", *verb, "--url", url) == 0
        assert survey("push", *verb, "--url", url) == 0
        assert survey("pull", *verb, "--url", url) == 0
    assert proxy.lost["POST"] >= 2
    assert sum(proxy.lost.values()) > 0.5 * proxy.count
    found = pushed(label_studio, name)
    assert sorted(map(len, found.values())) == [3, 6]
    keys = [key for keys in found.values() for key in keys]
    assert len(set(keys)) == len(keys) == 9


def test_pushed_from_two_places_it_is_one_survey(label_studio: LabelStudio, tmp_path: Path, name: str) -> None:
    folder = dataset(tmp_path, hats(4))
    for place in ("here", "there"):
        verb = (folder, "--name", name, "--folder", tmp_path / place)
        assert survey("plan", *verb) == 0
        assert survey("push", *verb) == 0
    assert [len(keys) for keys in pushed(label_studio, name).values()] == [4]


def test_doubles_of_ours_that_nobody_answered_are_taken_away(
    label_studio: LabelStudio, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset(tmp_path, hats(3))
    verb = (folder, "--name", name, "--folder", tmp_path / "store")
    assert survey("plan", *verb) == 0
    assert survey("push", *verb) == 0
    [project] = label_studio.projects(name)
    whole = label_studio.call("GET", f"/api/projects/{project['id']}")
    tasks = label_studio.tasks(project["id"])
    label_studio.call("POST", f"/api/projects/{project['id']}/import", [{"data": task["data"]} for task in tasks])
    second = {key: whole[key] for key in ("title", "description", "label_config")}
    double = label_studio.call("POST", "/api/projects/", second)["id"]
    label_studio.call("POST", f"/api/projects/{double}/import", [{"data": task["data"]} for task in tasks])
    [person] = label_studio.persons(1)
    latest = max(label_studio.tasks(double), key=lambda task: int(task["id"]))
    label_studio.answer(latest["id"], person, part("relevant", "yes"))
    assert survey("push", *verb) == 0
    [left] = label_studio.projects(name)
    assert left["id"] == double  # the one that people have answered
    assert len(label_studio.tasks(double)) == 3
    # where both hold answers nobody but a person can tell which is right
    other = label_studio.call("POST", "/api/projects/", second)["id"]
    label_studio.call("POST", f"/api/projects/{other}/import", [{"data": task["data"]} for task in tasks])
    label_studio.answer(label_studio.tasks(other)[0]["id"], person, part("relevant", "no"))
    capsys.readouterr()
    assert survey("push", *verb) == 1
    assert "both" in capsys.readouterr().err
    assert len(label_studio.projects(name)) == 2


def test_what_is_another_s_is_not_touched(
    label_studio: LabelStudio, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset(tmp_path, hats(2))
    verb = (folder, "--name", name, "--folder", tmp_path / "store")
    assert survey("plan", *verb) == 0
    config = '<View><Text name="t" value="$text"/><Choices name="c" toName="t"><Choice value="a"/></Choices></View>'
    theirs = {"title": f"{name}: hats 1", "label_config": config}
    made = label_studio.call("POST", "/api/projects/", theirs)["id"]
    capsys.readouterr()
    assert survey("push", *verb) == 1
    [line] = lines(capsys.readouterr().err)
    assert f"project {made} is called" in line
    label_studio.call("DELETE", f"/api/projects/{made}/")
    assert survey("push", *verb) == 0
    [project] = label_studio.projects(name)
    changed = project["label_config"].replace('alias="unsure"', 'alias="perhaps"')
    label_studio.call("PATCH", f"/api/projects/{project['id']}/", {"label_config": changed})
    capsys.readouterr()
    assert survey("push", *verb) == 1
    [line] = lines(capsys.readouterr().err)
    assert "asks something else" in line
    assert "(no, perhaps, yes)" in line
    assert label_studio.projects(name)[0]["label_config"] == changed
    # other words in the same form are a translator's business
    reworded = project["label_config"].replace("Not sure", "No idea")
    label_studio.call("PATCH", f"/api/projects/{project['id']}/", {"label_config": reworded})
    assert survey("push", *verb) == 0
    assert label_studio.projects(name)[0]["label_config"] == reworded


def test_new_stereotypes_come_behind_what_was_sent(label_studio: LabelStudio, tmp_path: Path, name: str) -> None:
    folder = dataset(tmp_path / "a", hats(4))
    store = tmp_path / "store"
    assert survey("plan", folder, "--name", name, "--folder", store) == 0
    assert survey("push", folder, "--name", name, "--folder", store) == 0
    before = pushed(label_studio, name)
    more = dataset(tmp_path / "b", hats(6))
    assert survey("plan", more, "--name", name, "--folder", store) == 0
    assert survey("push", more, "--name", name, "--folder", store) == 0
    after = pushed(label_studio, name)
    assert {title: after[title] for title in before} == before
    assert [len(keys) for keys in after.values()] == [4, 2]


# --- as the guide says ------------------------------------------------------------------------------------


def test_the_guide_leads_to_a_first_tier_in_six_commands(
    label_studio: LabelStudio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/survey.md, word for word; the server is the one that runs, and one person answers by hand."""
    guide = (Path(__file__).parents[1] / "docs" / "survey.md").read_text(encoding="utf-8")
    commands = guide.split("```sh\n")[1].split("```")[0].splitlines()
    assert len(commands) <= 6
    install, token, start, *verbs = commands
    assert f"pip install -q label-studio=={prepare_labelstudio.VERSION}" in install
    assert "LABEL_STUDIO_API_KEY" in token
    flags = [flag for flag in prepare_labelstudio.arguments("token", "password") if flag.startswith("--")]
    assert all(flag in start.split() for flag in flags)
    monkeypatch.chdir(tmp_path)
    for command in (one for line in verbs for one in line.split(" && ")):
        program, verb, *arguments = command.split()
        assert (program, verb) == ("contrapar", "survey")
        if arguments[0] == "pull":
            [person] = label_studio.persons(1)
            project = label_studio.projects("identiteit: orientation")[0]
            for task in label_studio.tasks(project["id"])[:2]:
                label_studio.answer(task["id"], person, part("relevant", "yes"), part("harmfulness", "3"))
        assert survey(*arguments) == 0
    assert [row["tier"] for row in read(tmp_path / "first-tiers.csv") if row["tier"]] == ["1", "1"]
    assert "2  tier 1" in capsys.readouterr().out


def test_a_personal_access_token_works_too(
    label_studio: LabelStudio,
    tmp_path: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    allowed = label_studio.call("GET", "/api/jwt/settings")
    label_studio.call("POST", "/api/jwt/settings", {**allowed, "api_tokens_enabled": True})
    token = label_studio.call("POST", "/api/token/")["token"]
    folder = dataset(tmp_path, hats(1))
    verb = (folder, "--name", name, "--folder", tmp_path / "store")
    assert survey("plan", *verb) == 0
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", token)
    assert survey("push", *verb) == 0
    assert survey("status", *verb) == 0
    assert "0 of 3 answers" in capsys.readouterr().out


# --- what no form could give ------------------------------------------------------------------------------


def test_impossible_answers_are_told_by_task_and_the_rest_comes_through(
    label_studio: LabelStudio, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset(tmp_path, hats(4), least=1)
    store = tmp_path / "store"
    verb = (folder, "--name", name, "--folder", store)
    assert survey("plan", *verb) == 0
    assert survey("push", *verb) == 0
    [project] = label_studio.projects(name)
    tasks = sorted(label_studio.tasks(project["id"]), key=lambda task: str(task["data"]["stereotype"]))
    persons = label_studio.persons(3)
    yes = part("relevant", "yes")
    for task in tasks:
        label_studio.answer(task["id"], persons[0], yes)
    label_studio.answer(tasks[0]["id"], persons[1], part("relevant", "maybe"))
    label_studio.answer(tasks[1]["id"], persons[1], yes, part("harmfulness", "9"))
    rating = {"from_name": "harmfulness", "to_name": "item", "type": "rating", "value": {"rating": 9}}
    label_studio.answer(tasks[1]["id"], persons[2], yes, rating)
    data = {"key": "f" * 24, "stereotype": "en/hats/none", "text": "They are.", "examples": "", "group": "hats"}
    label_studio.call("POST", f"/api/projects/{project['id']}/import", [{"data": data}])
    stray = next(task["id"] for task in label_studio.tasks(project["id"]) if task["data"]["key"] == "f" * 24)
    label_studio.answer(stray, persons[0], yes)
    label_studio.call("DELETE", f"/api/tasks/{tasks[3]['id']}/")
    capsys.readouterr()
    assert survey("pull", *verb) == 0
    told = lines(capsys.readouterr().err)
    place = f"{name}: hats 1, task "
    assert any(line.startswith(f"{place}{tasks[0]['id']}:relevant: warning impossible-answer") for line in told)
    assert sum(line.startswith(f"{place}{tasks[1]['id']}:harmfulness: warning") for line in told) == 2
    assert any(line.startswith(f"{place}{stray}: warning unknown-stereotype") for line in told)
    assert any("task of 'en/hats/003' is not on the server any more" in line for line in told)
    assert sorted(row["stereotype"] for row in read(store / "answers.csv")) == [f"en/hats/00{n}" for n in range(3)]
    assert survey("pull", *verb, "--strict") == 1
    assert survey("push", *verb) == 0  # puts the deleted task there anew
    assert len(label_studio.tasks(project["id"])) == 5


# --- every failure in one line ----------------------------------------------------------------------------


class Website(http.server.BaseHTTPRequestHandler):
    """Another web site: it answers 200 to everything, with HTML or with JSON of its own, and sets a cookie."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        body = b"{}" if self.path.startswith("/json") else b"<html>Welcome</html>"
        self.send_response(302 if self.path.startswith("/moved") else 200)
        if self.path.startswith("/moved"):
            self.send_header("Location", "/elsewhere")
        self.send_header("Set-Cookie", "sessionid=a-secret-cookie")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def addresses(label_studio: LabelStudio) -> Iterator[dict[str, str]]:
    """Where nothing works as it should."""
    with socket.socket() as closed, socket.socket() as hanging:
        closed.bind(("127.0.0.1", 0))
        hanging.bind(("127.0.0.1", 0))
        hanging.listen(16)  # takes the line, and never answers
        website = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Website)
        with serving(website) as site:
            yield {
                "right": label_studio.url,
                "wrong path": f"{label_studio.url}/nothing/here",
                "another web site": site,
                "another web site's JSON": f"{site}/json",
                "moved": f"{site}/moved",
                "server down": f"http://127.0.0.1:{closed.getsockname()[1]}",
                "server hanging": f"http://127.0.0.1:{hanging.getsockname()[1]}",
                "no address": "label-studio",
                "a password in it": label_studio.url.replace("//", "//me:hunter2@"),
                "no such name": "http://label-studio.invalid",
            }


FAILURES = [
    ("wrong token", "right", "f" * 40, "refuses this token"),
    ("token with a newline", "right", "{token}\n", "line break"),
    ("newline within", "right", "abc\ndef", "line break"),
    ("token with a letter", "right", "tokén", "letter that no token has"),
    ("no token", "right", "", "set LABEL_STUDIO_API_KEY"),
    ("token out of date", "right", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjF9.c2ln", "refuses this token"),
    *(
        (address, address, "{token}", told)
        for address, told in (
            ("wrong path", "no such thing there (404)"),
            ("another web site", "not Label Studio"),
            ("another web site's JSON", "not Label Studio"),
            ("moved", "not Label Studio"),
            ("server down", "nothing answers there"),
            ("server hanging", "no answer within 0.5 seconds"),
            ("no address", "such as http://"),
            ("a password in it", "more than host and path"),
            ("no such name", "nothing answers there"),
        )
    ),
]


@pytest.mark.parametrize(("what", "address", "token", "told"), FAILURES, ids=[failure[0] for failure in FAILURES])
@pytest.mark.parametrize("verb", ["push", "status", "pull"])
def test_every_failure_is_one_line(
    label_studio: LabelStudio,
    addresses: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    verb: str,
    what: str,
    address: str,
    token: str,
    told: str,
) -> None:
    folder = dataset(tmp_path, hats(1))
    store = tmp_path / "store"
    assert survey("plan", folder, "--folder", store) == 0
    token = token.replace("{token}", label_studio.token)
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", token)
    capfd.readouterr()
    code = survey(verb, folder, "--folder", store, "--url", addresses[address], "--timeout", "0.5")
    captured = capfd.readouterr()
    assert code in (1, 2)
    [line] = lines(captured.out + captured.err)
    assert told in line
    for secret in ("sessionid", "cookie", "hunter2", "Traceback", *([token.strip()] if token.strip() else [])):
        assert secret.lower() not in line.lower()
