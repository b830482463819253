"""The elements on a page of the lab, kept from the messages that draw it."""

from dataclasses import dataclass
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


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

    @property
    def options(self) -> list[str]:
        """The words of its options."""
        return [str(getattr(option, "content", option)) for option in self.element.options]


class Elements:
    """What is on the page, by its place; `errors` are the exceptions and the errors shown."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.run = ""
        self._shown: dict[tuple[int, ...], Shown] = {}

    def find(self, key: str) -> Shown:
        """The widget with this key. Raises TabError."""
        for shown in self._shown.values():
            if shown.widget.endswith(f"-{key}"):
                return shown
        raise TabError(f"the page has no {key}")

    def first(self, kind: str) -> Shown:
        """The first element of a kind. Raises TabError."""
        for shown in self._shown.values():
            if shown.kind == kind:
                return shown
        raise TabError(f"the page has no {kind}")

    def widgets(self, script: str = "") -> set[str]:
        """The ids of the widgets, or of those that one script draws."""
        return {
            shown.widget
            for shown in self._shown.values()
            if shown.widget and script in ("", shown.script)
        }

    def text(self) -> str:
        """All of it as protobuf's text: what a search for words is made in."""
        return "\n".join(str(shown.element) for shown in self._shown.values())

    def show(self, message: ForwardMsg) -> Shown:
        """Take in an element."""
        element = message.delta.new_element
        kind = element.WhichOneof("type") or ""
        shown = Shown(
            kind,
            getattr(element, kind) if kind else None,
            self.run,
            message.delta.fragment_id,
            message.metadata.active_script_hash,
        )
        self._shown[tuple(message.metadata.delta_path)] = shown
        if kind == "exception":
            self.errors.append(f"{shown.element.type}: {shown.element.message}")
        elif kind == "alert" and shown.element.format == shown.element.ERROR:
            self.errors.append(shown.element.body)
        return shown

    def drop_stale(self, fragment: str) -> None:
        """Forget what the last run of the page, or of a fragment, has not drawn again."""
        self._shown = {
            path: shown
            for path, shown in self._shown.items()
            if shown.run == self.run or (fragment and shown.fragment != fragment)
        }
