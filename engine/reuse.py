"""Ids that are used more than once, and requests that come after another one's end.

What this module does not do: hold a request back (`engine.scheduler`).
"""

from collections.abc import Iterable

from engine.request import Request


def follow(request: Request, after: str, known: dict[str, Request]) -> None:
    """Give a new request its epoch and whom it comes `after` (""; or a name in `known`).

    `known` holds the latest request of each name, and gets this one.
    """
    earlier = known.get(request.name)
    if earlier is not None:
        request.epoch = earlier.epoch + 1
        request.id = f"{request.name}#{request.epoch}"
    if after:
        request.after = known[after]
    known[request.name] = request


def wrong_link(listed: Iterable[tuple[str, str]]) -> str:
    """What is wrong with the (name, after) of listed requests, in a sentence ("": nothing).

    `after` must name an earlier request, and a name may come again only behind its own end.
    """
    latest: dict[str, tuple[str, ...]] = {}  # the names behind whose end each request comes
    for name, after in listed:
        if after and after not in latest:
            return f"request {name!r} comes after {after!r}, which is not listed before it"
        behind = (*latest[after], after) if after else ()
        if name in latest and name not in behind:
            return (
                f"two requests are called {name!r}: give each an id of its own, or let the later "
                "one come after the earlier one's end"
            )
        latest[name] = behind
    return ""
