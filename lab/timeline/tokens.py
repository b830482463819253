"""The text of every request, with wrong tokens marked, as HTML.

A wrong token has the alarm colour, an underline, and stands between small marks, so that it
is seen without colour too. Text is escaped here; tokens are bytes, so right and wrong runs
are decoded one by one.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from engine.model.tokenizer import decode
from engine.requests.request import Request
from engine.results.token_diff import TokenDiff
from lab.catalogue import t
from lab.escape import for_html
from lab.picture.palette import ALARM_TEXT

CSS = f"""<style>
.texts section {{ border-top: 1px solid rgba(122,132,142,.35); padding: .45rem 0; }}
.texts h4 {{ margin: 0 0 .2rem; font-size: .9rem; padding: 0; }}
.texts p {{ margin: 0 0 .4rem; overflow-wrap: anywhere; white-space: pre-wrap; }}
.texts .prompt {{ opacity: .62; }}
.texts .pair {{ display: grid; gap: .4rem 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }}
.texts small {{ display: block; opacity: .75; }}
.texts b.wrong {{ color: {ALARM_TEXT}; text-decoration: underline wavy 1px;
  text-underline-offset: 3px; background: rgba(213,94,0,.10); }}
</style>"""


def texts_html(requests: Sequence[Request], truth: Sequence[Request], diff: TokenDiff) -> str:
    """All requests of a run: those with wrong tokens first, each beside the baseline's text,
    then those that failed."""
    expected = {request.id: request for request in truth}
    ordered = sorted(requests, key=lambda r: (-len(diff.wrong.get(r.id, ())), not r.failed))
    blocks = [
        _request(request, expected.get(request.id), diff.wrong.get(request.id, ()))
        for request in ordered
    ]
    return f'{CSS}<div class="texts">{"".join(blocks)}</div>'


def _request(request: Request, truth: Request | None, wrong: Collection[int]) -> str:
    total = max(len(request.tokens), len(truth.tokens) if truth else 0)
    head = t(_verdict(request, wrong), id=request.id, wrong=len(wrong), total=total,
             came=len(request.tokens))  # fmt: skip
    prompt = f'<span class="prompt">{for_html(decode(request.prompt))}</span>'
    body = _column("", prompt + marked(request.tokens, wrong))
    if wrong and truth is not None:
        body = _column(t("text.this_run"), prompt + marked(request.tokens, wrong))
        body += _column(t("text.baseline"), prompt + for_html(truth.text))
    return f'<section><h4>{for_html(head)}</h4><div class="pair">{body}</div></section>'


def _verdict(request: Request, wrong: Collection[int]) -> str:
    """The sentence about a request. One that failed or was cancelled is not compared."""
    if wrong:
        return "text.wrong"
    if request.failed:
        return "text.failed"
    return "text.cancelled" if request.cancelled else "text.right"


def _column(title: str, body: str) -> str:
    head = f"<small>{for_html(title)}</small>" if title else ""
    return f"<div>{head}<p>{body}</p></div>"


def marked(tokens: Sequence[int], wrong: Collection[int]) -> str:
    """The tokens as HTML text with wrong ones marked; a note where some are missing."""
    wrong = set(wrong)
    missing = sum(position >= len(tokens) for position in wrong)
    parts = [_wrong(text) if bad else for_html(text) for bad, text in _runs(tokens, wrong)]
    if missing:
        parts.append(_wrong(t("text.missing", count=missing)))
    return "".join(parts)


def _wrong(text: str) -> str:
    return f'<b class="wrong">⟨{for_html(text)}⟩</b>'


def _runs(tokens: Sequence[int], wrong: set[int]) -> Iterator[tuple[bool, str]]:
    """Maximal stretches of right or wrong tokens as (is wrong, text)."""
    for bad, group in groupby(range(len(tokens)), key=wrong.__contains__):
        yield bad, decode([tokens[position] for position in group])
