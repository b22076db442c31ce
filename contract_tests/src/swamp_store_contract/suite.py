"""The whole contract, as one class to subclass: it adds nothing to the promises that it collects."""

from __future__ import annotations

from swamp_store_contract.deleting import DeletesTakeOneRecord
from swamp_store_contract.failures import FailuresHaveTheirTypes
from swamp_store_contract.first_create import FirstCreateWins
from swamp_store_contract.isolation import StoresKeepApart
from swamp_store_contract.keys import KeysAreCheckedAlike
from swamp_store_contract.killing import AKillLeavesAllOrNothing
from swamp_store_contract.listing import ListingsAreComplete
from swamp_store_contract.lost_replies import LostRepliesChangeNoAnswer
from swamp_store_contract.machine import AStoreIsADict
from swamp_store_contract.racing import ExactlyOneCreateWins
from swamp_store_contract.records import RecordsAreWhole


class StoreContract(
    FirstCreateWins,
    ExactlyOneCreateWins,
    LostRepliesChangeNoAnswer,
    FailuresHaveTheirTypes,
    KeysAreCheckedAlike,
    RecordsAreWhole,
    DeletesTakeOneRecord,
    ListingsAreComplete,
    StoresKeepApart,
    AKillLeavesAllOrNothing,
    AStoreIsADict,
):
    """Everything that `SignalWaitStore` promises. A subclass brings the fixture `under_test`."""
