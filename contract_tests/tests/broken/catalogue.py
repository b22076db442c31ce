"""Every broken store with the case that must catch it; a case that catches nothing is not worth its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from gcs_under_test import GcsUnderTest
from local_under_test import LocalUnderTest
from memory_under_test import MemoryUnderTest
from reference_network.store import NetworkStore
from reference_network.under_test import NetworkUnderTest
from s3_under_test import S3UnderTest, reached
from swamp_core.store import CheckedStore, MemoryStore, SignalWaitStore
from swamp_store_contract.under_test import Recipe, StoreUnderTest
from swamp_store_gcs.store import GcsStore
from swamp_store_s3.store import S3Store

from broken import on_disk, on_gcs, on_network, on_s3
from swamp_store_local import LocalStore
from tests.servers.gcs import gcs_serving
from tests.servers.s3 import s3_serving


@dataclass(frozen=True, slots=True)
class Mutant:
    """A broken store: its name, how to set it up for one test, and the case that must fail."""

    name: str
    caught_by: str
    set_up: Callable[[Path], AbstractContextManager[StoreUnderTest]]


def open_broken(name: str, directory: str) -> SignalWaitStore:
    """The broken store of this name, for another process."""
    return CheckedStore(getattr(on_disk, name)(directory), directory)


class BrokenOnDisk(LocalUnderTest):
    """A directory store of another class."""

    def __init__(self, directory: Path, store_class: type[LocalStore]) -> None:
        super().__init__(directory)
        self.store_class = store_class

    def open_at(self, directory: Path) -> SignalWaitStore:
        return CheckedStore(self.store_class(directory), str(directory))

    def recipe(self) -> Recipe:
        return Recipe("broken.catalogue:open_broken", (self.store_class.__name__, str(self.root)))


class Unchecked(LocalUnderTest):
    """A store that an adapter opened without the checks of the core."""

    def open_at(self, directory: Path) -> SignalWaitStore:
        return LocalStore(directory)


class OneWorld(LocalUnderTest):
    """Two stores that are given different places and use the same."""

    def open_elsewhere(self) -> SignalWaitStore:
        return self.open()


class MissingIsEmpty(LocalUnderTest):
    """A store that takes a missing directory for an empty one."""

    def open_at(self, directory: Path) -> SignalWaitStore:
        return CheckedStore(LocalStore(directory, create=True), str(directory))


class DeletesANeighbour(MemoryStore):
    """Loses a neighbour when what is not there is deleted."""

    def delete(self, key: str) -> None:
        if key not in self.records and self.records:
            self.records.pop(max(self.records))
        super().delete(key)


def on_a_disk(store_class: type[LocalStore], *cases: str) -> list[Mutant]:
    """Mutants of one class in a directory, one for each case."""
    return [
        Mutant(store_class.__name__, case, lambda path: nullcontext(BrokenOnDisk(path, store_class)))
        for case in cases
    ]


def in_memory(store_class: type[MemoryStore], *cases: str) -> list[Mutant]:
    """Mutants of one class in memory, one for each case."""
    return [
        Mutant(store_class.__name__, case, lambda _: nullcontext(MemoryUnderTest(store_class)))
        for case in cases
    ]


def with_harness(harness: type[LocalUnderTest], *cases: str) -> list[Mutant]:
    """Mutants in how the store is opened, one for each case."""
    return [Mutant(harness.__name__, case, lambda path: nullcontext(harness(path))) for case in cases]


def on_a_network(store_class: type[NetworkStore], *cases: str) -> list[Mutant]:
    """Mutants of one class over a network, one for each case."""

    @contextmanager
    def set_up(_: Path) -> Iterator[StoreUnderTest]:
        with closing(NetworkUnderTest()) as under_test:
            under_test.store_class = store_class
            yield under_test

    return [Mutant(store_class.__name__, case, set_up) for case in cases]


def on_gcs_server(store_class: type[GcsStore], *cases: str) -> list[Mutant]:
    """Mutants of one class on Google Cloud Storage, one for each case."""

    @contextmanager
    def set_up(_: Path) -> Iterator[StoreUnderTest]:
        with gcs_serving() as server, closing(GcsUnderTest(server)) as under_test:
            under_test.store_class = store_class
            yield under_test

    return [Mutant(store_class.__name__, case, set_up) for case in cases]


def on_s3_server(store_class: type[S3Store], *cases: str) -> list[Mutant]:
    """Mutants of one class on S3, one for each case."""

    @contextmanager
    def set_up(_: Path) -> Iterator[StoreUnderTest]:
        with s3_serving() as server, reached(server) as service:
            under_test = S3UnderTest(service)
            under_test.store_class = store_class
            yield under_test

    return [Mutant(store_class.__name__, case, set_up) for case in cases]


MUTANTS = [
    *on_a_disk(on_disk.LineEnds, "test_the_first_create_wins_byte_for_byte"),
    *on_a_disk(on_disk.LoserOverwrites, "test_a_lost_create_changes_nothing"),
    *on_a_disk(on_disk.EqualBytesAreMine, "test_equal_bytes_do_not_make_a_create_one_s_own"),
    *on_a_disk(on_disk.ListsItsOwnWrites, "test_a_record_that_was_put_there_by_others_is_found"),
    *on_a_disk(on_disk.Tombstones, "test_a_key_can_be_created_again_after_its_delete"),
    *on_a_disk(on_disk.CachedReads, "test_another_instance_reads_what_was_written"),
    *on_a_disk(on_disk.KeptInMemory, "test_another_process_reads_what_was_written"),
    *on_a_disk(
        on_disk.CheckThenWrite,
        "test_sixteen_threads_on_one_key_have_one_winner",
        "test_create_and_delete_in_a_churn_never_give_two_winners",
    ),
    *on_a_disk(on_disk.LockPerInstance, "test_sixteen_threads_on_one_key_have_one_winner"),
    *on_a_disk(on_disk.LockPerProcess, "test_eight_processes_on_one_key_have_one_winner"),
    *on_a_disk(on_disk.AnyExistsIsLost, "test_siblings_in_a_fresh_tree_all_win"),
    *on_a_disk(on_disk.PrunedIsLost, "test_a_tree_that_comes_and_goes_loses_no_create"),
    *on_a_disk(
        on_disk.ExclusiveThenWrite,
        "test_a_spinning_reader_never_sees_part_of_a_record",
        "test_a_process_killed_at_each_step_leaves_the_key_absent_or_complete",
    ),
    *on_a_network(
        on_network.NaiveLoop,
        "test_a_lost_reply_is_true",
    ),
    *on_a_network(on_network.EqualBytesAreOwn, "test_a_lost_reply_with_another_s_record_there_is_false"),
    *on_a_network(
        on_network.ExistsAfterFailureIsWon, "test_a_lost_reply_with_another_s_record_there_is_false"
    ),
    *on_a_network(on_network.NoPutIdIsOwn, "test_a_record_without_a_put_id_is_another_s"),
    *on_a_network(on_network.GuessesAtTheEnd, "test_a_lost_reply_and_no_retries_left_is_outcome_unknown"),
    *on_a_network(on_network.TransportErrorIsExists, "test_a_lost_request_ends_with_exactly_one_record"),
    *on_a_network(on_network.ConflictIsExists, "test_a_conflict_is_not_a_lost_race"),
    *on_a_network(on_network.DeniedIsLost, "test_a_failure_is_never_an_answer"),
    *on_a_network(on_network.FailedListingIsEmpty, "test_a_failure_is_never_an_answer"),
    *on_a_disk(on_disk.FailureIsAbsent, "test_a_failure_is_never_an_answer"),
    *on_a_disk(on_disk.FailureIsEmpty, "test_a_failure_is_never_an_answer"),
    *with_harness(MissingIsEmpty, "test_a_missing_store_is_never_an_empty_one"),
    *with_harness(
        Unchecked,
        "test_an_invalid_key_is_refused",
        "test_an_invalid_prefix_is_refused",
        "test_an_invalid_key_is_refused_before_any_io",
        "test_a_record_over_the_limit_is_refused_before_any_io",
    ),
    *on_a_disk(on_disk.HidesDotFiles, "test_an_odd_but_valid_key_is_kept_as_it_is"),
    *on_a_disk(on_disk.SuffixOthersCanSpell, "test_all_odd_keys_live_side_by_side"),
    *on_a_disk(on_disk.EmptyIsAbsent, "test_any_bytes_come_back_as_they_are"),
    *on_a_disk(on_disk.LimitOfItsOwn, "test_a_record_at_the_limit_is_stored_and_one_over_is_refused"),
    *on_a_disk(on_disk.AbsentIsAnError, "test_a_delete_can_be_repeated"),
    *on_a_disk(on_disk.LooksThenDeletes, "test_many_may_delete_one_record_at_once"),
    *on_a_disk(on_disk.PrunesTooMuch, "test_a_delete_never_touches_a_sibling"),
    *on_a_disk(on_disk.DeletesSubtree, "test_deleting_what_is_only_a_prefix_deletes_nothing"),
    *on_a_disk(on_disk.NoSuffix, "test_a_key_may_be_the_prefix_of_another"),
    *on_a_disk(on_disk.DirectoryPrefix, "test_the_prefix_is_a_string"),
    *in_memory(DeletesANeighbour, "test_any_sequence_of_operations_gives_what_a_dict_gives"),
    *on_a_disk(on_disk.OrderOfNames, "test_keys_come_in_byte_order"),
    *on_a_disk(on_disk.FromForAfter, "test_start_after_and_limit_cut_the_listing"),
    *on_a_disk(on_disk.CutsBeforeItSkips, "test_start_after_and_limit_cut_the_listing"),
    *on_a_disk(on_disk.LocksWhileItLists, "test_a_listing_may_be_left_and_gone_on_with"),
    *on_a_disk(on_disk.WholeListFirst, "test_a_listing_asks_as_it_goes_and_is_never_cut_short"),
    *on_a_disk(on_disk.EndsAtAFailure, "test_a_listing_asks_as_it_goes_and_is_never_cut_short"),
    *on_a_network(on_network.OnePage, "test_more_than_two_pages_are_listed_once_each"),
    *on_a_disk(
        on_disk.PagesByPosition,
        "test_a_listing_beside_creates_and_deletes_misses_no_key_that_stays",
    ),
    *with_harness(OneWorld, "test_two_stores_never_see_each_other"),
    *on_gcs_server(on_gcs.SdkRetries, "test_a_lost_reply_is_true"),
    *on_gcs_server(
        on_gcs.NoCondition,
        "test_a_lost_create_changes_nothing",
        "test_sixteen_threads_on_one_key_have_one_winner",
    ),
    *on_gcs_server(on_gcs.FirstPage, "test_more_than_two_pages_are_listed_once_each"),
    *on_s3_server(on_s3.SdkRetriesThenLost, "test_a_lost_reply_is_true"),
    *on_s3_server(on_s3.BusyIsLost, "test_a_conflict_is_not_a_lost_race"),
    *on_s3_server(on_s3.FirstPageOnly, "test_more_than_two_pages_are_listed_once_each"),
    *on_s3_server(
        on_s3.HeaderIgnored,
        "test_a_lost_create_changes_nothing",
        "test_sixteen_threads_on_one_key_have_one_winner",
    ),
]
