"""One browser tab on the lab, without a browser: it speaks Streamlit's own protocol.

A real browser takes a core to itself; forty of these fit beside the server that they load. A tab
fetches what a page names, opens the WebSocket with the cookies that it was given, keeps the
elements that the server sends, and sends back what its learner does with them, as Streamlit's
front end does (query string, fragments, messages kept by their hash, the upload endpoint). It
draws nothing and runs no component's script.
"""

import asyncio
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from benchmarks.front_end import PATIENCE_S, fetch, files, files_of_a_figure
from benchmarks.page_elements import Elements, Shown, TabError

XSRF = "_streamlit_xsrf"


class Tab:
    """A tab at `address` (http://host:port), with cookies of its own; `with_files`: as a browser
    that was never here and fetches the front end's files."""

    def __init__(self, address: str, with_files: bool = False) -> None:
        self.address = address
        self.with_files = with_files
        self.http = requests.Session()
        self.page = Elements()
        self._states: dict[str, WidgetState] = {}
        self._kept: dict[str, tuple[int, ForwardMsg]] = {}
        self._runs = 0
        self._longest_kept = 0
        self._query: dict[str, list[str]] = {}
        self._pages: dict[str, str] = {}
        self._page = ""
        self._main = ""
        self._session = ""
        self._socket: ClientConnection | None = None

    # --- What a learner does ----------------------------------------------------------------------

    async def open(self, link: str) -> None:
        """Open a link of the lab (path and query), as far as the end of the page's script."""
        parts = urlsplit(link)
        self._query = parse_qs(parts.query, keep_blank_values=True)
        await asyncio.to_thread(self._fetch, parts.path)
        self._socket = await connect(
            self.address.replace("http", "ws", 1) + "/_stcore/stream",
            subprotocols=[Subprotocol("streamlit"), Subprotocol(self._token)],
            additional_headers={"Cookie": self.cookies},
            origin=Origin(self.address),
            max_size=None,
            compression=None,
        )
        await self._rerun(ClientState(page_name=parts.path.strip("/")))

    async def visit(self, page: str, query: str = "") -> None:
        """Go to another page of the lab by its menu, or by a link with a query."""
        self._query = parse_qs(query, keep_blank_values=True)
        of_all = self.page.widgets(self._main)
        self._states = {key: state for key, state in self._states.items() if key in of_all}
        await self._rerun(ClientState(page_script_hash=self._pages[page]))

    async def press(self, key: str) -> None:
        """Press the button with this key."""
        button = self.page.find(key)
        await self._send(button, WidgetState(id=button.widget, trigger_value=True), once=True)

    async def choose(self, key: str, choice: str) -> None:
        """Choose an option of a row of buttons, a list or a list of radio buttons by its words."""
        shown = self.page.find(key)
        state = WidgetState(id=shown.widget)
        if shown.kind == "button_group":
            state.string_array_value.data.append(choice)
        else:
            state.string_value = choice
        first = shown.options[shown.element.default[0]] if shown.kind == "button_group" else None
        self._put_into_query(shown, None if choice == first else choice)
        await self._send(shown, state)

    async def enter(self, key: str, number: float) -> None:
        """Type a number into a field."""
        field = self.page.find(key)
        self._put_into_query(field, str(number))
        await self._send(field, WidgetState(id=field.widget, double_value=number))

    async def upload(self, name: str, data: bytes) -> None:
        """Put a file into the page's first uploader."""
        uploader = self.page.first("file_uploader")
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

    @property
    def cookies(self) -> str:
        """The cookies that it was given, as a header."""
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    @property
    def _token(self) -> str:
        """What shows that a request comes from the page itself."""
        return str(self.http.cookies[XSRF])

    @property
    def query(self) -> str:
        """The query in the address bar."""
        return urlencode(self._query, doseq=True)

    # --- HTTP -------------------------------------------------------------------------------------

    def _fetch(self, path: str) -> None:
        """The document, the cookies of a session, and the front end's files."""
        document = self._get(path)
        self._get("_stcore/health")
        self._get("_stcore/host-config")
        if self.with_files:
            fetch(self.address, self.cookies, files(document) + files_of_a_figure())

    def _get(self, path: str) -> str:
        answer = self.http.get(urljoin(self.address + "/", path.lstrip("/")), timeout=PATIENCE_S)
        if not answer.ok:
            raise TabError(f"{path} answers {answer.status_code}")
        return answer.content.decode("utf-8", "replace")

    def _put(self, url: str, name: str, data: bytes) -> None:
        answer = self.http.put(
            urljoin(self.address + "/", url.lstrip("/")),
            files={name: (name, data)},
            headers={"X-Xsrftoken": self._token},
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
        here = self.page.widgets()
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
        self.page.drop_stale(state.fragment_id)

    async def _write(self, message: BackMsg) -> None:
        if self._socket is None:
            raise TabError("the tab is not open")
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> ForwardMsg:
        """The next message, taken in. Raises TabError where none comes."""
        if self._socket is None:
            raise TabError("the tab is not open")
        try:
            data = await asyncio.wait_for(self._socket.recv(decode=False), PATIENCE_S)
        except TimeoutError as error:
            raise TabError(f"no answer within {PATIENCE_S} s") from error
        message = ForwardMsg()
        message.ParseFromString(data)
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
            self.page.run = message.metadata.run.script_run_id
        elif kind == "navigation":
            self._page = message.navigation.page_script_hash
            pages = message.navigation.app_pages
            self._pages = {page.url_pathname: page.page_script_hash for page in pages}
        elif kind == "page_info_changed":
            self._query = parse_qs(message.page_info_changed.query_string, keep_blank_values=True)
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            shown = self.page.show(message)
            if getattr(shown.element, "set_value", False):
                self._states.pop(shown.widget, None)  # the server says what it holds now
