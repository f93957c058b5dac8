"""Signing in at a provider of OpenID Connect: the authorization code flow with PKCE, by Authlib (extra ``oidc``).

A sign-in that has begun is a row in the database. It is bound to the browser that began it, works once, and has a
nonce that the signed ID token must contain.
"""

from __future__ import annotations

import hmac
import importlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from vgdl.competition.agents.plain_data import printable
from vgdl.competition.errors import CompetitionError
from vgdl.competition.web.accounts import hashed_token
from vgdl.competition.web.database import Database
from vgdl.extras import needs

TIMEOUT_S = 10.0
"""Seconds within which the provider must answer."""

LOGIN_S = 600.0
"""Seconds within which someone must sign in at the provider."""

METADATA_S = 3600.0
"""Seconds for which the provider's addresses and keys are cached."""

LEEWAY_S = 60
"""Difference between the clocks of site and provider that is accepted, in seconds."""

MOST_BYTES = 1 << 20
"""Maximum size of an answer of the provider."""

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that are accepted: those by a key that only the provider has."""

_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class SignInFailed(CompetitionError):
    """A sign-in at the provider failed; the message says why."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What the provider says about someone who has signed in."""

    issuer: str
    subject: str
    name: str  #: a name to propose; may be empty
    email: str  #: only if the provider has verified it


