"""The command line, one file per verb: only parsing and printing."""

from stillproof.core.garbage import begin_loading

begin_loading()
