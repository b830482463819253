"""The invariants: each broken one is one sentence, said once."""

import pytest

from engine.batch import Batch
from engine.device.api import Event
from engine.kv.pool import BlockPool
from engine.ledger import Ledger
from engine.model.tokenizer import EOS
from engine.requests.request import Request, Row


def request(name="r", **fields):
    return Request(name, [2, 97], 3, **fields)


def batch(*requests, step=4, count=1):
    rows = [Row(item, 2, count, True, [0] * count, -1, 1) for item in requests]
    events = [Event(name, None) for name in ("h2d_done", "compute_done", "d2h_done")]
    return Batch(step, rows, 0, 0, *events)


def ledger(size=8):
    return Ledger(BlockPool(size, 4))


def settled_requests(**fields):
    """A finished request whose books are right, with some fields changed."""
    right = {
        "prefilled": 2, "scheduled": 3, "computed": 3, "tokens": [97, 98, 99], "streamed": 3,
        "finished": True,
    }  # fmt: skip
    return [request(**{**right, **fields})]


def test_a_run_by_the_book_breaks_nothing():
    books = ledger()
    books.finished(settled_requests(), cut=False)
    assert books.broken == []


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"scheduled": 2}, "request r has 2 tokens scheduled, 3 computed and 3 committed"),
        ({"computed": 2}, "request r has 3 tokens scheduled, 2 computed and 3 committed"),
        ({"streamed": 4}, "request r streamed uncommitted tokens"),
        ({"streamed": 1}, "request r streamed 1 of 3 committed tokens"),
        ({"tokens": [EOS, 98, 99]}, "request r has tokens past its end"),
        (
            {"tokens": [97] * 4, "scheduled": 4, "computed": 4, "streamed": 4},
            "request r has tokens past its end",
        ),
        (
            {"finished": False, "in_flight": 2},
            "request r was never finished: 2 launched rows were not committed",
        ),
    ],
)
def test_what_is_wrong_with_a_request_is_said(fields, sentence):
    books = ledger()
    books.finished(settled_requests(**fields), cut=False)
    assert any(sentence in line for line in books.broken)


def test_a_request_may_be_unfinished_where_the_run_was_cut():
    books = ledger()
    books.finished(settled_requests(finished=False), cut=True)
    assert books.broken == []


@pytest.mark.parametrize("grown", [0, 5])
def test_blocks_left_in_the_pool_are_counted(grown):
    books = ledger()
    books.pool.admit("gone", 3)
    books.pool.grow("gone", [], grown)
    books.finished([], cut=False)
    assert books.broken == ["3 KV blocks were never released"]


def test_a_batch_may_write_its_own_blocks_only():
    books, mine = ledger(), request("mine")
    books.pool.admit("mine", 2)
    books.pool.grow("mine", mine.blocks, 8)
    launched = batch(mine)
    books.blocks(launched, launched.launched[0])
    assert books.broken == []
    books.pool.owner[mine.blocks[1]] = "other"
    books.blocks(launched, launched.launched[0])
    assert books.broken == [
        f"batch 4 writes KV block {mine.blocks[1]}, which request mine does not own"
    ]


def test_a_batch_reads_only_blocks_that_its_request_holds():
    books, writer, reader = ledger(), request("writer"), request("reader")
    for item in (writer, reader):
        books.pool.admit(item.id, 2)
    books.pool.grow("writer", writer.blocks, 4)
    books.pool.share("reader", reader.blocks, writer.blocks[0])
    books.pool.grow("reader", reader.blocks, 8)
    launched = batch(reader)
    row = launched.launched[0]
    row.start, reader.context = 4, [97] * 6
    books.blocks(launched, row)
    assert books.broken == []
    books.pool.holders[reader.blocks[0]] = {"writer"}
    books.blocks(launched, row)
    assert books.broken == [
        f"batch 4 reads KV block {reader.blocks[0]}, which request reader does not own"
    ]


def test_a_result_goes_to_its_own_place():
    books, right, doubled = ledger(), request("right", tokens=[97]), request("doubled")
    for item in (right, doubled):
        (row,) = batch(item).launched
        books.committing(row)
    assert [line.split(":")[0] for line in books.broken] == [
        "request doubled committed the result for output token 1 as its token 0"
    ]


def test_the_peak_of_the_plan_counts_what_batches_in_flight_may_ask_for():
    books = ledger()
    books.pool.admit("r", 3)
    books.pool.grow("r", [], 4)
    books.planned(4)
    books.planned(2)
    assert books.peak_plan == 7


def test_a_batch_is_settled_once():
    books, once = ledger(), batch(request())
    books.scheduled(once)
    books.settled(once)
    assert books.broken == []
    books.settled(once)
    assert books.broken == ["batch 4 was settled twice"]


def test_results_go_to_the_rows_that_were_launched():
    books, shared = ledger(), batch(request("a"), request("b"))
    shared.rows.pop()
    books.settled(shared)
    assert books.broken == ["the results of batch 4 were matched with the rows of another batch"]


def test_blocks_are_given_back_once():
    books, item = ledger(), request()
    books.pool.admit("r", 1)
    books.release(item, item.blocks)
    books.release(item, item.blocks)
    assert books.broken == ["the KV blocks of request r are released twice"]


def test_the_peak_of_tokens_in_flight_is_kept():
    books = ledger()
    first, second = batch(request(), count=5), batch(request(), request(), step=5)
    books.scheduled(first)
    books.scheduled(second)
    books.settled(first)
    assert (books.tokens_in_flight, books.peak_in_flight) == (2, 7)


def test_the_same_fault_of_one_request_is_said_once():
    books = ledger()
    for name in ("a", "b", "a"):
        books.lengths(request(name, streamed=1))
    assert books.broken == [f"request {name} streamed uncommitted tokens" for name in "ab"]


def test_who_hung_up_is_owed_no_text_but_was_shown_no_more_than_was_committed():
    pool = BlockPool(4, 4)
    request = Request("r", [2], 9)
    for token in b"abc":
        request.commit(token, 0)
    request.scheduled = request.computed = 3
    request.finished, request.streamed = True, 2
    for cancelled, broken in ((False, 1), (True, 0)):
        request.cancelled = cancelled
        ledger = Ledger(pool)
        ledger.finished([request], cut=False)
        assert len(ledger.broken) == broken
    request.streamed = 4
    ledger.finished([request], cut=False)
    assert ledger.broken
