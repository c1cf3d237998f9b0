"""Serves the pages on which a person marks answers, on this machine alone, and only to the person who started it.

Anyone who knows the address may mark: a random word in it serves as the password. Every request has to come for this machine by
name, and any that changes something has to come from a page of this server. Nothing that a student wrote runs.
"""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Any

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler

from autograder.checkout import Course, CourseError
from autograder.grading.marking import LONGEST, Answer, Marking, Saved, StaleError, read_points
from autograder.grading.marking_page import POLICY, Typed, View, answer_page, list_page, trouble_page

HERE = "127.0.0.1"
_SCRIPT = Path(__file__).with_name("marking.js")
_MAX_BODY = 1 << 20
_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With none at all, a browser would not say that a form comes from here.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def serve(course: Course, chapter: str, *, anonymous: bool, port: int, say: Callable[[str], None]) -> None:
    """Serve the pages until somebody presses Ctrl-C.

    Args:
        course: The course.
        chapter: The chapter.
        anonymous: Whether students have numbers instead of names.
        port: The port, or 0 for any that is free.
        say: Told where the pages are.

    Raises:
        CourseError: The chapter has not been graded, or the port is not available.
    """
    marking = Marking(course, chapter, anonymous=anonymous)
    try:
        (listening,) = bind_sockets(port, HERE)
    except OSError as error:
        raise CourseError(f"port {port} is not available ({error.strerror}): choose another one with --port") from error
    asyncio.run(_until_stopped(marking, listening, say))


async def _until_stopped(marking: Marking, listening: socket, say: Callable[[str], None]) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    server, address = start(marking, listening)
    say(f"Open {address}")
    say("Do not pass this address on: it is also the password. Press Ctrl-C here when you are done.")
    await stopped.wait()
    server.stop()
    await server.close_all_connections()


def start(marking: Marking, listening: socket) -> tuple[HTTPServer, str]:
    """Begin to serve the pages, in the event loop that runs. Returns the server and the address of the first page.

    Args:
        marking: What is marked.
        listening: Where requests arrive.
    """
    port, token = listening.getsockname()[1], secrets.token_urlsafe(32)
    hosts = (f"{HERE}:{port}", f"localhost:{port}")
    saved: dict[tuple[str, str], Saved] = {}
    shared = {"marking": marking, "token": token, "hosts": hosts, "saved": saved}
    pages = [
        (r"/([^/]+)/", _AnswerPage, shared),
        (r"/([^/]+)/list", _ListPage, shared),
        (r"/([^/]+)/save", _Save, shared),
        (r"/([^/]+)/undo", _Undo, shared),
        (r"/([^/]+)/marking\.js", _Script, shared),
    ]
    application = Application(
        pages, default_handler_class=_Nothing, default_handler_args=shared, log_function=lambda _: None
    )
    server = HTTPServer(application, max_body_size=_MAX_BODY)
    server.add_socket(listening)
    return server, f"http://{HERE}:{port}/{token}/"


class _TypedWrongly(Exception):
    """What somebody typed cannot be saved; the message says why."""

    def __init__(self, reason: str, *, about_points: bool = True) -> None:
        super().__init__(reason)
        self.about_points = about_points


