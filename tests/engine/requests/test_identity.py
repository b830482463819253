"""Whose result it is: ids used again while an old row of them is still in flight."""

from itertools import pairwise

from engine import configure, execute
from engine.requests.identity import Identity
from engine.requests.request import Request, Row


def request(name, epoch=1):
    return Request(name if epoch == 1 else f"{name}#{epoch}", [2], 4, name=name, epoch=epoch)


def row(item):
    return Row(item, 0, 1, True, [0], -1, 0)


def joined(key, *requests):
    identity = Identity(key)
    for item in requests:
        identity.join(item)
    return identity


FIRST, OTHER, AGAIN = request("a"), request("b"), request("a", epoch=2)


def ids(rows):
    return [item.request.id for item in rows]


def test_by_id_and_epoch_a_row_keeps_its_own_result():
    identity = joined("request-epoch", FIRST, OTHER, AGAIN)
    assert ids(identity.match([row(FIRST), row(OTHER)])) == ["a", "b"]


def test_by_id_alone_the_old_row_pays_into_the_new_request():
    identity = joined("request-id", FIRST, OTHER)
    assert ids(identity.match([row(FIRST), row(OTHER)])) == ["a", "b"]
    identity.join(AGAIN)
    assert ids(identity.match([row(FIRST), row(OTHER)])) == ["a#2", "b"]


def test_by_arrival_an_id_used_again_keeps_its_old_place():
    identity = joined("arrival-order", FIRST, OTHER)
    assert ids(identity.match([row(FIRST), row(OTHER)])) == ["a", "b"]
    identity.join(AGAIN)
    assert ids(identity.match([row(OTHER), row(AGAIN)])) == ["a#2", "b"]


def test_a_strangers_token_comes_behind_an_eos_and_is_passed_on_from_then():
    """The old row is still in flight only when the host learned its end from EOS. A request
    that got one result too many has all its tokens early, and so leaves a row behind again."""
    result = execute(configure("result-by-id"))
    chains = {}
    for item in result.requests:
        chains.setdefault(item.name, []).append(item)
    expected = set()
    for chain in chains.values():
        for earlier, later in pairwise(chain):
            if earlier.id in expected or earlier.committed < earlier.max_new_tokens:
                expected.add(later.id)
    assert set(result.token_diff.wrong) == expected != set()


def test_the_new_request_begins_with_what_the_old_row_sampled():
    result = execute(configure("result-by-id"))
    name = next(iter(result.token_diff.wrong))
    assert result.token_diff.wrong[name][0] == 0


def test_without_reuse_no_way_of_matching_goes_wrong():
    for key in ("request-id", "arrival-order"):
        result = execute(configure("async", set={"result_key": key}))
        assert (result.token_diff.count, result.invariants) == (0, [])
