"""What not every system has, as marks of the tests that need it."""

import os
import sys

import pytest

# Elsewhere os.kill ends a process, and there are no alarms, shells, modes or broken pipes.
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals, modes and pipes of POSIX")
# A device on which every write fails.
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
# Sizes, threads and clocks of a process are read there, and its memory is limited.
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and the limits of Linux")
