"""A store over a network, small enough to read in one sitting: what a store author can start from.

The server is a bucket service with conditional creates, metadata, pages of a thousand keys and lost replies.
The store decides them as an adapter for S3 or GCS does, with the create loop of `swamp_core.store.creating`.
"""
