from gcs_site import site, store

__all__ = ["site", "store"]
