"""A client of `kbench serve`: evaluations over HTTP."""

import email.message
import http.client
import ipaddress
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import IO, Any, Dict, Mapping, Optional, Tuple, Union

from ._errors import KbenchError
from ._rows import Row, Source, file_name

HELD = 600.0    # seconds that the server may hold a request
MARGIN = 30.0   # seconds beyond that until a connection counts as dead
TRY_AGAIN = (429, 503)
MOST_BYTES = 64 << 20  # of an answer; a row has some kilobytes


NO_KBENCH = "something else than `kbench serve` listens at this address"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token to another address; kbench serve sends none."""

    def redirect_request(self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str,
                         headers: email.message.Message, newurl: str) -> None:
        return None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _files(source: Source) -> Dict[str, str]:
    if isinstance(source, str):
        return {file_name(source): source}
    if isinstance(source, Mapping):
        return dict(source)
    if source.is_file():
        return {source.name: source.read_text(encoding="utf-8")}
    return {str(file.relative_to(source)): file.read_text(encoding="utf-8")
            for file in sorted(source.rglob("*")) if file.is_file()}


class Client:
    """Asks the server at `url`, as "http://127.0.0.1:8377", with a token of its tokens' file.

    A server of this machine is asked directly, any other one by the proxies of the environment.
    """

    def __init__(self, url: str, token: str) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise KbenchError(f"{url!r} is no address of a server", "it is like http://127.0.0.1:8377")
        if not token.isascii() or not token.isprintable():
            raise KbenchError("the token is no token: it has other signs than letters, digits and punctuation",
                              "a token is one line of the server's file of tokens")
        self._url = url.rstrip("/")
        self._token = token
        direct = [urllib.request.ProxyHandler({})] if _is_loopback(parts.hostname) else []
        self._opener = urllib.request.build_opener(_NoRedirect, *direct)

    def evaluate(self, task: str, source: Source, *, reward: Optional[str] = None, size: Optional[str] = None,
                 patience: float = 3600.0) -> Row:
        """Has a submission judged, waits until its row is there, and returns it with its `reward`.

        reward      the name of a reward; milestone_sure without it
        patience    seconds until KbenchError is raised; the evaluation goes on, and the same call finds its row

        A kernel that fails is a row as well. The same files for the same task are measured once.
        """
        body: Dict[str, Any] = {"task": task, "files": _files(source)}
        if reward is not None:
            body["reward"] = reward
        if size is not None:
            body["size"] = size
        deadline = time.monotonic() + patience
        while True:
            left = deadline - time.monotonic()
            body["wait_s"] = max(1.0, min(HELD, left))
            status, answer, pause = self._ask("POST", "/v1/evaluations", body, body["wait_s"] + MARGIN)
            if status == 200:
                return self._row(answer)
            if time.monotonic() + pause >= deadline:
                raise KbenchError(f"no row within {patience:g} s", "call it again: the evaluation goes on", status)
            time.sleep(pause)

    def row(self, key: str, *, reward: Optional[str] = None) -> Optional[Row]:
        """The row of an evaluation's id, as an answer of the server has it; None as long as it is not judged."""
        query = "?" + urllib.parse.urlencode({"reward": reward}) if reward is not None else ""
        path = "/v1/evaluations/" + urllib.parse.quote(key, safe="") + query
        status, answer, _ = self._ask("GET", path, None, MARGIN)
        return self._row(answer) if status == 200 else None

    def healthy(self) -> bool:
        """Whether the server is up and takes requests."""
        try:
            return self._ask("GET", "/health", None, MARGIN)[0] == 200
        except KbenchError:
            return False

    @staticmethod
    def _row(answer: Dict[str, Any]) -> Row:
        if not isinstance(answer.get("row"), dict) or not isinstance(answer.get("run_id"), str):
            raise KbenchError("the server's answer has no row", NO_KBENCH)
        return Row({"run_id": answer["run_id"], **answer["row"]})

    def _ask(self, method: str, path: str, body: Optional[Dict[str, Any]],
             timeout: float) -> Tuple[int, Dict[str, Any], float]:
        """Status, answer, and the seconds after which to ask again. Raises KbenchError on any other refusal."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {"Authorization": "Bearer " + self._token,
                                                                 "Content-Type": "application/json"}, method=method)
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return response.status, _object_in(response), 1.0
        except urllib.error.HTTPError as refused:
            with refused:
                if refused.code in TRY_AGAIN:
                    return refused.code, {}, _seconds(refused.headers.get("Retry-After"))
                raise _refusal(refused) from None
        except (OSError, http.client.HTTPException) as lost:
            raise KbenchError(f"the server at {self._url} does not answer: {lost}",
                              "`kbench serve` prints its address when it is up") from lost


def _object_in(answer: IO[bytes]) -> Dict[str, Any]:
    """The JSON of an answer. Whoever answers may be anybody."""
    text = answer.read(MOST_BYTES + 1)
    try:
        value = json.loads(text) if len(text) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise KbenchError("the server's answer is no JSON object of kbench's", NO_KBENCH)
    return value


def _seconds(text: Union[str, None]) -> float:
    try:
        return max(0.0, min(60.0, float(text or "1")))
    except ValueError:
        return 1.0


def _refusal(refused: urllib.error.HTTPError) -> KbenchError:
    try:
        error = _object_in(refused)["error"]
        return KbenchError(str(error["message"]), str(error.get("hint") or ""), refused.code)
    except (KbenchError, KeyError, TypeError, AttributeError, OSError, http.client.HTTPException):
        return KbenchError(f"the server answered {refused.code}", "", refused.code)
