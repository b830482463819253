"""Lesson 13: carry the sampled tokens over, on the device.

The host builds the inputs of batch N+1 while batch N is still being computed. So for a row that
was in batch N it does not know the token yet: something else stands in `ids`, and `source` says
which row of batch N will have sampled the token.

    ids      [T]  token ids as the host wrote them; a placeholder where the token is unknown
    source   [T]  row of batch N that samples this row's token, or -1: the id is known already
    sampled  [R]  the tokens of batch N, by row; R may be larger or smaller than T

All are int64 tensors on the device. Your function becomes the first kernel of the forward pass,
inside of a CUDA graph: it must not look at values, only compute with them.

Check it with:  python -m lessons check 13
"""


def carry_over(ids, source, sampled):
    """The ids [T] that the model will see."""
    return ids


# Your answer to the timeline on the lesson's page, such as "forward 0 -> carry 1":
wrong_arrow = ""
