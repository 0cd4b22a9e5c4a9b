"""A loopback Hub: enough of the protocol for the unmodified `huggingface_hub` and `datasets`.

Content-addressed blobs and immutable commits on disk. `Hub(root).start()`, `hub.fault(...)` to break a request,
`hub.log` to see them all, `hub.stop()`. Tokens: hf_write, hf_read, hf_mallory (TOKENS). Its error bodies and its
rules for cards stand in for the real Hub's.
"""

# ruff: noqa: E731, N815

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import struct
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import yaml

TOKENS = {  # token -> account; role is the token's role on the Hub
    "hf_write": {"name": "alice", "role": "write", "orgs": ["acme"]},
    "hf_read": {"name": "alice", "role": "read", "orgs": ["acme"]},
    "hf_mallory": {"name": "mallory", "role": "write", "orgs": []},
}
LFS_EXT = re.compile(r"\.(parquet|arrow|bin|gz|zip|zst|tar|npy|npz|jpg|png|wav|mp3|flac|pt|safetensors|7z|h5)$")
LFS_SIZE = 10 * 1024 * 1024  # larger files are LFS whatever their name
GITATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n*.arrow filter=lfs diff=lfs merge=lfs -text\n"
PAGE = 1000
SIZES = {
    "n<1K",
    "1K<n<10K",
    "10K<n<100K",
    "100K<n<1M",
    "1M<n<10M",
    "10M<n<100M",
    "100M<n<1B",
    "1B<n<10B",
    "10B<n<100B",
    "100B<n<1T",
    "n>1T",
    "other",
}


class HubError(Exception):
    def __init__(self, status, message, code=None, body=None, headers=None):
        self.status, self.message, self.code = status, message, code
        self.body = body if body is not None else {"error": message}
        self.headers = dict(headers or {})


def git_sha1(kind, data):
    return hashlib.sha1(b"%s %d\0" % (kind, len(data)) + data).hexdigest()


def pointer(sha256, size):
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()


def now():
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.") + "000Z"


