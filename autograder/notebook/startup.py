"""What a kernel of `autograder lab` runs when it starts, so that a missing name is explained before the set-up cell has been run."""

import autograder as _  # Importing it begins to listen.

del _
