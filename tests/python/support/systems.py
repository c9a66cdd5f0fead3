"""Marks for tests that need features of some operating systems."""

import os
import sys

import pytest

# On other systems os.kill ends a process, and alarms, shells, modes and broken pipes are missing.
posix = pytest.mark.skipif(os.name != "posix", reason="needs signals, modes and pipes of POSIX")
# A device on which every write fails.
full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
# /proc shows the memory, threads and times of a process, and limits apply to its memory.
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and the limits of Linux")