def write_atomic(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    tmp = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(tmp, "wb") as f:
        f.write(data)
        f.flush()
        os.fsync(f.fileno())
    os.replace(tmp, path)


def front_matter(text):
    m = re.match(r"\A---\r?\n(.*?)\r?\n---(\r?\n|\Z)", text, re.S)
    return m.group(1) if m else None


def check_card(text):
    """The stand-in for the Hub's own rules: (errors, warnings)."""
    raw = front_matter(text)
    if raw is None:
        return [], ["empty or missing yaml metadata in repo card"]
    try:
        data = yaml.safe_load(raw)
    except yaml.YAMLError as e:
        return [f"YAML parse error: {e}"], []
    if data is None:
        return [], ["empty or missing yaml metadata in repo card"]
    if not isinstance(data, dict):
        return ["metadata must be a mapping"], []
    errors = []
    as_list = lambda v: v if isinstance(v, list) else [v]
    for key in ("language", "license", "task_categories", "size_categories", "tags"):
        if key in data and not all(isinstance(x, str) for x in as_list(data[key])):
            errors.append(f'"{key}" must be a string or an array of strings')
    for v in as_list(data.get("size_categories", [])):
        if isinstance(v, str) and v not in SIZES:
            errors.append(f'"size_categories" must be one of {sorted(SIZES)}')
    for c in as_list(data.get("configs", [])):
        if not (isinstance(c, dict) and isinstance(c.get("config_name"), str)):
            errors.append('"configs[].config_name" is required')
    return errors, []


class Store:
    """root/blobs/<sha256>; root/repos/<type>s/<ns>/<name>/{repo.json,commits/<oid>.json}."""

    def __init__(self, root):
        self.root, self.lock = Path(root), threading.RLock()
        (self.root / "blobs").mkdir(parents=True, exist_ok=True)

    def blob(self, sha256):
        return self.root / "blobs" / sha256

    def put_blob(self, data):
        sha = hashlib.sha256(data).hexdigest()
        if not self.blob(sha).exists():
            write_atomic(self.blob(sha), data)
        return sha

    def dir(self, rtype, rid):
        return self.root / "repos" / f"{rtype}s" / rid

    def repo(self, rtype, rid):
        try:
            return json.loads((self.dir(rtype, rid) / "repo.json").read_text())
        except FileNotFoundError:
            raise HubError(404, "Repository not found", "RepoNotFound") from None

    def save_repo(self, rtype, rid, repo):
        write_atomic(self.dir(rtype, rid) / "repo.json", json.dumps(repo).encode())

    def commit(self, rtype, rid, oid):
        return json.loads((self.dir(rtype, rid) / "commits" / f"{oid}.json").read_text())

    def resolve(self, rtype, rid, rev):
        """Branch, tag, refs/..., full oid or >=7 hex prefix -> commit."""
        repo = self.repo(rtype, rid)
        name = re.sub(r"^refs/(heads|tags)/", "", rev)
        oid = repo["branches"].get(name) or repo["tags"].get(name)
        if oid is None and re.fullmatch(r"[0-9a-f]{7,40}", rev):
            found = [p.stem for p in (self.dir(rtype, rid) / "commits").glob(f"{rev}*.json")]
            oid = found[0] if len(found) == 1 else None
        if oid is None:
            raise HubError(404, f"Invalid rev id: {rev}", "RevisionNotFound")
        return self.commit(rtype, rid, oid)

    def add_commit(self, rtype, rid, branch, files, title, message, author, parent):
        """Write the commit first, move the ref last: a crash leaves the branch where it was."""
        with self.lock:
            repo = self.repo(rtype, rid)
            body = {
                "parent": parent,
                "title": title,
                "message": message,
                "author": author,
                "date": now(),
                "files": files,
                "nonce": secrets.token_hex(8),
            }
            oid = hashlib.sha1(json.dumps(body, sort_keys=True).encode()).hexdigest()
            write_atomic(self.dir(rtype, rid) / "commits" / f"{oid}.json", json.dumps({"oid": oid, **body}).encode())
            repo["branches"][branch], repo["lastModified"] = oid, body["date"]
            self.save_repo(rtype, rid, repo)
            return oid

    def entry(self, data=None, sha256=None, size=None):
        if data is not None:
            return {"oid": git_sha1(b"blob", data), "sha256": self.put_blob(data), "size": len(data), "lfs": False}
        ptr = pointer(sha256, size)
        return {
            "oid": git_sha1(b"blob", ptr),
            "sha256": sha256,
            "size": size,
            "lfs": True,
            "pointerSize": len(ptr),
        }

    def create(self, rtype, rid, private):
        with self.lock:
            self.save_repo(
                rtype,
                rid,
                {"id": rid, "private": private, "createdAt": now(), "lastModified": now(), "branches": {}, "tags": {}},
            )
            self.add_commit(
                rtype, rid, "main", {".gitattributes": self.entry(GITATTRIBUTES)}, "initial commit", "", "system", None
            )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    # ---- plumbing -------------------------------------------------------------------------------
    def log_message(self, *a):
        pass

    def body(self, limit=None):
        """Whole request body; httpx sends uploads chunked when it cannot size the stream."""
        if self._body is None:
            if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
                out = []
                while True:
                    n = int(self.rfile.readline().split(b";")[0], 16)
                    out.append(self.rfile.read(n))
                    self.rfile.readline()
                    if n == 0:
                        break
                    if limit and sum(map(len, out)) >= limit:
                        return b"".join(out)
                self._body = b"".join(out)
            else:
                n = int(self.headers.get("Content-Length") or 0)
                self._body = self.rfile.read(min(n, limit) if limit else n)
        return self._body

    def json(self):
        return json.loads(self.body() or b"{}")

    def send(self, status, body=b"", headers=None, ctype="application/json; charset=utf-8"):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self._status = status
        self.send_response(status)
        hs = {"Content-Type": ctype, "Content-Length": str(len(body)), "X-Request-Id": self._rid, **(headers or {})}
        for k, v in hs.items():
            self.send_header(k, v)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def reset(self):
        """RST, as a dropped connection looks to the client."""
        self.close_connection = True
        self._status = "RESET"
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        raise ConnectionAbortedError

    def handle_any(self):
        self._body, self._status, self._rid = None, None, f"Root=1-{secrets.token_hex(8)}"
        hub, raw = self.server.hub, urlsplit(self.path)
        self.q = parse_qs(raw.query)
        seg = [s for s in raw.path.split("/") if s]
        try:
            fault = hub.take_fault(self.command, raw.path)
            kind = fault and fault["action"]
            if kind == "status":
                self.body()
                return self.send(
                    fault["status"], fault.get("body", {"error": fault.get("message", "fault")}), fault.get("headers")
                )
            if kind == "reset":  # before | mid (after N bytes of the request body) | after (work done, answer lost)
                if fault["when"] == "mid":
                    self.body(limit=fault.get("bytes", 1024))
                if fault["when"] != "after":
                    self.reset()
                self.send = lambda *a, **k: self.reset()
            self.account = self.authenticate()
            self.route(self.command, seg)
        except HubError as e:
            self.body()
            h = {"X-Error-Message": e.message.replace("\n", " "), **e.headers}
            if e.code:
                h["X-Error-Code"] = e.code
            self.send(e.status, e.body, h)
        except (ConnectionError, ValueError) as e:
            self.close_connection = True
            if not isinstance(e, ConnectionError) and self._status is None:
                self.send(400, {"error": f"bad request: {e}"})
        finally:
            self.__dict__.pop("send", None)
            hub.record(self.command, self.path, self._status, len(self._body or b""), self._body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_any

    # ---- auth -----------------------------------------------------------------------------------
    def authenticate(self):
        header = self.headers.get("Authorization", "")
        if not header:
            return None
        token = header.removeprefix("Bearer ")
        if token not in TOKENS:
            raise HubError(401, "Invalid credentials in Authorization header")
        return TOKENS[token]

    def may_write(self, rid):
        a, ns = self.account, rid.split("/")[0]
        if a is None:
            raise HubError(401, "Invalid username or password.")
        if a["role"] != "write" or ns not in [a["name"], *a["orgs"]]:
            raise HubError(403, "Forbidden: you don't have write access to this repository")

    def may_read(self, rtype, rid):
        repo = self.server.hub.store.repo(rtype, rid)
        a = self.account
        if repo["private"] and (a is None or rid.split("/")[0] not in [a["name"], *a["orgs"]]):
            raise HubError(401 if a is None else 404, "Repository not found", "RepoNotFound")
        return repo

    # ---- routes ---------------------------------------------------------------------------------
    def route(self, method, seg):
        if seg[:2] == ["api", "whoami-v2"]:
            if self.account is None:
                raise HubError(401, "Invalid username or password.")
            a = self.account
            return self.send(
                200,
                {
                    "type": "user",
                    "id": a["name"],
                    "name": a["name"],
                    "fullname": a["name"],
                    "orgs": [{"name": o, "type": "org", "roleInOrg": "write"} for o in a["orgs"]],
                    "auth": {"type": "access_token", "accessToken": {"displayName": "t", "role": a["role"]}},
                },
            )
        if seg[:2] == ["api", "validate-yaml"]:
            errors, warns = check_card(self.json()["content"])
            return self.send(
                400 if errors else 200,
                {"errors": [{"message": m} for m in errors], "warnings": [{"message": m} for m in warns]},
            )
        if seg[:2] == ["api", "agent-harnesses"]:
            return self.send(200, {"harnesses": {}})
        if seg[:3] == ["api", "repos", "create"]:
            return self.create_repo()
        if seg[0] == "_lfs":
            return self.lfs_object(method, seg[1:])
        if seg[:2] == ["api", "resolve-cache"]:  # /api/resolve-cache/datasets/ns/name/sha/path
            return self.resolve(method, seg[2][:-1], "/".join(seg[3:5]), seg[5], seg[6:], cached=True)
        if seg[0] == "api" and seg[1] in ("datasets", "models", "spaces") and len(seg) >= 4:
            return self.repo_api(method, seg[1][:-1], "/".join(seg[2:4]), seg[4:])
        rtype = {"datasets": "dataset", "spaces": "space"}.get(seg[0])
        seg = seg[1:] if rtype else seg
        rtype = rtype or "model"
        if len(seg) > 3 and seg[1].endswith(".git") and seg[2:] == ["info", "lfs", "objects", "batch"]:
            return self.lfs_batch(rtype, f"{seg[0]}/{seg[1][:-4]}")
        if len(seg) > 4 and seg[2] in ("resolve", "raw"):
            return self.resolve(method, rtype, "/".join(seg[:2]), seg[3], seg[4:])
        raise HubError(404, "Sorry, we can't find the page you are looking for.")

    def create_repo(self):
        hub, p = self.server.hub, self.json()
        if self.account is None:
            raise HubError(401, "Invalid username or password.")
        rtype, rid = p.get("type") or "model", f"{p.get('organization') or self.account['name']}/{p['name']}"
        url = f"{hub.url}/{'' if rtype == 'model' else rtype + 's/'}{rid}"
        if self.account["role"] != "write" or rid.split("/")[0] not in [self.account["name"], *self.account["orgs"]]:
            raise HubError(
                403, f'You don\'t have the rights to create a {rtype} under the namespace "{rid.split("/")[0]}"'
            )
        with hub.store.lock:
            if (hub.store.dir(rtype, rid) / "repo.json").exists():  # the client reads "url" from the 409 body too
                raise HubError(
                    409,
                    f"You already created this {rtype} repo",
                    body={"error": f"You already created this {rtype} repo", "url": url},
                )
            hub.store.create(rtype, rid, p.get("visibility") == "private" or p.get("private") is True)
        self.send(200, {"url": url, "name": rid, "id": rid})

    def repo_api(self, method, rtype, rid, rest):
        st = self.server.hub.store
        repo = self.may_read(rtype, rid)
        verb, arg = [*rest, "", ""][:2]
        rev = unquote(arg) or "main"
        if verb in ("", "revision"):
            return self.send(200, self.info(rtype, rid, repo, st.resolve(rtype, rid, rev if verb else "main")))
        if verb == "refs":
            ref = lambda kind, m: [{"name": n, "ref": f"refs/{kind}/{n}", "targetCommit": o} for n, o in m.items()]
            return self.send(
                200,
                {
                    "branches": ref("heads", repo["branches"]),
                    "converts": [],
                    "tags": ref("tags", repo["tags"]),
                    "pullRequests": [],
                },
            )
        if verb == "commits":
            out, c = [], st.resolve(rtype, rid, rev)
            while c:
                out.append(
                    {
                        "id": c["oid"],
                        "title": c["title"],
                        "message": c["message"],
                        "authors": [{"user": c["author"]}],
                        "date": c["date"],
                    }
                )
                c = st.commit(rtype, rid, c["parent"]) if c["parent"] else None
            return self.send(200, out, {"X-Total-Count": str(len(out))})
        if verb == "tree":
            return self.tree(rtype, rid, rev, unquote("/".join(rest[2:])))
        if verb == "paths-info":
            form = parse_qs(self.body().decode())
            c = st.resolve(rtype, rid, rev)
            all_ = self.listing(c, True)
            return self.send(200, [e for e in all_ if e["path"] in form.get("paths", [])])
        self.may_write(rid)  # everything below writes
        if verb == "preupload":
            c = st.resolve(rtype, rid, rev)
            out = []
            for f in self.json()["files"]:
                lfs = bool(LFS_EXT.search(f["path"])) or f["size"] > LFS_SIZE or b"\0" in base64.b64decode(f["sample"])
                old = c["files"].get(f["path"])
                oid = old and (old["sha256"] if old["lfs"] else old["oid"])  # sha256 for LFS, git sha1 otherwise
                out.append(
                    {
                        "path": f["path"],
                        "uploadMode": "lfs" if lfs else "regular",
                        "shouldIgnore": False,
                        **({"oid": oid} if oid else {}),
                    }
                )
            return self.send(200, {"files": out, "commitOid": c["oid"]})
        if verb == "settings":
            self.may_write(rid)
            with st.lock:
                repo = st.repo(rtype, rid)
                repo["gated"] = self.json().get("gated", False)
                st.save_repo(rtype, rid, repo)
            return self.send(200, {})
        if verb == "commit":
            return self.commit(rtype, rid, rev)
        if verb in ("tag", "branch"):
            with st.lock:
                repo = st.repo(rtype, rid)
                kind = {"tag": "tags", "branch": "branches"}[verb]
                if method == "DELETE":
                    if rev not in repo[kind]:
                        raise HubError(404, f"{verb} not found", "RevisionNotFound")
                    if rev == "main":
                        raise HubError(403, "main cannot be deleted")
                    del repo[kind][rev]
                else:
                    p = self.json()
                    name, start = (p["tag"], rev) if verb == "tag" else (rev, p.get("startingPoint") or "main")
                    if name in repo[kind]:
                        raise HubError(409, f"{verb.capitalize()} already exists: {name}")
                    if name.startswith("refs/"):
                        raise HubError(400, f"Invalid reference name: {name}")
                    repo[kind][name] = st.resolve(rtype, rid, start)["oid"]
                st.save_repo(rtype, rid, repo)
            return self.send(200, {})
        raise HubError(404, "Sorry, we can't find the page you are looking for.")

    def info(self, rtype, rid, repo, c):
        st, card, blobs = self.server.hub.store, {}, "blobs" in self.q
        if "README.md" in c["files"]:
            raw = front_matter(st.blob(c["files"]["README.md"]["sha256"]).read_bytes().decode("utf-8", "replace"))
            with suppress(yaml.YAMLError):
                card = yaml.safe_load(raw or "") or {}
        lfs = lambda e: (
            {"lfs": {"sha256": e["sha256"], "size": e["size"], "pointerSize": e["pointerSize"]}} if e["lfs"] else {}
        )
        return {
            "_id": hashlib.sha1(rid.encode()).hexdigest()[:24],
            "id": rid,
            "author": rid.split("/")[0],
            "sha": c["oid"],
            "lastModified": c["date"],
            "createdAt": repo["createdAt"],
            "private": repo["private"],
            "gated": repo.get("gated", False),
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": card.get("tags") or [],
            "cardData": json.loads(json.dumps(card, default=str)),
            "siblings": [
                {"rfilename": p, **({"size": e["size"], "blobId": e["oid"], **lfs(e)} if blobs else {})}
                for p, e in sorted(c["files"].items())
            ],
        }

    def listing(self, c, recursive, under=""):
        prefix, out, dirs = under + "/" if under else "", [], set()
        for p, e in sorted(c["files"].items()):
            if not p.startswith(prefix):
                continue
            parts = p[len(prefix) :].split("/")
            for i in range(1, len(parts) if recursive else min(len(parts), 2)):
                dirs.add(prefix + "/".join(parts[:i]))
            if recursive or len(parts) == 1:
                out.append(
                    {
                        "type": "file",
                        "oid": e["oid"],
                        "size": e["size"],
                        "path": p,
                        **(
                            {"lfs": {"oid": e["sha256"], "size": e["size"], "pointerSize": e["pointerSize"]}}
                            if e["lfs"]
                            else {}
                        ),
                        "lastCommit": {"id": c["oid"], "title": c["title"], "date": c["date"]},
                    }
                )
        return [
            {"type": "directory", "oid": git_sha1(b"tree", d.encode()), "size": 0, "path": d} for d in sorted(dirs)
        ] + out

    def tree(self, rtype, rid, rev, under):
        c = self.server.hub.store.resolve(rtype, rid, rev)
        out = self.listing(c, self.q.get("recursive", ["false"])[0].lower() == "true", under)
        if under and not out:
            raise HubError(404, f"{under} does not exist on {rev!r}", "EntryNotFound")
        at = int(self.q.get("cursor", ["0"])[0])
        h = {"X-Repo-Commit": c["oid"]}
        if at + PAGE < len(out):
            keep = "&".join(f"{k}={quote(v[0])}" for k, v in self.q.items() if k != "cursor")
            h["Link"] = f'<{self.server.hub.url}{urlsplit(self.path).path}?{keep}&cursor={at + PAGE}>; rel="next"'
        self.send(200, out[at : at + PAGE], h)

    def commit(self, rtype, rid, rev):
        st, hub = self.server.hub.store, self.server.hub
        lines = [json.loads(x) for x in self.body().splitlines() if x.strip()]
        head = next(x["value"] for x in lines if x["key"] == "header")
        with st.lock:
            repo = st.repo(rtype, rid)
            if rev not in repo["branches"]:
                st.resolve(rtype, rid, rev)  # 404 when unknown
                raise HubError(400, f"Invalid branch to commit to: {rev}")  # a tag or an oid is not writable
            tip = st.commit(rtype, rid, repo["branches"][rev])
            want = head.get("parentCommit")
            if want and not tip["oid"].startswith(want):
                raise HubError(412, "A commit has happened since. Please refresh and try again.")
            files = dict(tip["files"])
            for x in lines:
                key, v = x["key"], x["value"]
                if key == "file":
                    raw = v["content"]
                    files[v["path"]] = st.entry(
                        base64.b64decode(raw) if v.get("encoding") == "base64" else raw.encode()
                    )
                elif key == "lfsFile":
                    if not re.fullmatch(r"[0-9a-f]{64}", v["oid"]) or not st.blob(v["oid"]).exists():
                        raise HubError(
                            400, "Your push was rejected because an LFS pointer pointed to a file that does not exist."
                        )
                    files[v["path"]] = st.entry(sha256=v["oid"], size=st.blob(v["oid"]).stat().st_size)
                elif key == "deletedFile":
                    if files.pop(v["path"], None) is None:
                        raise HubError(404, "A file with this name doesn't exist", "EntryNotFound")
                elif key == "deletedFolder":
                    pre = v["path"].rstrip("/") + "/"
                    files = {p: e for p, e in files.items() if not p.startswith(pre)}
            if "README.md" in files and files["README.md"] != tip["files"].get("README.md"):
                errors, _ = check_card(st.blob(files["README.md"]["sha256"]).read_bytes().decode("utf-8", "replace"))
                if errors:
                    raise HubError(400, "Invalid metadata in README.md: " + "; ".join(errors))
            oid = st.add_commit(
                rtype, rid, rev, files, head["summary"], head.get("description", ""), self.account["name"], tip["oid"]
            )
        kind = "" if rtype == "model" else rtype + "s/"
        self.send(
            200,
            {"success": True, "commitOid": oid, "commitUrl": f"{hub.url}/{kind}{rid}/commit/{oid}", "hookOutput": ""},
        )

    # ---- LFS ------------------------------------------------------------------------------------
    def sign(self, what):
        return hmac.new(self.server.hub.key, what.encode(), "sha256").hexdigest()[:32]

    def lfs_batch(self, rtype, rid):
        self.may_read(rtype, rid)
        self.may_write(rid)
        hub, p, out = self.server.hub, self.json(), []
        for o in p["objects"]:
            item, oid = {"oid": o["oid"], "size": o["size"]}, o["oid"]
            if not hub.store.blob(oid).exists():  # no "actions" = already there, the client skips the upload
                url = f"{hub.url}/_lfs/put/{oid}?sig={self.sign('put' + oid)}"
                item["actions"] = {
                    "upload": {"href": url},
                    "verify": {"href": f"{hub.url}/_lfs/verify/{oid}", "header": {}},
                }
            out.append(item)
        self.send(
            200,
            {"transfer": "basic", "objects": out},
            ctype="application/vnd.git-lfs+json",
        )

    def lfs_object(self, method, seg):
        st, kind, oid = self.server.hub.store, seg[0], seg[1]
        if kind != "verify" and not hmac.compare_digest(self.q.get("sig", [""])[0], self.sign(kind + oid)):
            raise HubError(403, "bad signature")
        if kind == "get":
            return self.file(st.blob(oid), {"ETag": f'"{oid}"'})
        if kind == "verify":
            p = self.json()
            if not st.blob(oid).exists() or st.blob(oid).stat().st_size != p["size"]:
                raise HubError(404, "object not uploaded")
            return self.send(200, {})
        data = self.body()
        if hashlib.sha256(data).hexdigest() != oid:
            raise HubError(400, "content does not match its oid")
        st.put_blob(data)
        self.send(200, {})

    # ---- download -------------------------------------------------------------------------------
    def resolve(self, method, rtype, rid, rev, path, cached=False):
        hub, path = self.server.hub, "/".join(unquote(s) for s in path)
        self.may_read(rtype, rid)
        c = hub.store.resolve(rtype, rid, unquote(rev))
        e = c["files"].get(path)
        if e is None:  # X-Repo-Commit on a 404 lets the client remember "no such file at this commit"
            raise HubError(
                404, f"{path} does not exist on {unquote(rev)!r}", "EntryNotFound", headers={"X-Repo-Commit": c["oid"]}
            )
        etag = e["sha256"] if e["lfs"] else e["oid"]
        h = {"X-Repo-Commit": c["oid"], "ETag": f'"{etag}"', "Accept-Ranges": "bytes"}
        if e["lfs"]:
            h.update({"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(e["size"])})
            if hub.cdn:  # must be another origin, or the client follows the HEAD and loses these headers
                return self.send(
                    302, b"", {**h, "Location": f"{hub.cdn}/_lfs/get/{etag}?sig={self.sign('get' + etag)}"}
                )
        elif hub.resolve_cache and not cached:  # as the real Hub does for small files: 307 within the Hub
            kind = f"{rtype}s"
            return self.send(307, b"", {**h, "Location": f"/api/resolve-cache/{kind}/{rid}/{c['oid']}/{quote(path)}"})
        self.file(hub.store.blob(e["sha256"]), h)

    def file(self, path, headers):
        data, rng = path.read_bytes(), re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        status, ctype = 200, "application/octet-stream"
        if rng:
            a, b = int(rng[1]), min(int(rng[2] or len(data) - 1), len(data) - 1)
            if a > b:
                raise HubError(416, "Range not satisfiable", headers={"Content-Range": f"bytes */{len(data)}"})
            headers = {**headers, "Content-Range": f"bytes {a}-{b}/{len(data)}"}
            data, status = data[a : b + 1], 206
        self.send(status, data, headers, ctype)


class Hub:
    def __init__(self, root, port=0, host="127.0.0.1", cdn=False, resolve_cache=False):
        self.store, self.key, self.log, self.faults = Store(root), b"loopback", [], []
        self.resolve_cache, self._flock = resolve_cache, threading.Lock()
        self.httpd = ThreadingHTTPServer((host, port), Handler)
        self.httpd.hub, self.httpd.daemon_threads = self, True
        self.httpd.request_queue_size = 128
        self.port = self.httpd.server_address[1]
        self.url = f"http://{host}:{self.port}"
        self.cdn = f"http://localhost:{self.port}" if cdn else None  # another origin than 127.0.0.1

    def start(self):
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self):
        self.httpd.shutdown()
        self.httpd.server_close()

    def fault(self, method, path, times=1, skip=0, **action):
        """`method` None: any. action="status", status, headers, body | action="reset", when="before|mid|after"."""
        self.faults.append({"method": method, "path": path, "times": times, "skip": skip, **action})

    def take_fault(self, method, path):
        with self._flock:
            for f in self.faults:
                if f["times"] and f["method"] in (None, method) and re.search(f["path"], path):
                    if f["skip"]:
                        f["skip"] -= 1
                        continue
                    f["times"] -= 1
                    return f

    def record(self, method, path, status, nbytes, body):
        self.log.append((method, path, status, nbytes, body))
