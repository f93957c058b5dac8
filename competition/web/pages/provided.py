"""Signing in at a provider of OpenID Connect."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from vgdl.competition.web import accounts, identities, limits
from vgdl.competition.web.oidc import Provider
from vgdl.competition.web.pages.account import address_of, local, signed_in
from vgdl.competition.web.pages.common import redirect, shared, visitor
from vgdl.competition.web.security import LEAVES, fresh_token

BEGIN, DONE = "/sign-in/provider", "/sign-in/provider/done"


def begin(request: Request) -> Response:
    """Send the browser to the provider.

    It is a link, not a form: the policy of the pages allows no form that leads to another site.
    """
    common, provider, who = shared(request), _provider(request), visitor(request)
    limits.spend(common.database, limits.JOIN, limits.network(address_of(request)))
    token = who.token or fresh_token()
    target = local(request.query_params.get("next", "/"))
    response = redirect(provider.begin(common.database, token, target, f"{common.address}{DONE}"))
    response.headers["cache-control"] = "no-store"
    response.headers[LEAVES.decode()] = "1"
    if not who.token:
        common.cookies.write(response, token, accounts.SESSION_S)
    return response


def done(request: Request) -> Response:
    """Where the provider sends the browser back: sign in, sign up, or connect the account of the user."""
    common, provider, who = shared(request), _provider(request), visitor(request)
    back = f"{common.address}{DONE}"
    identity, target = provider.finish(common.database, who.token, request.query_params, back)
    return signed_in(request, identities.sign_in(common.database, identity, who.user), target)


def _provider(request: Request) -> Provider:
    found = shared(request).provider
    if found is None:
        raise HTTPException(404, "this site has no provider to sign in at")
    return found
