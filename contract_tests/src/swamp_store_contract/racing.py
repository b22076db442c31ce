"""However many callers create one key at once, from threads, instances and processes: one of them wins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import Lock

from swamp_core.store import SignalWaitStore

from swamp_store_contract.processes import workers
from swamp_store_contract.threads import at_once
from swamp_store_contract.under_test import StoreUnderTest

THREADS = 16
PROCESSES = 8
ROUNDS = 50


class ExactlyOneCreateWins:
    """Of the creates that race for a key exactly one is told True, and it is that one's record that is stored."""

    def test_sixteen_threads_on_one_key_have_one_winner(self, under_test: StoreUnderTest) -> None:
        """Sixteen threads on two instances, fifty keys.

        Breaks by: check-then-write, a lock per instance.
        """
        stores = [under_test.open(), under_test.open()]
        for number in range(ROUNDS):
            key = f"race/k{number}"
            datas = [f"record of thread {thread}".encode() * 20 for thread in range(THREADS)]
            answers = at_once(
                [partial(stores[index % 2].put_if_absent, key, data) for index, data in enumerate(datas)]
            )
            _assert_one_winner(key, answers)
            assert under_test.raw_get(key) == datas[answers.index(True)], (
                f"ExactlyOneCreateWins: the record of `{key}` is not the winner's."
            )
            assert stores[1].put_if_absent(key, b"late") is False

    def test_eight_processes_on_one_key_have_one_winner(self, under_test: StoreUnderTest) -> None:
        """Eight processes wait and are let go together, fifty times.

        Breaks by: a lock that lives in one process.
        """
        keys = [f"race/p{number}" for number in range(ROUNDS)]
        with workers(under_test.recipe(), PROCESSES) as others:
            for number, key in enumerate(keys):
                for index in range(PROCESSES):
                    racer = (index + number) % PROCESSES  # none is the first to be let go each time
                    others[racer].tell("create", key=key, data=f"record of process {racer}")
                answers = [other.hear() for other in others]
                _assert_one_winner(key, answers)
                assert under_test.raw_get(key) == f"record of process {answers.index(True)}".encode()

    def test_siblings_in_a_fresh_tree_all_win(self, under_test: StoreUnderTest) -> None:
        """Different keys do not race.

        Breaks by: taking "the directory exists" for "the record exists".
        """
        stores = [under_test.open(), under_test.open()]
        for number in range(20):
            keys = [f"tree{number}/a/b/c{leaf}" for leaf in range(THREADS)]
            answers = at_once(
                [partial(stores[i % 2].put_if_absent, key, key.encode()) for i, key in enumerate(keys)]
            )
            assert answers == [True] * THREADS
            assert {key for key in under_test.raw_keys() if key.startswith(f"tree{number}/")} == set(keys)

    def test_a_tree_that_comes_and_goes_loses_no_create(self, under_test: StoreUnderTest) -> None:
        """Each thread creates and deletes a key of its own beside the others.

        Breaks by: taking a directory that another thread prunes or makes for a lost create.
        """
        stores = [under_test.open(), under_test.open()]

        def come_and_go(store: SignalWaitStore, key: str) -> list[str]:
            wrong = []
            for round_ in range(ROUNDS):
                data = f"{key} {round_}".encode()
                if store.put_if_absent(key, data) is not True:
                    wrong.append(f"round {round_}: its create was lost")
                if store.get(key) != data:
                    wrong.append(f"round {round_}: its record was not there")
                store.delete(key)
                if store.get(key) is not None:
                    wrong.append(f"round {round_}: its record stayed")
            return wrong

        keys = [f"churn/x/y/own{thread}" for thread in range(8)]
        assert at_once([partial(come_and_go, stores[i % 2], key) for i, key in enumerate(keys)]) == [[]] * 8
        assert under_test.raw_keys() == set()

    def test_create_and_delete_in_a_churn_never_give_two_winners(self, under_test: StoreUnderTest) -> None:
        """The winner alone deletes, so nobody else may win meanwhile.

        Breaks by: a delete that removes what it did not see, a create that answers from before the delete.
        """
        stores = [under_test.open(), under_test.open()]
        inside: list[int] = []
        guard = Lock()

        def churn(thread: int) -> tuple[int, list[str]]:
            store, wins, wrong = stores[thread % 2], 0, []
            for round_ in range(ROUNDS):
                data = f"{thread} {round_}".encode()
                if not store.put_if_absent("churn/one", data):
                    continue
                wins += 1
                with guard:
                    inside.append(thread)
                    if len(inside) > 1:
                        wrong.append(f"{inside} won at the same time")
                if store.get("churn/one") != data:
                    wrong.append("the record was not the winner's")
                with guard:
                    inside.remove(thread)
                store.delete("churn/one")
            return wins, wrong

        answers = at_once([partial(churn, thread) for thread in range(8)])
        failures = [answer for answer in answers if isinstance(answer, Exception) or answer[1]]
        assert failures == [], f"ExactlyOneCreateWins: two creates of `churn/one` won at once: {failures}"
        assert sum(answer[0] for answer in answers if not isinstance(answer, Exception)) >= 1
        assert under_test.raw_keys() == set()


def _assert_one_winner(key: str, answers: Sequence[object]) -> None:
    winners = sum(answer is True for answer in answers)
    assert winners == 1, (
        f"ExactlyOneCreateWins: {winners} of {len(answers)} callers were told True for `{key}`: {answers}"
    )
    losers = [answer for answer in answers if answer is not True and answer is not False]
    assert losers == [], f"ExactlyOneCreateWins: a lost race for `{key}` is False, not {losers[0]!r}"
