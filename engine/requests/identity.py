"""Whose result is it? A client may use an id again while an old row of it is still in flight.

`request-epoch` looks at nothing but the row: its request is known by id and epoch. `request-id`
asks who has that id now. `arrival-order` hands the results out in the order in which the ids
first came; one that is used again keeps its old place, as a key of a dictionary does.
"""

from dataclasses import dataclass, field

from msgspec.structs import replace

from engine.requests.request import Request, Row


@dataclass(slots=True)
class Identity:
    """The requests that have joined, by the name their clients call them."""

    result_key: str
    holders: dict[str, Request] = field(default_factory=dict)

    def join(self, request: Request) -> None:
        """A request joins the batch; it is the one of its name from now on."""
        self.holders[request.name] = request

    def match(self, rows: list[Row]) -> list[Row]:
        """The rows to which a batch's results belong, in the order of the results."""
        if self.result_key == "request-epoch":
            return rows
        if self.result_key == "request-id":
            return [replace(row, request=self.holders[row.request.name]) for row in rows]
        place = {name: number for number, name in enumerate(self.holders)}
        return sorted(rows, key=lambda row: place[row.request.name])
