"""Puts a guard before nbgrader's formgrader, in which an instructor opens what students wrote.

Its page `/formgrader?path=FOLDER` executes the `nbgrader_config.py` of whatever folder it is given, on a plain GET: a picture in an
answer, or any page that the browser shows, could so run code as the instructor. It also puts ids and names into its
pages unescaped, and serves the files beside a notebook to the browser as pages of its own.

Behind the guard, formgrader shows the course that it was started with and no other; its pages run nbgrader's own scripts alone and
load nothing from another host; files beside a notebook are downloaded. `make formgrader` loads the guard as an extension of the
server, and the course's `nbgrader_config.py` sets it up in every server that reads that file.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, pass_context
from jupyter_server.utils import url_path_join
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import apihandlers, handlers
from nbgrader.server_extensions.formgrader.base import BaseApiHandler, BaseHandler
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from tornado import web

from autograder.grading import rendering

_GUARDED = "autograder_guard"
_NO_ANCESTORS = "frame-ancestors 'none'"
# In an address, these would end a string or a tag of the pages' own scripts.
_UNSAFE = re.compile(r"[\"<>\\\x00-\x1f\x7f\u2028\u2029]")
# nbgrader's script waits for MathJax before it can be used by keys. Formulas come as MathML, so that there is nothing to wait for.
_NO_MATHJAX = '<script>var MathJax = {Hub: {Startup: {signal: {Interest: function (tell) { tell("End"); }}}}};</script>'


def guard() -> None:
    """Guard every formgrader that is loaded from now on in this process."""
    FormgradeExtension.init_tornado_settings = _init_settings
    FormgradeExtension.init_handlers = _init_handlers


def _load_jupyter_server_extension(app: Any) -> None:
    """Set up the guard in a Jupyter server.

    Raises:
        RuntimeError: formgrader was loaded before it, without it.
    """
    guard()
    settings = app.web_app.settings
    if "nbgrader_formgrader" in settings and _GUARDED not in settings:
        raise RuntimeError(
            "nbgrader's formgrader was loaded without its guard: load autograder.grading.formgrader first"
        )


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


class _Templates(FileSystemLoader):
    """nbgrader's templates, whose scripts carry the number that lets them run in this one answer of the server."""

    def __init__(self, folder: str, number: str) -> None:
        super().__init__(folder)
        self._number = number

    def get_source(self, environment: Environment, template: str) -> Any:
        source, *more = super().get_source(environment, template)
        source = source.replace("{{ mathjax() }}", _NO_MATHJAX)
        return source.replace("<script", f'<script nonce="{{{{ {self._number} }}}}"'), *more


class _Exporter(HTMLExporter):
    """Shows a submission as the feedback pages do: safely, soon, and with formulas that need no script."""

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """The HTML of a text, with the pictures that were pasted into it."""
        pictures = context.get("cell", {}).get("attachments", {})
        return rendering.markdown_with(source, pictures, context["resources"].get("here", ""))

    def default_filters(self) -> Iterator[tuple[str, Any]]:
        """Nbconvert's own, but for those that make or change what students wrote."""
        yield from super().default_filters()  # type: ignore[no-untyped-call]
        yield "markdown2html", self.markdown2html
        yield "strip_files_prefix", lambda page: page
        yield "ansi2html", rendering.terminal


class _Page:
    """What every page of formgrader does besides what nbgrader has it do."""

    request: Any
    settings: dict[str, Any]

    @property
    def nonce(self) -> str:
        """The number of this one answer, without which no script runs."""
        if not hasattr(self, "_nonce"):
            self._nonce = secrets.token_urlsafe(16)
        return self._nonce

    @property
    def content_security_policy(self) -> str:
        """Nothing from another host, and no script but nbgrader's."""
        scripts = " ".join([f"'nonce-{self.nonce}'", "'unsafe-hashes'", *_hashes(handlers.template_path)])
        # A hub on which all users' servers have one address lets no page be shown inside another.
        servers = self.settings.get("headers", {}).get("Content-Security-Policy", "")
        ancestors = "'none'" if _NO_ANCESTORS in servers else "'self'"
        return (
            f"default-src 'none'; script-src {scripts}; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src data:; "
            f"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors {ancestors}"
        )

    async def prepare(self) -> None:
        """Refuse addresses that are made to write into the page's own scripts."""
        await super().prepare()  # type: ignore[misc]
        if _UNSAFE.search(unquote(self.request.path)) and not isinstance(self, BaseApiHandler):
            raise web.HTTPError(400, "the address contains characters that are not allowed here")

    def render(self, name: str, **values: Any) -> str:
        """One of nbgrader's pages; names stand in it as text."""
        template = self.settings["nbgrader_jinja2_env"].get_template(name)
        return str(template.render(nonce=self.nonce, **values))

    @property
    def exporter(self) -> _Submission:
        """What a submission is shown with."""
        return _Submission(self.settings["nbgrader_exporter"], {"nonce": self.nonce, "here": self.request.host_name})


