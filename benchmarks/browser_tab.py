"""One browser tab on the lab, without a browser: it speaks Streamlit's own protocol.

A real browser takes a core to itself; forty of these fit beside the server that they load. A tab
fetches what a page names, opens the WebSocket with the cookies that it was given, keeps the
elements that the server sends, and sends back what its learner does with them, as Streamlit's
front end does (query string, fragments, messages kept by their hash, the upload endpoint). It
draws nothing and runs no component's script.
"""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

PATIENCE_S = 60
CONNECTIONS = 6
"""So many files a browser fetches at once."""
XSRF = "_streamlit_xsrf"
_ASSET = re.compile(r'(?:src|href)="\./(static/[^"]+)"')


class TabError(Exception):
    """What a learner would see go wrong, in one sentence."""


@dataclass
class Shown:
    """An element on the page: its message, the run that drew it, and where it belongs."""

    kind: str
    element: Any
    run: str
    fragment: str
    script: str

    @property
    def widget(self) -> str:
        """Its id as a widget; "" where it is none."""
        return str(getattr(self.element, "id", ""))


class Tab:
    """A tab that was opened at `address` (http://host:port), with cookies of its own."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = requests.Session()
        self.errors: list[str] = []
        self._shown: dict[tuple[int, ...], Shown] = {}
        self._states: dict[str, WidgetState] = {}
        self._kept: dict[str, tuple[int, ForwardMsg]] = {}
        self._runs = 0
        self._longest_kept = 0
        self._query: dict[str, list[str]] = {}
        self._pages: dict[str, str] = {}
        self._page = ""
        self._main = ""
        self._run = ""
        self._session = ""
        self._socket: ClientConnection | None = None

    # --- What a learner does ----------------------------------------------------------------------

    async def open(self, link: str, later: tuple[str, ...] = ()) -> None:
        """Open a link of the lab (path and query), as far as the end of the page's script; `later`
        are assets that the page asks for when it is drawn."""
        parts = urlsplit(link)
        self._query = parse_qs(parts.query, keep_blank_values=True)
        await asyncio.to_thread(self._fetch, parts.path)
        cookies = self.http.cookies.get_dict()
        self._socket = await connect(
            self.address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit"), Subprotocol(cookies[XSRF])],
            additional_headers={"Cookie": "; ".join(f"{k}={v}" for k, v in cookies.items())},
            origin=Origin(self.address),
            max_size=None,
            compression=None,
        )
        await self._rerun(ClientState(page_name=parts.path.strip("/")))
        for path in later:
            await asyncio.to_thread(self._get, path)

    async def visit(self, page: str, query: str = "") -> None:
        """Go to another page of the lab by its menu, or by a link with a query."""
        self._query = parse_qs(query, keep_blank_values=True)
        of_all = {shown.widget for shown in self._shown.values() if shown.script == self._main}
        self._states = {key: state for key, state in self._states.items() if key in of_all}
        await self._rerun(ClientState(page_script_hash=self._pages[page]))

    async def press(self, key: str) -> None:
        """Press the button with this key."""
        button = self.find(key)
        await self._send(button, WidgetState(id=button.widget, trigger_value=True), once=True)

    async def choose(self, key: str, choice: str) -> None:
        """Choose an option of a row of buttons, a list or a list of radio buttons by its words."""
        shown = self.find(key)
        state = WidgetState(id=shown.widget)
        if shown.kind == "button_group":
            state.string_array_value.data.append(choice)
        else:
            state.string_value = choice
        first = options(shown)[shown.element.default[0]] if shown.kind == "button_group" else None
        self._put_into_query(shown, None if choice == first else choice)
        await self._send(shown, state)

    async def enter(self, key: str, number: float) -> None:
        """Type a number into a field."""
        field = self.find(key)
        self._put_into_query(field, str(number))
        await self._send(field, WidgetState(id=field.widget, double_value=number))

    async def upload(self, name: str, data: bytes) -> None:
        """Put a file into the page's first uploader."""
        uploader = self._first("file_uploader")
        request = BackMsg()
        request.file_urls_request.request_id = name
        request.file_urls_request.session_id = self._session
        request.file_urls_request.file_names.append(name)
        await self._write(request)
        while not (message := await self._read()).HasField("file_urls_response"):
            pass
        urls = message.file_urls_response.file_urls[0]
        await asyncio.to_thread(self._put, urls.upload_url, name, data)
        state = WidgetState(id=uploader.widget)
        told = state.file_uploader_state_value.uploaded_file_info.add()
        told.name, told.size, told.file_id = name, len(data), urls.file_id
        told.file_urls.CopyFrom(urls)
        await self._send(uploader, state)

    async def close(self) -> None:
        """Close the tab."""
        if self._socket is not None:
            await self._socket.close()
        self.http.close()

    # --- What is on the page ----------------------------------------------------------------------

    def find(self, key: str) -> Shown:
        """The widget with this key. Raises TabError."""
        for shown in self._shown.values():
            if shown.widget.endswith(f"-{key}"):
                return shown
        raise TabError(f"the page has no {key}")

    def _first(self, kind: str) -> Shown:
        for shown in self._shown.values():
            if shown.kind == kind:
                return shown
        raise TabError(f"the page has no {kind}")

    def text(self) -> str:
        """All elements of the page as protobuf's text: what a search for words is made in."""
        return "\n".join(str(shown.element) for shown in self._shown.values())

    @property
    def query(self) -> str:
        """The query in the address bar."""
        return urlencode(self._query, doseq=True)

    # --- HTTP -------------------------------------------------------------------------------------

    def _fetch(self, path: str) -> None:
        """The document, what it names, and the cookies of a session."""
        document = self._get(path)
        with ThreadPoolExecutor(CONNECTIONS) as connections:
            list(connections.map(self._get, _ASSET.findall(document)))
        self._get("_stcore/health")
        self._get("_stcore/host-config")

    def _get(self, path: str) -> str:
        answer = self.http.get(urljoin(self.address + "/", path.lstrip("/")), timeout=PATIENCE_S)
        if not answer.ok:
            raise TabError(f"{path} answers {answer.status_code}")
        return answer.content.decode("utf-8", "replace")

    def _put(self, url: str, name: str, data: bytes) -> None:
        answer = self.http.put(
            urljoin(self.address + "/", url.lstrip("/")),
            files={name: (name, data)},
            headers={"X-Xsrftoken": self.http.cookies[XSRF]},
            timeout=PATIENCE_S,
        )
        if not answer.ok:
            raise TabError(f"the upload answers {answer.status_code}: {answer.text[:200]}")

    # --- WebSocket --------------------------------------------------------------------------------

    def _put_into_query(self, shown: Shown, value: str | None) -> None:
        """Keep the address bar in step with a widget that is bound to it."""
        key = shown.element.query_param_key
        if key and value is None:
            self._query.pop(key, None)
        elif key and value is not None:
            self._query[key] = [value]

    async def _send(self, shown: Shown, state: WidgetState, once: bool = False) -> None:
        if not once:
            self._states[shown.widget] = state
        here = {other.widget for other in self._shown.values()}
        wanted = ClientState(fragment_id=shown.fragment, page_script_hash=self._page)
        wanted.widget_states.widgets.extend(
            kept for key, kept in self._states.items() if key in here and key != shown.widget
        )
        wanted.widget_states.widgets.append(state)
        await self._rerun(wanted)

    async def _rerun(self, state: ClientState) -> None:
        """Ask for a run of the page, and read until it has ended."""
        state.query_string = self.query
        state.cached_message_hashes.extend(self._kept)
        state.context_info.url = self.address
        state.context_info.locale = "en"
        state.context_info.timezone = "UTC"
        message = BackMsg()
        message.rerun_script.CopyFrom(state)
        await self._write(message)
        while True:
            answer = await self._read()
            if answer.HasField("script_finished"):
                if answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    break
        self._forget_old_messages()
        self._drop_stale(state.fragment_id)

    async def _write(self, message: BackMsg) -> None:
        if self._socket is None:
            raise TabError("the tab is not open")
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> ForwardMsg:
        """The next message, taken in. Raises TabError where none comes."""
        if self._socket is None:
            raise TabError("the tab is not open")
        try:
            data = await asyncio.wait_for(self._socket.recv(), PATIENCE_S)
        except TimeoutError as error:
            raise TabError(f"no answer within {PATIENCE_S} s") from error
        message = ForwardMsg()
        message.ParseFromString(bytes(data))
        self._take(self._whole(message))
        return message

    def _whole(self, message: ForwardMsg) -> ForwardMsg:
        """A message, or the kept one that it stands for."""
        if message.WhichOneof("type") == "ref_hash":
            whole = ForwardMsg()
            whole.CopyFrom(self._kept[message.ref_hash][1])
            whole.metadata.CopyFrom(message.metadata)
            message = whole
        key = message.hash
        if message.metadata.cacheable and key:
            self._kept[key] = (self._runs, message)
        return message

    def _forget_old_messages(self) -> None:
        self._runs += 1
        oldest = self._runs - self._longest_kept
        self._kept = {key: kept for key, kept in self._kept.items() if kept[0] >= oldest}

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            begun = message.new_session
            self._session = begun.initialize.session_id or self._session
            self._page, self._main = begun.page_script_hash, begun.main_script_hash
            self._longest_kept = begun.config.max_cached_message_age
            self._run = message.metadata.run.script_run_id
        elif kind == "navigation":
            pages = message.navigation.app_pages
            self._pages = {page.url_pathname: page.page_script_hash for page in pages}
        elif kind == "page_info_changed":
            self._query = parse_qs(message.page_info_changed.query_string, keep_blank_values=True)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            self._show(message)

    def _show(self, message: ForwardMsg) -> None:
        element = message.delta.new_element
        kind = element.WhichOneof("type") or ""
        shown = Shown(
            kind,
            getattr(element, kind) if kind else None,
            self._run,
            message.delta.fragment_id,
            message.metadata.active_script_hash,
        )
        self._shown[tuple(message.metadata.delta_path)] = shown
        if getattr(shown.element, "set_value", False):
            self._states.pop(shown.widget, None)  # the server says what it holds now
        if kind == "exception":
            self.errors.append(f"{shown.element.type}: {shown.element.message}")
        elif kind == "alert" and shown.element.format == shown.element.ERROR:
            self.errors.append(shown.element.body)

    def _drop_stale(self, fragment: str) -> None:
        """Forget what the last run of the page, or of a fragment, has not drawn again."""
        self._shown = {
            path: shown
            for path, shown in self._shown.items()
            if shown.run == self._run or (fragment and shown.fragment != fragment)
        }


def options(shown: Shown) -> list[str]:
    """The words of a widget's options."""
    return [str(getattr(option, "content", option)) for option in shown.element.options]
