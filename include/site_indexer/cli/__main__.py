"""``python -m site_indexer.cli``."""

import sys

from site_indexer.cli.entry import main

sys.exit(main())
