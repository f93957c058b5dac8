"""Shared by all pages: the visitor, forms, templates, and error pages."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

import jinja2
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from vgdl.competition.errors import CompetitionError
from vgdl.competition.report.site import environment
from vgdl.competition.track import Track
from vgdl.competition.web import accounts, competitions, jobs, people
from vgdl.competition.web.accounts import User
from vgdl.competition.web.competitions import Competition, SettingsError, State
from vgdl.competition.web.database import Database, Row
from vgdl.competition.web.entries import NotYours
from vgdl.competition.web.limits import TooMany
from vgdl.competition.web.mail import Mail
from vgdl.competition.web.oidc import Provider
from vgdl.competition.web.rankings import Boards
from vgdl.competition.web.run_pages import RunPages
from vgdl.competition.web.security import VISITOR, Cookies, fresh_token
from vgdl.competition.web.track_boards import TrackBoards

PACKAGES = ("vgdl.competition.web", "vgdl.competition.tracks.planning.pages", "vgdl.competition.report")
"""Packages whose ``templates`` and ``static`` folders are used, in order of precedence."""


T = TypeVar("T")


class Recent(Generic[T]):
    """A value that is computed anew after some seconds, by one thread; meanwhile, the others get the last one."""

    def __init__(self, compute: Callable[[], T], seconds: float) -> None:
        """Compute nothing yet."""
        self._compute, self._seconds = compute, seconds
        self._computing = threading.Lock()
        self._known: tuple[float, T] | None = None

    def get(self) -> T:
        """The value."""
        known = self._known
        if known is not None and (time.monotonic() - known[0] < self._seconds or self._computing.locked()):
            return known[1]
        with self._computing:
            if self._known is known:
                self._known = time.monotonic(), self._compute()
            assert self._known is not None
            return self._known[1]


class Fragments:
    """Parts of pages that are the same for all visitors, rendered once; shared by the threads of a process.

    While one thread renders a new version of a part, the others get the last one: a new board makes nobody wait.
    """

    MOST_LETTERS = 64 << 20
    """Maximum length of all parts together."""

    def __init__(self, templates: jinja2.Environment) -> None:
        """Start with none."""
        self._templates = templates
        self._known: OrderedDict[tuple[object, ...], tuple[object, str]] = OrderedDict()
        self._letters = 0
        self._rendering: dict[tuple[object, ...], threading.Lock] = {}
        self._lock = threading.Lock()

    def get(
        self, template: str, name: tuple[object, ...], version: object, data: Callable[[], Mapping[str, Any]]
    ) -> Markup:
        """A rendered template.

        Args:
            template: its name.
            name: what it shows, and to whom: parts of which some visitors may see less have names of their own.
            version: the state of the data; another one renders the part again.
            data: computes the data for the template, of which its text is a function.
        """

        def make() -> str:
            return self._templates.get_template(template).render(data())

        return Markup(self.text((template, *name), version, make))  # escaped by the template

    def text(self, key: tuple[object, ...], version: object, make: Callable[[], str]) -> str:
        """A text of any kind, which is likewise made once for each version."""
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
            lock = self._rendering.setdefault(key, threading.Lock())
        if known is not None and (known[0] == version or lock.locked()):
            return known[1]
        with lock:  # many ask for a new part at once
            known = self._known.get(key)
            if known is None or known[0] != version:
                known = version, make()
                self._keep(key, known)
            return known[1]

    def _keep(self, key: tuple[object, ...], made: tuple[object, str]) -> None:
        """Store a part, in place of those that were not asked for the longest."""
        with self._lock:
            if (last := self._known.pop(key, None)) is not None:
                self._letters -= len(last[1])
            self._known[key] = made
            self._letters += len(made[1])
            while self._letters > self.MOST_LETTERS and len(self._known) > 1:
                gone, (_, text) = self._known.popitem(last=False)
                self._letters -= len(text)
                self._rendering.pop(gone, None)


@dataclass(frozen=True, slots=True)
class Shared:
    """The data that all requests of a process share."""

    database: Database
    cookies: Cookies
    boards: Boards
    mail: Mail | None
    address: str  #: address of the site, without a trailing slash, for links outside its pages
    templates: jinja2.Environment
    track_boards: TrackBoards
    queue: Recent[jobs.Status]
    fragments: Fragments
    counts: Recent[dict[int, int]]  #: ranked entries of each competition
    lanes: Recent[tuple[list[Row], int]]  #: waiting jobs of each competition, and the plays of the last hour
    tracks: Sequence[Track[Any]]  #: those that are installed
    provider: Provider | None  #: where people sign in without a password
    forms: asyncio.Semaphore  #: limits the forms that are handled at once
    run_pages: RunPages
    title: str = "vgdl competitions"


@dataclass(slots=True)
class Visitor:
    """The sender of a request."""

    token: str  #: token of the session, or of a visitor who is not signed in; empty if there is none
    user: User | None


def shared(request: Request) -> Shared:
    """The data that all requests share."""
    return cast(Shared, request.app.state.shared)


def visitor(request: Request) -> Visitor:
    """The visitor; the database is queried at most once per request, and only for a correctly signed cookie."""
    known = getattr(request.state, "visitor", None)
    if known is None:
        common = shared(request)
        token = common.cookies.read(request.cookies, accounts.SESSION_S)
        user = accounts.session_user(common.database, token) if token and not token.startswith(VISITOR) else None
        known = request.state.visitor = Visitor(token, user)
    return cast(Visitor, known)


def wants_json(request: Request) -> bool:
    """Whether a request was sent by a script of a page, which shows the answer itself."""
    return request.headers.get("accept") == "application/json"


def user_of(request: Request) -> User:
    """The user who is signed in.

    Raises:
        HTTPException: the visitor is not signed in; redirects to the sign-in page, or says so to a script.
    """
    user = visitor(request).user
    if user is None and wants_json(request):
        raise HTTPException(401, "you are not signed in any more: load the page again, and sign in")
    if user is None:
        where = quote(request.url.path) if request.method == "GET" else "/"
        raise HTTPException(303, headers={"location": f"/sign-in?next={where}"})
    return user


def organiser_of(request: Request) -> User:
    """The organiser who is signed in.

    Raises:
        HTTPException: the visitor is not signed in, or is an entrant, for whom the page does not exist.
    """
    user = user_of(request)
    if not user.is_organiser:
        raise HTTPException(404, "there is no such page")
    return user


def competition_of(request: Request) -> Competition:
    """The competition named in the path; drafts are visible to organisers and the competition's assistants only.

    Raises:
        SettingsError: there is none.
    """
    found = competitions.find(shared(request).database, request.path_params["slug"])
    if found.state is State.DRAFT and not people.may_see(shared(request).database, visitor(request).user, found.id):
        raise SettingsError(f"there is no competition {found.slug!r}")
    return found


def seen_by(request: Request, competition_id: int) -> User:
    """The organiser or assistant who may see all entries of a competition.

    Raises:
        HTTPException: the visitor is not signed in, or is an entrant, for whom the page does not exist.
    """
    user = user_of(request)
    if not people.may_see(shared(request).database, user, competition_id):
        raise HTTPException(404, "there is no such page")
    return user


def render(request: Request, template: str, *, status: int = 200, form: bool = False, **data: Any) -> Response:
    """Render a page.

    Args:
        request: the request to answer.
        template: name of the template.
        status: status of the response.
        form: whether the page has a form for visitors who are not signed in, who then need a cookie.
        **data: data for the template; ``title`` is required; ``section`` is the page that the navigation marks.
    """
    common, who = shared(request), visitor(request)
    fresh = form and not who.token
    if fresh:
        who.token = fresh_token()
    content = common.templates.get_template(template).render(
        data,
        site=common,
        page={"title": data["title"], "target": data.get("section", request.url.path)},
        user=who.user,
        form_token=common.cookies.form_token(who.token) if who.token else "",
        url=lambda target: f"/{target}",
        now=time.time(),
    )
    response = HTMLResponse(content, status)
    if fresh:
        common.cookies.write(response, who.token, accounts.SESSION_S)
    if who.token or form or status != 200:
        response.headers["cache-control"] = "no-store"
    else:
        response.headers["x-snapshot"] = "1"
        response.headers["cache-control"] = "no-cache"
    return response


def redirect(target: str) -> Response:
    """Redirect to another page of the site after a form."""
    return RedirectResponse(target, 303)


Handler = Callable[[Request, "Form"], Response]


class Form:
    """The fields of a submitted form."""

    def __init__(self, data: FormData | Mapping[str, str]) -> None:
        """Take the fields."""
        self._data = data

    def text(self, name: str, longest: int = 200) -> str:
        """A text field, without surrounding spaces; empty if it is missing.

        Raises:
            HTTPException: it is too long, or contains invalid characters.
        """
        return self.lines(name, longest).strip()

    def lines(self, name: str, longest: int) -> str:
        """A text field with its surrounding spaces; empty if it is missing.

        Raises:
            HTTPException: it is too long, or contains invalid characters.
        """
        value = self._data.get(name, "")
        if not isinstance(value, str) or "\0" in value:
            raise HTTPException(400, f"the field {name} is not text")
        if len(value) > longest:
            raise HTTPException(400, f"the field {name} has {len(value)} letters; {longest} are allowed")
        return value.replace("\r\n", "\n")

    def secret(self, name: str) -> str:
        """A password, exactly as typed."""
        value = self._data.get(name, "")
        return value[: 2 * accounts.LONGEST_PASSWORD] if isinstance(value, str) else ""

    def is_on(self, name: str) -> bool:
        """Whether a checkbox was ticked."""
        return self._data.get(name) == "on"

    def number(self, name: str) -> int:
        """A field with a number of at least 0.

        Raises:
            HTTPException: it is not such a number.
        """
        value = self.text(name, 12)
        if not (value.isascii() and value.isdecimal()):
            raise HTTPException(400, f"the field {name} is not a number")
        return int(value)

    def file(self, name: str) -> tuple[str, bytes] | None:
        """Name and content of a file; None if none was chosen. The content is at most as large as a body may be."""
        value = self._data.get(name)
        if not isinstance(value, UploadFile) or not value.filename:
            return None
        return value.filename, value.file.read()


def form_page(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Make a form handler: read the fields, check the token, and run the handler in a separate thread."""

    @functools.wraps(handler)
    async def answer(request: Request) -> Response:
        before = getattr(handler, "before", None)
        who = await run_in_threadpool(visitor, request)
        if before is not None:
            await run_in_threadpool(before, request)
        async with request.form(max_files=1, max_fields=60, max_part_size=32 << 10) as data:
            form = Form(data)
            given = request.headers.get("x-form-token") or form.text("form_token", 100)
            if not shared(request).cookies.is_form_token(who.token, given):
                raise HTTPException(403, "this form is too old, or your browser keeps no cookies: load the page again")
            async with shared(request).forms:
                return await run_in_threadpool(handler, request, form)

    return answer


