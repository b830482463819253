"""Ids that are used more than once, and requests that come after another one's end.

What this module does not do: hold a request back (`engine.scheduler`).
"""

from collections.abc import Iterable

from engine.requests.request import Request


def follow(request: Request, after: str, known: dict[str, Request]) -> None:
    """Give a new request its epoch and whom it comes `after` (""; or a name in `known`).

    `known` holds the latest request of each name, and gets this one.
    """
    earlier = known.get(request.name)
    if earlier is not None:
        request.epoch = earlier.epoch + 1
        request.id = id_of(request.name, request.epoch)
    if after:
        request.after = known[after]
    known[request.name] = request


def id_of(name: str, epoch: int) -> str:
    """What the engine calls the request that has a name for the `epoch`-th time."""
    return name if epoch == 1 else f"{name}#{epoch}"


def wrong_link(listed: Iterable[tuple[str, str]]) -> str:
    """What is wrong with the (name, after) of listed requests, in a sentence ("": nothing).

    `after` must name an earlier request, a name may come again only behind its own end, and none
    may be what the engine calls another request.
    """
    epochs: dict[str, int] = {}
    ids: dict[str, str] = {}  # whose the engine's ids are
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
        epochs[name] = epochs.get(name, 0) + 1
        other = ids.setdefault(id_of(name, epochs[name]), name)
        if other != name:
            return (
                f"a request {name!r} and a request {other!r} would both be called "
                f"{id_of(name, epochs[name])!r}, for an id that comes again gets a number: "
                "choose another id"
            )
    return ""
