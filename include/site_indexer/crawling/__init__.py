"""Crawling: fetching, robots, politeness, decoding, extraction, the frontier, and what to index."""