class _Submission:
    """The exporter, for one answer of the server."""

    def __init__(self, exporter: HTMLExporter, more: dict[str, str]) -> None:
        self._exporter, self._more = exporter, more

    def from_filename(self, filename: str, resources: dict[str, Any]) -> tuple[str, Any]:
        """The page of a submission; ids and names stand in it as text."""
        safe = {name: escape(value) if isinstance(value, str) else value for name, value in resources.items()}
        return self._exporter.from_filename(filename, resources={**safe, **self._more})


class _Entrance(_Page, handlers.FormgraderHandler):  # type: ignore[misc]
    """Takes the place of the page that loads the configuration of any folder."""

    @web.authenticated
    def get(self) -> None:
        """Go to the course's first page, whatever folder is named, unless it is another than the course's."""
        course = os.path.realpath(self.settings[_GUARDED])
        if any(os.path.realpath(path) != course for path in self.get_arguments("path", strip=False) if path):
            raise web.HTTPError(403, f"this formgrader shows only the course in {course}")
        self.redirect(f"{self.base_url}/formgrader/manage_assignments")


class _Files(_Page, handlers.SubmissionFilesHandler):  # type: ignore[misc]
    """Gives out files beside a notebook for download only, so that none is a page."""

    @property
    def content_security_policy(self) -> str:
        """Nothing at all."""
        return "default-src 'none'; sandbox"

    def set_extra_headers(self, path: str) -> None:
        """Have the browser save the file."""
        self.set_header("Content-Disposition", "attachment")
        self.set_header("Content-Type", "application/octet-stream")


_INSTEAD = {handlers.FormgraderHandler: _Entrance, handlers.SubmissionFilesHandler: _Files}


def _guarded(handler: Any) -> Any:
    """The class that answers in the place of one of nbgrader's."""
    if handler in _INSTEAD:
        return _INSTEAD[handler]
    return type(handler.__name__, (_Page, handler), {}) if issubclass(handler, BaseHandler) else handler


@lru_cache(maxsize=1)
def _hashes(folder: str) -> Iterable[str]:
    """The hashes of the few commands that stand in the attributes of nbgrader's own templates."""
    sources = (path.read_text(encoding="utf-8") for path in sorted(Path(folder).rglob("*")) if path.is_file())
    commands = sorted(
        {found for source in sources for found in re.findall(r'\son[a-z]+="([^"]*)"', source, re.IGNORECASE)}
    )
    return [f"'sha256-{base64.b64encode(hashlib.sha256(command.encode()).digest()).decode()}'" for command in commands]


def _init_settings(self: FormgradeExtension, webapp: web.Application) -> None:
    """Nbgrader's settings, with our way to make pages. Takes the place of a method of nbgrader's extension."""
    _nbgraders_settings(self, webapp)
    folder = handlers.template_path
    webapp.settings |= {
        _GUARDED: self.coursedir.root,
        "nbgrader_jinja2_env": Environment(loader=_Templates(folder, "nonce"), autoescape=True),
        "nbgrader_exporter": _Exporter(  # type: ignore[no-untyped-call]
            config=self.config,
            extra_loaders=[_Templates(os.path.join(folder, "formgrade"), "resources.nonce")],
            filters={"highlight_code": lambda source, metadata=None: rendering.code(source)},
        ),
    }


def _init_handlers(self: FormgradeExtension, webapp: web.Application) -> None:
    """Nbgrader's pages, each behind the guard. Takes the place of a method of nbgrader's extension."""
    found = [
        *handlers.default_handlers,
        *apihandlers.default_handlers,
        (r"/formgrader/static/(.*)", web.StaticFileHandler, {"path": handlers.static_path}),
        (r"/formgrader/.*", handlers.Template404),
    ]
    base = webapp.settings["base_url"]
    rules = [(url_path_join(base, rule[0].lstrip("/")), _guarded(rule[1]), *rule[2:]) for rule in found]
    webapp.add_handlers(".*$", rules)


_nbgraders_settings = FormgradeExtension.init_tornado_settings
