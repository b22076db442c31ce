"""The list of stores says which can be used, and of the others what they lack."""

from importlib.metadata import PackageNotFoundError

from swamp_core.store import registry


def test_a_store_that_lacks_its_sdk_says_so_and_what_to_do(swamp, monkeypatch):
    """What is missing is named, and the sentence is right in a clone and with an index."""
    there = registry.metadata.distribution

    def without(name):
        if name == "boto3":
            raise PackageNotFoundError(name)
        return there(name)

    monkeypatch.setattr(registry.metadata, "distribution", without)
    told = " ".join(swamp("datastore", "stores").out.split())
    assert "s3 swamp-store-s3 no" in told
    assert (
        "The s3 store lacks boto3. Install it as Swamp was: `pip install swamp-store-s3`, "
        "or in a clone `pip install ./swamp_store_s3`."
    ) in told
    (s3,) = (each for each in swamp("datastore", "stores", "--json").json["stores"] if each["type"] == "s3")
    assert (s3["installed"], s3["missing"]) == (False, ["boto3"])