class _Page(RequestHandler):
    """What every request is held to, and what every answer of the server says of itself."""

    def initialize(
        self, marking: Marking, token: str, hosts: tuple[str, ...], saved: dict[tuple[str, str], Saved]
    ) -> None:
        """Take what all pages share; of each answer, that is what was saved last."""
        self.marking, self._token, self._hosts, self.saved = marking, token, hosts, saved

    def set_default_headers(self) -> None:
        """Forbid whatever the pages do not need."""
        self.clear_header("Server")
        for name, value in _HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse whoever does not know the address, and whatever another page has a browser send."""
        given = self.path_args[0] if self.path_args else ""
        if self.request.host not in self._hosts:
            raise HTTPError(403, reason="Not this host")
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            raise HTTPError(403, reason="Not this address")
        if (
            self.request.method not in ("GET", "HEAD")
            and self.request.headers.get("Origin") != f"http://{self.request.host}"
        ):
            raise HTTPError(403, reason="Not from this page")

    def log_exception(self, *what: Any) -> None:
        """Show in the terminal what the page does not say: an error in the program."""
        if not isinstance(what[1], (HTTPError, CourseError)):
            super().log_exception(*what)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say what went wrong in a sentence."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        sentences = {
            400: "This cannot be read.",
            403: "This is not the address that the terminal shows, or it belongs to an earlier run.",
            404: "This page or this answer does not exist any more.",
            405: "This page does not exist.",
        }
        reason = sentences.get(
            status_code, "The program failed; the terminal says why. What you saved before is in the gradebook."
        )
        again: dict[str, str] = {}
        if isinstance(error, CourseError):
            self.set_status(503)
            reason = str(error)
            if self.request.method == "POST":
                reason = f"Nothing was saved: {reason}."
                again = {name: self.get_body_argument(name, "", strip=False) for name in self.request.body_arguments}
        self.finish(trouble_page(reason, again))

    def view(self) -> View:
        """Which answers are gone through; at first those of the first part in which any wait."""
        name = self.get_argument("exercise", "")
        part = self.marking.part(name)
        if part is None:
            if name:
                raise HTTPError(404)
            counts = self.marking.standing(self.marking.parts[0]).counts
            part = next((each for each in self.marking.parts if counts[each.name][0]), self.marking.parts[0])
        return View(part, waiting=self.get_argument("show", "unread") != "all")


class _AnswerPage(_Page):
    """One answer."""

    def get(self, _: str) -> None:
        """Show the answer that is asked for, or the first one; the list where there is none."""
        view = self.view()
        standing = self.marking.standing(view.part)
        saved = _answer_of(standing.answers, self.get_argument("saved", ""))
        key = self.get_argument("answer", "")
        answer = _answer_of(standing.answers, key)
        if key and answer is None:
            raise HTTPError(404)
        if answer is None:
            answer = standing.after(-1, waiting=view.waiting)
        if answer is None:
            self.finish(list_page(self.marking, view, standing, saved))
            return
        sheet = self.marking.sheet(view.part, answer)
        self.finish(answer_page(self.marking, view, standing, answer, sheet, saved, None))


class _ListPage(_Page):
    """All answers to one part."""

    def get(self, _: str) -> None:
        """Show them."""
        view = self.view()
        standing = self.marking.standing(view.part)
        saved = _answer_of(standing.answers, self.get_argument("saved", ""))
        self.finish(list_page(self.marking, view, standing, saved))


class _Save(_Page):
    """Saves points and a comment."""

    def post(self, _: str) -> None:
        """Save them and go to the next answer, or show what was typed once more and say why it was not saved."""
        view = self.view()
        standing = self.marking.standing(view.part)
        answer = _answer_of(standing.answers, self.get_body_argument("answer"))
        if answer is None:
            raise HTTPError(404)
        written = self.get_body_argument("points", "").strip()
        items = tuple(dict.fromkeys(self.get_body_arguments("item")))
        comment = _unified(self.get_body_argument("comment", "", strip=False))
        try:
            points = _points(written or (str(len(items)) if items else ""), view.part.worth)
            if points is None and not comment and answer.score is None and not answer.comment:
                raise _TypedWrongly("Type the points, or choose Next to go on without marking this answer.")
            if len(comment) > LONGEST:
                raise _TypedWrongly(f"A comment has at most {LONGEST:,} characters.", about_points=False)
            version = self.get_body_argument("version")
            self.saved[view.part.name, answer.key] = self.marking.save(view.part, answer, version, points, comment)
        except _TypedWrongly as error:
            self.set_status(400)
            self._again(view, answer, Typed(written, comment, items, str(error), error.about_points))
        except StaleError:
            self.set_status(409)
            self._again(view, answer, Typed(written, comment, items, self._changed(view, answer)))
        else:
            after = standing.after(standing.place(answer.key) or 0, waiting=view.waiting)
            page = "." if after else "list"
            self.redirect(view.address(after, page, saved=answer.key), status=303)

    def _changed(self, view: View, answer: Answer) -> str:
        """What somebody else has saved in the meantime."""
        sheet = self.marking.sheet(view.part, answer)
        points = "no points by hand" if sheet.manual is None else f"{sheet.manual:g} points"
        said = f"the comment “{sheet.comment}”" if sheet.comment else "no comment"
        return (
            f"Not saved: the grade or the answer has changed since this page was shown. Now there are {points} and "
            f"{said}. What you typed is below; to save it anyway, save again."
        )

    def _again(self, view: View, answer: Answer, typed: Typed) -> None:
        standing = self.marking.standing(view.part)
        sheet = self.marking.sheet(view.part, answer)
        self.finish(answer_page(self.marking, view, standing, answer, sheet, None, typed))


class _Undo(_Page):
    """Takes back what was saved last of an answer."""

    def post(self, _: str) -> None:
        """Take it back and show the answer again, or say why it was not taken back."""
        view = self.view()
        saved = self.saved.pop((view.part.name, self.get_body_argument("answer")), None)
        if saved is None:
            raise HTTPError(404)
        try:
            self.marking.take_back(saved)
        except StaleError:
            self.set_status(409)
            self.finish(
                trouble_page("Not undone: the grade, the comment or the answer has changed since you saved it.", {})
            )
        else:
            self.redirect(view.address(saved.answer), status=303)


class _Script(_Page):
    """The script of the pages."""

    def get(self, _: str) -> None:
        """Send it."""
        self.set_header("Content-Type", "text/javascript; charset=utf-8")
        self.finish(_SCRIPT.read_bytes())


class _Nothing(_Page):
    """Whatever else is asked for."""

    def prepare(self) -> None:
        """Refuse it."""
        raise HTTPError(403)


def _answer_of(answers: Any, key: str) -> Answer | None:
    return next((one for one in answers if one.key == key), None)


def _unified(text: str) -> str:
    """A text as it was typed, with the line breaks of a file."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").rstrip()


def _points(written: str, worth: float) -> float | None:
    """The points that somebody typed, or None for an empty field.

    Raises:
        _TypedWrongly: They are no such points.
    """
    try:
        return read_points(written, worth)
    except ValueError as error:
        raise _TypedWrongly(str(error)) from error
