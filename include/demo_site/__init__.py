"""A small multilingual website with an index script, and its server.

It is what the demonstration shows and what tests crawl: the pages of an invented coastal
observatory in English, Spanish, Chinese and Arabic, with the oddities of real sites (redirects,
gone pages, duplicates, old charsets, robots rules). Everything it answers follows from the files
in ``content/``, the base URL and a small state directory, so two servers give the same bytes.
"""
