"""One process of the lab for a class: `python -m deploy.process [streamlit options]`.

It is `streamlit run app.py`, with the packages and the lessons read before the first learner comes
and not then (4 s, in which all the others would wait, too).
"""

import gc
import sys

from streamlit.web import cli

import lab.opened  # noqa: F401
import lab.runs  # noqa: F401
from lessons.loading import lessons

if __name__ == "__main__":
    lessons()
    gc.freeze()  # none of it is ever garbage
    sys.argv[0:1] = ["streamlit", "run", "app.py"]
    sys.exit(cli.main())
