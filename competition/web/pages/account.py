"""Signing up, in and out, one-time links, and the user's account."""

from __future__ import annotations

import smtplib
import sys

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from vgdl.competition.web import accounts, courses, entries, identities, limits, records
from vgdl.competition.web.accounts import AccountError, User
from vgdl.competition.web.pages.common import Form, before, form_page, redirect, render, shared, user_of, visitor


def sign_up(request: Request) -> Response:
    """The form for a new account."""
    return render(request, "web/sign-up.html", form=True, title="Sign up", name="", email="", error="")


@form_page
def sign_up_done(request: Request, form: Form) -> Response:
    """Create an account and sign in."""
    common, name, email = shared(request), form.text("name"), form.text("email")
    try:
        limits.spend(common.database, limits.SIGN_UP, limits.network(address_of(request)))
        user = accounts.sign_up(common.database, name, form.secret("password"), email)
    except AccountError as error:
        data = {"title": "Sign up", "name": name, "email": email, "error": str(error)}
        return render(request, "web/sign-up.html", status=400, form=True, **data)
    return signed_in(request, user, "/")


def join(request: Request) -> Response:
    """The form for a new account behind the link of a course."""
    return _join(request)


@form_page
def join_done(request: Request, form: Form) -> Response:
    """Create the account of a member of a course, and sign in."""
    common, name, email = shared(request), form.text("name"), form.text("email")
    try:
        limits.spend(common.database, limits.JOIN, limits.network(address_of(request)))
        user = courses.join(common.database, request.path_params["token"], name, form.secret("password"), email)
    except AccountError as error:
        return _join(request, name=name, email=email, error=str(error), status=400)
    return signed_in(request, user, "/")


def _join(request: Request, *, name: str = "", email: str = "", error: str = "", status: int = 200) -> Response:
    course = courses.invitation(shared(request).database, request.path_params["token"])
    if course is None:
        raise HTTPException(404, "this link of a course does not work any more; ask for another")
    title = f"Sign up for {course['words']}"
    return render(
        request, "web/sign-up.html", status=status, form=True, title=title, name=name, email=email, error=error
    )


def sign_in(request: Request) -> Response:
    """The form for signing in."""
    target = local(request.query_params.get("next", "/"))
    return render(request, "web/sign-in.html", form=True, title="Sign in", name="", target=target, error="")


@form_page
def sign_in_done(request: Request, form: Form) -> Response:
    """Sign in; the session always gets a new token, even if the visitor has a cookie."""
    common, name, target = shared(request), form.text("name"), local(form.text("next"))
    try:
        address = address_of(request)
        limits.spend(common.database, limits.SIGN_IN_ADDRESS, limits.network(address))
        limits.guess(common.database, accounts.name_key(name), address)
        user = accounts.sign_in(common.database, name, form.secret("password"))
        limits.forgive(common.database, accounts.name_key(name), address)
    except AccountError as error:
        data = {"title": "Sign in", "name": name, "target": target, "error": str(error)}
        return render(request, "web/sign-in.html", status=400, form=True, **data)
    return signed_in(request, user, target)


@form_page
def sign_out(request: Request, form: Form) -> Response:
    """End the session."""
    accounts.close_session(shared(request).database, visitor(request).token)
    response = redirect("/")
    shared(request).cookies.clear(response)
    return response


def forgot(request: Request) -> Response:
    """The form for requesting a new password."""
    can_mail = shared(request).mail is not None
    return render(request, "web/forgot.html", form=True, title="New password", can_mail=can_mail, sent=False)


@form_page
def forgot_done(request: Request, form: Form) -> Response:
    """Send a link by e-mail if there is an account with an address; the page does not reveal whether there is."""
    common = shared(request)
    limits.spend(common.database, limits.RESET, limits.network(address_of(request)))
    if common.mail is None:
        raise HTTPException(404, "this site sends no e-mail")
    try:
        user = accounts.find_user(common.database, form.text("name"))
    except AccountError:
        user = None
    if user is not None and user.email:
        link = f"{common.address}/link/{accounts.make_link(common.database, 'reset', user)}"
        text = f"Set a new password for {user.name}:\n\n{link}\n\nThe link works once, within two days.\n"
        try:
            common.mail.send(user.email, f"{common.title}: new password", text)
        except (OSError, smtplib.SMTPException) as error:
            print(f"e-mail could not be sent: {type(error).__name__}", file=sys.stderr)
    return render(request, "web/forgot.html", form=True, title="New password", can_mail=True, sent=True)


def link(request: Request) -> Response:
    """The form behind a one-time link."""
    known = accounts.link(shared(request).database, request.path_params["token"])
    status = 200 if known else 404
    data = {"title": "One-time link", "known": known, "name": "", "error": ""}
    return render(request, "web/link.html", status=status, form=True, **data)


@form_page
def link_done(request: Request, form: Form) -> Response:
    """Use a one-time link, and sign in."""
    common, token, name = shared(request), request.path_params["token"], form.text("name")
    limits.spend(common.database, limits.SIGN_IN_ADDRESS, limits.network(address_of(request)))
    try:
        user = accounts.use_link(common.database, token, form.secret("password"), name)
    except AccountError as error:
        known = accounts.link(common.database, token)
        data = {"title": "One-time link", "known": known, "name": name, "error": str(error)}
        return render(request, "web/link.html", status=400, form=True, **data)
    return signed_in(request, user, "/organise" if user.is_organiser else "/")


def account(request: Request) -> Response:
    """The user's account and entries."""
    return _account(request, user_of(request))


@form_page
def new_token(request: Request, form: Form) -> Response:
    """Create a token for programs, and show it once."""
    user = user_of(request)
    return _account(request, user, token=accounts.make_token(shared(request).database, user))


@form_page
@before(user_of)
def new_password(request: Request, form: Form) -> Response:
    """Change the password; all other sessions end."""
    user, common = user_of(request), shared(request)
    limits.guess(common.database, accounts.name_key(user.name), f"session of {user.id}")
    try:
        accounts.change_password(common.database, user, form.secret("old"), form.secret("password"))
    except AccountError as error:
        return _account(request, user, error=str(error), status=400)
    return signed_in(request, user, "/account")


def address_of(request: Request) -> str:
    """The client address of a request, as known to the server."""
    return request.client.host if request.client else "unknown"


def _account(request: Request, user: User, *, token: str = "", error: str = "", status: int = 200) -> Response:
    own = entries.history(shared(request).database, user)
    played = records.of_user(shared(request).database, user)
    return render(
        request,
        "web/account.html",
        status=status,
        title="Account",
        entries=own,
        records=played,
        has_identity=identities.has_one(shared(request).database, user),
        token=token,
        error=error,
    )


def signed_in(request: Request, user: User, target: str) -> Response:
    """Begin a session, in place of the one that the browser has, and show a page."""
    common = shared(request)
    before = visitor(request)
    if before.user is not None:
        accounts.close_session(common.database, before.token)
    response = redirect(target)
    common.cookies.write(response, accounts.open_session(common.database, user), accounts.SESSION_S)
    return response


def local(target: str) -> str:
    """A redirect target on this site; the home page for any other target."""
    plain = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if plain and "\\" not in target and len(target) < 500 else "/"
