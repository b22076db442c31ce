import pytest
from broken.catalogue import MUTANTS, Mutant
from swamp_store_contract.suite import StoreContract

pytest_plugins = ("pytester",)

PLAINLY = ("-p", "no:xdist", "-p", "no:randomly", "-p", "no:cacheprovider")
BROKEN_SUITE = """
import pytest
from broken.catalogue import MUTANTS
from swamp_store_contract.suite import StoreContract

class TestBroken(StoreContract):
    @pytest.fixture
    def under_test(self, tmp_path):
        with MUTANTS[{index}].set_up(tmp_path) as under_test:
            yield under_test
"""


def _name(mutant: Mutant) -> str:
    return f"{mutant.name}-{mutant.caught_by.removeprefix('test_')}"


@pytest.mark.parametrize("index", range(len(MUTANTS)), ids=[_name(mutant) for mutant in MUTANTS])
def test_the_named_case_catches_the_broken_store(pytester: pytest.Pytester, index: int) -> None:
    """A suite is trusted only for what it has been seen to catch."""
    pytester.makepyfile(test_broken=BROKEN_SUITE.format(index=index))
    result = pytester.runpytest_inprocess(
        f"test_broken.py::TestBroken::{MUTANTS[index].caught_by}",
        "--exitfirst",
        *PLAINLY,
    )
    outcomes = result.parseoutcomes()
    assert outcomes.get("failed", 0) == 1, f"{MUTANTS[index].name} was not caught."
    assert "errors" not in outcomes


def test_every_case_of_the_suite_has_a_broken_store_that_it_catches() -> None:
    """No case is there for show."""
    cases = {name for name in dir(StoreContract) if name.startswith("test_")}
    assert cases - {mutant.caught_by for mutant in MUTANTS} == set()


def test_every_broken_store_names_a_case_that_exists() -> None:
    """A renamed case leaves no mutant behind."""
    assert [mutant.caught_by for mutant in MUTANTS if not hasattr(StoreContract, mutant.caught_by)] == []


def test_a_promise_without_a_hook_is_reported_and_not_skipped(pytester: pytest.Pytester) -> None:
    """What could not be shown stands at the end of the run, with the reason."""
    pytester.makepyfile(
        test_memory="""
        import pytest
        from memory_under_test import MemoryUnderTest
        from swamp_store_contract.suite import StoreContract

        class TestMemory(StoreContract):
            @pytest.fixture
            def under_test(self):
                return MemoryUnderTest()
        """
    )
    result = pytester.runpytest_inprocess(*PLAINLY, "-k", "lost_reply_is_true or byte_order")
    result.stdout.fnmatch_lines(
        [
            "*promises not proven*",
            "*test_a_lost_reply_is_true (1 case): there is no fault hook for lost_reply*",
            "*1 passed, *, 1 not proven in *",
        ]
    )