def before(check: Callable[[Request], object]) -> Callable[[Handler], Handler]:
    """Run a check before the body of a form is read."""

    def mark(handler: Handler) -> Handler:
        handler.before = check  # type: ignore[attr-defined]
        return handler

    return mark


def problem(request: Request, error: Exception) -> Response:
    """An error as a page with a helpful message."""
    status, words, headers = described(error)
    if 300 <= status < 400:
        return Response(status_code=status, headers=headers)
    titles = {403: "Not allowed", 404: "Not found", 413: "Too large", 429: "Too many requests", 500: "An error of ours"}
    title = titles.get(status, "This cannot be done")
    response = render(request, "web/problem.html", status=status, title=title, words=words)
    response.headers.update(headers)
    return response


def described(error: Exception) -> tuple[int, str, dict[str, str]]:
    """Status, message and headers for an error."""
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        return error.status_code, _words(error, headers), headers
    if isinstance(error, TooMany):
        return 429, f"{str(error)[0].upper()}{str(error)[1:]}.", {"retry-after": str(error.seconds)}
    if isinstance(error, NotYours):
        return 404, str(error), {}
    if isinstance(error, SettingsError) and str(error).startswith("there is no"):
        return 404, str(error), {}
    if isinstance(error, CompetitionError):
        return 400, str(error), {}
    return 500, "The error was noted; the organisers can look it up in the log of the site.", {}


