"""What every test shares: the flags, the hypothesis profiles, and what is skipped when.

    --slow   runs the tests marked slow, too
    --long   lets hypothesis look further, with new random examples each time
    --scenarios N   runs so many random scenarios of the engine

OVERLAP_LAB_REQUIRE_BROWSER=1 turns a skipped browser test into a failed one.
"""

import gc
import os
from collections.abc import Generator

import pytest
from hypothesis import settings

# Two workers share the machine's cores, and small tensors gain nothing from more threads.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("default", max_examples=50, derandomize=True, deadline=None)
settings.register_profile("long", max_examples=2000, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the slow tests, too")
    parser.addoption("--long", action="store_true", help="let hypothesis try many more examples")
    parser.addoption("--scenarios", type=int, default=100, help="random scenarios of the engine")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("long" if config.getoption("--long") else "default")


def pytest_collection_finish() -> None:
    gc.freeze()  # what the imports left is not looked through again in every full collection


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if waits_for_slow(item):
            item.add_marker(pytest.mark.skip(reason="slow: runs with --slow"))
        if "gpu" in item.keywords and not cuda_is_available():
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))
        if "browser" in item.keywords:
            item.add_marker(pytest.mark.xdist_group("browser"))  # one worker, one server
            # Where other workers take the cores, a page may miss its moment: the summary tells.
            item.add_marker(pytest.mark.flaky(reruns=1))


def waits_for_slow(item: pytest.Item) -> bool:
    return "slow" in item.keywords and not item.config.getoption("--slow")


def cuda_is_available() -> bool:
    import torch  # here, so that a run without gpu tests need not load it

    return torch.cuda.is_available()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    required = os.environ.get("OVERLAP_LAB_REQUIRE_BROWSER") == "1"
    if required and report.skipped and "browser" in item.keywords and not waits_for_slow(item):
        report.outcome = "failed"
        report.longrepr = f"a browser test was skipped: {report.longrepr}"
    return report
