"""Real servers for the tests, and a proxy that does to a request whatever a network can do.

Each is started from an installed package on a free loopback port, shown by the canary to keep the one promise
that Swamp stands on, and gone when the tests are, whatever ended them. Nothing here needs an SDK.
"""
