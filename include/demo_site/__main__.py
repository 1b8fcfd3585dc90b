"""``python -m demo_site serve|change|reset``."""

import sys

from demo_site.command import main

sys.exit(main())
