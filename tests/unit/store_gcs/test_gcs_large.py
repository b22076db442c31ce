"""An object that something else than Swamp stored, larger than any record."""

import pytest
from gcs_site import Site
from swamp_core.store import CheckedStore, RecordTooLarge
from swamp_core.store.keys import RECORD_BYTES_MAX


def test_what_is_too_large_for_a_record_is_not_read(site: Site, store: CheckedStore) -> None:
    """Somebody else's object of any size takes no memory, and is asked for once."""
    site.put("large", bytes(RECORD_BYTES_MAX + 1))
    site.put("largest", bytes(RECORD_BYTES_MAX))
    with pytest.raises(RecordTooLarge, match=f"more than {RECORD_BYTES_MAX} bytes"):
        store.unchecked.get("large")
    assert site.methods() == ["GET"]
    assert store.get("largest") == bytes(RECORD_BYTES_MAX)
