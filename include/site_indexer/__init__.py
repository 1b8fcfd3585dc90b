"""Site Indexer: keeps website search indexes fresh from dated index scripts."""

__version__ = "0.1.0"
