"""Signing in at a provider of OpenID Connect: one that plays its part by a script, on this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlsplit

import pytest

import sites
from vgdl.competition import cli
from vgdl.competition.errors import CompetitionError
from vgdl.competition.web import accounts, identities, oidc
from vgdl.competition.web.database import Database
from vgdl.competition.web.oidc import Identity, Provider

pytest.importorskip("authlib")
jwk = pytest.importorskip("joserfc.jwk")
jwt = pytest.importorskip("joserfc.jwt")

pytestmark = pytest.mark.one_case

CLIENT, SECRET = "site", "s3cret/with:marks"
KEY = jwk.ECKey.generate_key("P-256", {"kid": "one"})
OTHER_KEY = jwk.ECKey.generate_key("P-256", {"kid": "one"})


class Scripted:
    """The provider: what it says can be changed by a test."""

    def __init__(self) -> None:
        self.person: dict[str, Any] = {"sub": "17", "preferred_username": "Ann"}
        self.changes: dict[str, Any] = {}  # of the ID token
        self.sign: Callable[[dict[str, Any]], str] = _signed
        self.metadata: dict[str, Any] = {}
        self.codes: dict[str, dict[str, str]] = {}
        self.problems: list[str] = []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/realm/keys":
                    return self._answer({"keys": [KEY.as_dict(private=False)]})
                own = {"issuer": provider.issuer, "authorization_endpoint": f"{provider.issuer}/authorize",
                       "token_endpoint": f"{provider.issuer}/token", "jwks_uri": f"{provider.issuer}/keys"}  # fmt: skip
                return self._answer(own | provider.metadata)

            def do_POST(self) -> None:
                sent = dict(parse_qsl(self.rfile.read(int(self.headers["content-length"])).decode()))
                self._answer(*provider.exchange(sent, self.headers.get("authorization", "")))

            def _answer(self, facts: object, status: int = 200) -> None:
                content = json.dumps(facts).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}/realm"

    def of_site(self) -> Provider:
        """The provider as the site is told about it."""
        where = self.issuer.removeprefix("http://")
        return Provider.from_url(f"http://{CLIENT}:{quote(SECRET, safe='')}@{where}?name=University")

    def authorize(self, address: str) -> dict[str, str]:
        """Someone signs in here; returns what the browser is sent back with."""
        parts = urlsplit(address)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{self.issuer}/authorize"
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        assert (asked["redirect_uri"], asked["code_challenge_method"]) == (
            "http://testserver/sign-in/provider/done",
            "S256",
        )
        assert "openid" in asked["scope"].split()
        code = f"code{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def exchange(self, sent: dict[str, str], authorization: str) -> tuple[object, int]:
        """Give the ID token for a code, once, to the client that can prove that it began the sign-in."""
        asked = self.codes.pop(sent.get("code", ""), None)
        client = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        proof = base64.urlsafe_b64encode(hashlib.sha256(sent.get("code_verifier", "").encode()).digest()).rstrip(b"=")
        if (
            asked is None
            or client not in (f"{CLIENT}:{SECRET}", f"{CLIENT}:{quote(SECRET, safe='')}")
            or proof.decode() != asked["code_challenge"]
            or sent["redirect_uri"] != asked["redirect_uri"]
        ):
            return {"error": "invalid_grant"}, 400
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
        } | self.person
        claims = {name: value for name, value in (claims | self.changes).items() if value is not None}
        return {"access_token": "a", "token_type": "Bearer", "id_token": self.sign(claims)}, 200


def _signed(claims: dict[str, Any], key: Any = KEY) -> str:
    return str(jwt.encode({"alg": "ES256", "kid": "one"}, claims, key, algorithms=["ES256"]))


def _hmac(claims: dict[str, Any]) -> str:
    content = f"{_part({'alg': 'HS256', 'kid': 'one'})}.{_part(claims)}"
    digest = hmac.new(KEY.as_pem(private=False), content.encode(), "sha256").digest()
    return f"{content}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def _part(facts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(facts).encode()).rstrip(b"=").decode()


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    made = Scripted()
    thread = threading.Thread(target=made.server.serve_forever, args=(0.01,))
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def begin(visit: sites.Visit, target: str = "/account") -> str:
    """Follow the link to the provider; returns where it leads."""
    answer = visit.client.get(f"/sign-in/provider?next={target}", follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def end(visit: sites.Visit, sent: dict[str, str]) -> Any:
    """Come back from the provider."""
    return visit.client.get("/sign-in/provider/done", params=sent)


def sign_in(visit: sites.Visit, scripted: Scripted) -> Any:
    return end(visit, scripted.authorize(begin(visit)))


def test_someone_signs_in_at_the_provider_and_has_the_same_account_again(
    database: Database, scripted: Scripted
) -> None:
    provider = scripted.of_site()
    visitor = sites.visit(database, provider=provider)
    assert "Sign in with University" in visitor.client.get("/sign-in").text
    first = sign_in(visitor, scripted)
    assert (first.status_code, first.url.path, "<h1>Ann</h1>" in first.text) == (200, "/account", True)
    scripted.person["preferred_username"] = "Renamed"
    again = sign_in(sites.visit(database, provider=provider), scripted)
    assert "<h1>Ann</h1>" in again.text
    assert [one.name for one in accounts.users(database)] == ["Ann"]
    assert database.rows("SELECT id FROM logins") == []
    with pytest.raises(accounts.AccountError):
        accounts.sign_in(database, "Ann", "")


def test_no_account_is_taken_over_by_its_name_or_address(database: Database, scripted: Scripted) -> None:
    sites.user(database)
    database.run("UPDATE users SET email = 'ann@example.org'")
    scripted.person |= {"email": "ann@example.org"}
    for verified, kept in ((None, ""), ("true", ""), (False, ""), (True, "ann@example.org")):
        scripted.person |= {"sub": f"of {verified}", "email_verified": verified}
        page = sign_in(sites.visit(database, provider=scripted.of_site()), scripted)
        name = f"Ann {len(accounts.users(database))}"
        assert f"<h1>{name}</h1>" in page.text
        assert accounts.find_user(database, name).email == kept


def test_a_user_connects_an_account_and_nobody_elses(database: Database, scripted: Scripted) -> None:
    provider = scripted.of_site()
    for name in ("Zoe", "Bob"):
        sites.user(database, name)
    zoe, bob = (sites.visit(database, provider=provider).sign_in(name) for name in ("Zoe", "Bob"))
    assert "Connect your account at University" in zoe.client.get("/account").text
    assert "You can sign in with University" in sign_in(zoe, scripted).text
    refused = sign_in(bob, scripted)
    assert (refused.status_code, "belongs to Zoe" in refused.text) == (400, True)
    assert "<h1>Bob</h1>" in bob.client.get("/account").text
    assert "<h1>Zoe</h1>" in sign_in(sites.visit(database, provider=provider), scripted).text


def _foreign_key(scripted: Scripted) -> None:
    scripted.sign = lambda claims: _signed(claims, OTHER_KEY)


def _shared_secret(scripted: Scripted) -> None:
    """The public key as the secret of an HMAC."""
    scripted.sign = _hmac


def _unsigned(scripted: Scripted) -> None:
    scripted.sign = lambda claims: f"{_part({'alg': 'none'})}.{_part(claims)}."


@pytest.mark.parametrize(
    "change",
    [
        _foreign_key,
        _shared_secret,
        _unsigned,
        *({"nonce": value} for value in ("another", None)),
        *({"iss": value} for value in ("http://evil.example", None)),
        *({"aud": value} for value in ("another", ["another"], None)),
        *({"sub": value} for value in (None, "", 17, "x" * 300)),
        *({"exp": value} for value in (1, None, "soon")),
        {"azp": "another"},
    ],
    ids=lambda changed: getattr(changed, "__name__", str(changed)),
)
def test_an_answer_that_is_not_for_this_sign_in_is_refused(
    database: Database, scripted: Scripted, change: dict[str, Any] | Callable[[Scripted], None]
) -> None:
    if callable(change):
        change(scripted)
    else:
        scripted.changes = change
    refused = sign_in(visitor := sites.visit(database, provider=scripted.of_site()), scripted)
    assert refused.status_code == 400
    assert "University is not" in refused.text
    assert accounts.users(database) == []
    assert visitor.client.get("/account").url.path == "/sign-in"


def test_a_sign_in_belongs_to_the_browser_that_began_it_and_works_once(
    database: Database, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = scripted.of_site()
    attacker, victim = (sites.visit(database, provider=provider) for _ in range(2))
    begin(victim)
    sent = scripted.authorize(begin(attacker))
    assert end(victim, sent).status_code == 400  # the attacker's account is not for the victim
    assert end(attacker, sent).status_code == 400  # and the state has been used
    sent = scripted.authorize(begin(attacker))
    for wrong in (
        {},
        {"code": sent["code"]},
        sent | {"state": "x"},
        {"state": sent["state"], "error": "<b>denied</b>"},
    ):
        answer = end(attacker, wrong)
        assert (answer.status_code, "<b>" in answer.text) == (400, False)
    sent = scripted.authorize(begin(attacker)) | {"iss": "http://evil.example"}
    assert end(attacker, sent).status_code == 400
    monkeypatch.setattr(oidc, "LOGIN_S", -1.0)
    assert end(attacker, scripted.authorize(begin(attacker))).status_code == 400
    assert accounts.users(database) == []


def test_a_stolen_code_is_of_no_use_without_the_verifier(database: Database, scripted: Scripted) -> None:
    provider = scripted.of_site()
    victim, attacker = (sites.visit(database, provider=provider) for _ in range(2))
    stolen = scripted.authorize(begin(victim))["code"]
    own = scripted.authorize(begin(attacker))
    answer = end(attacker, {"code": stolen, "state": own["state"]})
    assert (answer.status_code, "did not accept the sign-in" in answer.text) == (400, True)


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example"])
def test_signing_in_there_leads_to_pages_of_this_site_only(database: Database, scripted: Scripted, target: str) -> None:
    visitor = sites.visit(database, provider=scripted.of_site())
    answer = end(visitor, scripted.authorize(begin(visitor, quote(target, safe=""))))
    assert (answer.status_code, answer.url.host, answer.url.path) == (200, "testserver", "/")


@pytest.mark.parametrize(
    "metadata",
    [{"issuer": "http://evil.example"}, {"token_endpoint": None}, {"jwks_uri": "file:///etc/passwd"}, {"pad": "x" * (1 << 20)}],
    ids=["issuer", "token", "keys", "size"],
)  # fmt: skip
def test_a_provider_that_does_not_answer_as_it_should_is_named(
    database: Database, scripted: Scripted, metadata: dict[str, Any]
) -> None:
    scripted.metadata = metadata
    answer = sites.visit(database, provider=scripted.of_site()).client.get("/sign-in/provider")
    assert (answer.status_code, "University" in answer.text) == (400, True)


def test_names_that_are_taken_or_not_allowed_are_replaced(database: Database) -> None:
    names = [
        identities.sign_in(database, Identity("i", str(number), name, "no address"), None).name
        for number, name in enumerate(["Ann", "Ann", "A N N", "\u200b", "", "x" * 200])
    ]
    assert names == ["Ann", "Ann 2", "A N N 3", "Member 2", "Member 3", "x" * 37]  # "A N N 2" looks like "Ann 2"


def test_a_site_without_a_provider_has_no_such_page(database: Database) -> None:
    client = sites.visit(database).client
    assert client.get("/sign-in/provider").status_code == 404
    assert "/sign-in/provider" not in client.get("/sign-in").text


@pytest.mark.parametrize(
    "url", ["https://issuer.example", "https://a@issuer.example", "http://a:hidden@issuer.example", "x"]
)
def test_settings_of_a_provider_that_are_wrong_are_refused_without_their_secret(
    url: str, database: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VGDL_OIDC", url)
    with pytest.raises(SystemExit):
        cli.main(["serve", "--store", database.address, "--port", "0"])
    told = capsys.readouterr().err
    assert "https://CLIENT:SECRET@ISSUER?name=UNIVERSITY" in told
    assert "hidden" not in told


@pytest.mark.parametrize("module", ["authlib.integrations.httpx_client", "joserfc.jwt", "httpx"])
def test_a_missing_extra_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(CompetitionError, match=r"vgdl\[oidc\]"):
        Provider.from_url("https://a:b@issuer.example")
    assert "b'" not in repr(Provider("https://issuer.example", "a", "b", "n"))
