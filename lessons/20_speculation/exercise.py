"""Lesson 20: commit none, some or all of a row's drafts.

Each row was launched with its newest token and k drafts behind it; -1 is no draft. `sampled` is
what the model itself chooses: behind the token, and behind every draft. So a row has k + 1
sampled tokens, and sampled[i] is worth something only if drafts[0..i-1] were all right.

`accepted` runs on the device, inside of the verifying kernel: no look at values.

    drafts   [R, k]      int64 tensor
    sampled  [R, 1 + k]  int64 tensor
    returns  [R]         how many drafts of each row count

`settle` runs on the host, one step later, for one row:

    request.tokens          the output so far: append what is committed
    request.max_new_tokens  the longest it may get; EOS ends it, too, and belongs to it
    request.prompt_length, request.block_size
    request.blocks          its KV blocks, as reserved for the most there could be: cut the list,
                            and what you cut off goes back to the pool
    request.in_flight       tokens that the row behind this one may still add; its keys and values
                            need a place as well. The newest token of all has none yet
    request.follow(token)   lets the grammar of its text follow one token
    sampled                 list of k + 1 tokens
    accepted                what your function said of this row

Check it with:  python -m lessons check 20
"""

from engine.model.tokenizer import EOS  # noqa: F401 - you will need it


def accepted(drafts, sampled):
    """How many drafts of each row count [R]."""
    return (drafts == sampled[:, :-1]).sum(1)


def settle(request, sampled, accepted):
    """Commit what counts, and take back what was reserved for more."""
    for token in sampled:
        request.tokens.append(token)
        request.follow(token)
