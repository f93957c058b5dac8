"""E-mail by SMTP, if an organiser has configured it; only used for links to reset a password."""

from __future__ import annotations

import smtplib
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import parse_qs, unquote, urlsplit

from vgdl.competition.errors import CompetitionError

TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class Mail:
    """A server for outgoing e-mail."""

    host: str
    port: int
    user: str
    password: str
    sender: str
    tls: bool  #: whether TLS is used from the start (smtps); otherwise STARTTLS, if the server offers it

    @classmethod
    def from_url(cls, url: str) -> Mail:
        """Read ``smtp://USER:PASSWORD@HOST:587?from=ADDRESS``, or ``smtps://…``.

        Raises:
            CompetitionError: it is not such a URL; the message does not repeat it, because it contains a password.
        """
        parts = urlsplit(url)
        sender = parse_qs(parts.query).get("from", [""])[0]
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or "@" not in sender:
            raise CompetitionError("the settings for e-mail are smtp://USER:PASSWORD@HOST:587?from=ADDRESS")
        tls = parts.scheme == "smtps"
        port = parts.port or (465 if tls else 587)
        return cls(parts.hostname, port, unquote(parts.username or ""), unquote(parts.password or ""), sender, tls)

    def send(self, to: str, subject: str, text: str) -> None:
        """Send a message.

        Raises:
            OSError, smtplib.SMTPException: sending failed.
        """
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, to, subject
        message.set_content(text)
        connect = smtplib.SMTP_SSL if self.tls else smtplib.SMTP
        with connect(self.host, self.port, timeout=TIMEOUT_S) as server:
            if not self.tls and server.has_extn("starttls"):
                server.starttls()
            if self.user:
                server.login(self.user, self.password)
            server.send_message(message)