def _words(error: HTTPException, headers: Mapping[str, str]) -> str:
    """The message of an error, in place of the bare phrases of the routes."""
    if error.status_code == 405:
        return f"this address accepts {' and '.join(sorted(headers['Allow'].split(', ')))} only"
    return "there is no such page" if error.detail == "Not Found" else error.detail


def make_templates(of_tracks: Sequence[str] = ()) -> jinja2.Environment:
    """The templates of the site, and those of the results site, whose macros they use.

    Args:
        of_tracks: packages with the templates of tracks that have pages of their own on the site.
    """
    made = environment(dict.fromkeys([*PACKAGES, *of_tracks]), None)
    made.auto_reload = False  # the files of a template are looked at once
    made.filters.update(as_input=as_input, moment=moment, ago=ago, duration=duration, size=file_size)
    made.globals.update(state_kind=_STATE_KINDS.get, competition_states=State)
    return made


def compile_all(templates: jinja2.Environment) -> None:
    """Compile the pages before the first reader asks for one: each takes some milliseconds."""
    for name in templates.list_templates(filter_func=lambda name: name.startswith("web/")):
        templates.get_template(name)


def static_folders() -> list[tuple[str, str]]:
    """Packages whose folder ``static`` is served, in order of precedence."""
    return [(package, "static") for package in PACKAGES]


def moment(seconds: float | None) -> str:
    """A time in UTC."""
    return "–" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def as_input(seconds: float | None) -> str:
    """A time in UTC as the value of a field of a form."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M")


def ago(seconds: float) -> str:
    """Format the time since something happened."""
    return f"{duration(max(0.0, time.time() - seconds))} ago"


def duration(seconds: float) -> str:
    """A length of time in words: ``40 s``, ``12 min``, ``3 h``, ``2 days``."""
    for size, words in ((86400.0, "day"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            number = round(seconds / size)
            return f"{number} {words}{'s' if words == 'day' and number != 1 else ''}"
    return f"{seconds:.0f} s"


def file_size(count: int) -> str:
    """A number of bytes in words: ``1 KiB``, ``2.5 MiB``."""
    return f"{count / (1 << 20):.1f}".removesuffix(".0") + " MiB" if count >= 100 << 10 else f"{-(-count >> 10)} KiB"


_STATE_KINDS = {
    "waiting": "neutral",
    "being evaluated": "warn",
    "evaluated": "good",
    "disqualified": "warn",
    "too slow in construction": "warn",
    "archive refused": "bad",
    "did not import": "bad",
    "could not be evaluated": "bad",
    "open": "good",
    "draft": "neutral",
    "closing": "warn",
    "decided": "neutral",
}
"""Colours for the states of entries and competitions."""