@dataclass(slots=True)
class Provider:
    """A provider of OpenID Connect, at which the site is registered as a client."""

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    name: str  #: for people
    _known: tuple[float, dict[str, Any], dict[str, Any]] | None = field(default=None, repr=False)
    _asking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def from_url(cls, url: str) -> Provider:
        """Read ``https://CLIENT:SECRET@ISSUER?name=UNIVERSITY``.

        Raises:
            CompetitionError: it is not such a URL, or the extra is not installed; the message does not repeat the URL,
                because it contains a secret.
        """
        parts = urlsplit(url)
        secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        if not secure or not parts.hostname or not parts.username or not parts.password:
            raise CompetitionError("the settings for OpenID Connect are https://CLIENT:SECRET@ISSUER?name=UNIVERSITY")
        _httpx_client()
        _joserfc()
        issuer = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        name = parse_qs(parts.query).get("name", [parts.hostname])[0]
        return cls(issuer, unquote(parts.username), unquote(parts.password), printable(name, 40))

    def begin(self, database: Database, visitor: str, target: str, back: str) -> str:
        """Begin a sign-in; returns the provider's page.

        Args:
            database: the database of the site.
            visitor: the token of the browser's cookie.
            target: the page to show afterwards.
            back: the address to which the provider sends the browser back.

        Raises:
            SignInFailed: the provider does not answer.
        """
        metadata, _ = self._metadata()
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        now = database.now()
        database.run("DELETE FROM logins WHERE expires < ?", now)
        database.run(
            "INSERT INTO logins (id, visitor, nonce, verifier, target, expires) VALUES (?, ?, ?, ?, ?, ?)",
            *(hashed_token(state), hashed_token(visitor), nonce, verifier, target, now + LOGIN_S),
        )
        with self._client(back) as client:
            address, _ = client.create_authorization_url(
                metadata["authorization_endpoint"], state=state, nonce=nonce, code_verifier=verifier
            )
        return str(address)

    def finish(self, database: Database, visitor: str, query: Mapping[str, str], back: str) -> tuple[Identity, str]:
        """End a sign-in; returns who has signed in, and the page to show.

        Args:
            database: the database of the site.
            visitor: the token of the browser's cookie.
            query: what the provider sent back.
            back: the address to which it sent the browser back.

        Raises:
            SignInFailed: it did not begin in this browser, is over, or the provider's answer is not valid.
        """
        row = database.row(
            "DELETE FROM logins WHERE id = ? AND expires > ? RETURNING visitor, nonce, verifier, target",
            *(hashed_token(query.get("state", "")), database.now()),
        )
        if row is None or not visitor or not hmac.compare_digest(row["visitor"], hashed_token(visitor)):
            raise SignInFailed("this sign-in did not begin in this browser, or took too long: sign in again")
        if "error" in query or not query.get("code"):
            raise SignInFailed(f"{self.name} did not sign you in: {printable(query.get('error', 'no code'), 100)}")
        if query.get("iss", self.issuer) != self.issuer:  # RFC 9207
            raise SignInFailed("the answer comes from another provider")
        metadata, keys = self._metadata()
        with self._client(back) as client:
            try:
                token = client.fetch_token(
                    metadata["token_endpoint"], code=query["code"], code_verifier=row["verifier"]
                )
            except Exception as error:  # of httpx and Authlib, and whatever an answer that is none leads to
                raise SignInFailed(f"{self.name} did not accept the sign-in: {_words(error)}") from None
        return self._identity(token.get("id_token"), row["nonce"], keys), row["target"]

    def _identity(self, token: object, nonce: str, keys: dict[str, Any]) -> Identity:
        """The contents of an ID token, after all checks (OpenID Connect Core, 3.1.3.7)."""
        jwt, jwk = _joserfc()
        registry = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self.issuer}, aud={"essential": True, "value": self.client_id},
            sub={"essential": True}, exp={"essential": True}, iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )  # fmt: skip
        try:
            if not isinstance(token, str):
                raise TypeError("there is no ID token")
            claims = jwt.decode(token, jwk.KeySet.import_key_set(keys), algorithms=list(ALGORITHMS)).claims
            registry.validate(claims)
        except Exception as error:  # of joserfc, and whatever a token that is none leads to
            raise SignInFailed(f"the answer of {self.name} is not valid: {_words(error)}") from None
        if claims.get("azp", self.client_id) != self.client_id or not 1 <= len(claims["sub"]) <= 255:
            raise SignInFailed(f"the answer of {self.name} is not for this site")
        names = (claims.get(one) for one in ("preferred_username", "nickname", "name"))
        name = next((one for one in names if isinstance(one, str) and one), "")
        email = claims.get("email") if claims.get("email_verified") is True else ""
        return Identity(self.issuer, claims["sub"], name[:200], email if isinstance(email, str) else "")

    def _metadata(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The provider's addresses (OpenID Connect Discovery) and keys."""
        with self._asking:
            if self._known is None or time.monotonic() - self._known[0] > METADATA_S:
                found = self._read(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
                if found.get("issuer") != self.issuer:
                    raise SignInFailed(f"{self.name} has another issuer than the site expects")
                for one in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                    address = found.get(one)
                    if not isinstance(address, str) or urlsplit(address).scheme != urlsplit(self.issuer).scheme:
                        raise SignInFailed(f"{self.name} has no {one}")
                self._known = time.monotonic(), found, self._read(found["jwks_uri"])
            return self._known[1], self._known[2]

    def _read(self, address: str) -> dict[str, Any]:
        httpx = importlib.import_module("httpx")
        content = b""
        try:
            with httpx.stream("GET", address, timeout=TIMEOUT_S) as answer:
                answer.raise_for_status()
                for block in answer.iter_bytes():
                    content += block
                    if len(content) > MOST_BYTES:
                        raise ValueError("too much")
            found = json.loads(content)
            if not isinstance(found, dict):
                raise ValueError("no object")
        except (httpx.HTTPError, ValueError, RecursionError) as error:
            raise SignInFailed(f"{self.name} does not answer as it should: {_words(error)}") from None
        return found

    def _client(self, back: str) -> Any:
        return _httpx_client()(
            self.client_id, self.secret, scope="openid profile email", redirect_uri=back,
            code_challenge_method="S256", timeout=TIMEOUT_S,
        )  # fmt: skip


def _words(error: Exception) -> str:
    """An error of a library or of the provider, in one bounded line."""
    return printable(" ".join(str(error).split()) or type(error).__name__, 200)


def _httpx_client() -> Any:
    try:
        importlib.import_module("httpx")
        return importlib.import_module("authlib.integrations.httpx_client").OAuth2Client
    except ImportError:
        raise CompetitionError(needs("OpenID Connect", "authlib", "oidc")) from None


def _joserfc() -> tuple[Any, Any]:
    try:
        return importlib.import_module("joserfc.jwt"), importlib.import_module("joserfc.jwk")
    except ImportError:
        raise CompetitionError(needs("OpenID Connect", "joserfc", "oidc")) from None
