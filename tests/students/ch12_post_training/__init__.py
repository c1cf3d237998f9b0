"""Wrong and right answers to the exercises of this chapter."""
