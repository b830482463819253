"""One process of the lab for a class: `python -m deploy.process [streamlit options]`.

It is `streamlit run app.py`, after every page was opened once, as a test opens it, and every switch
was turned once. So what pages import, the runs that they begin with and the kernels' results are
there before the first learner comes; else the first ones would wait for it, and everybody else with
them. The caches have then most of the memory that they will ever have.
"""

import gc
import logging
import signal
import sys
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.web import cli

from engine.mechanisms.table import TABLE
from lab.runs import study_of
from lab.timeline.state import Choice

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 120


def open_every_page() -> None:
    """Run each page once, in this process and for nobody."""
    logging.disable(logging.WARNING)  # they are about what a page lacks without a browser
    for page in sorted((ROOT / "lab/pages").glob("*.py")):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_S)
        app.switch_page(str(page.relative_to(ROOT))).run()


def turn_every_switch() -> None:
    """Run what the Timeline page shows when one switch has one of its other values, for each."""
    for info in TABLE:
        for value in info.values:
            if value != info.correct:
                study_of(Choice(changes={info.name: value}).config())


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # its temporary folders go with it
    open_every_page()
    turn_every_switch()
    gc.collect()
    gc.freeze()  # the collector need not look through all of that ever again
    sys.argv[0:1] = ["streamlit", "run", str(ROOT / "app.py")]
    sys.exit(cli.main())
