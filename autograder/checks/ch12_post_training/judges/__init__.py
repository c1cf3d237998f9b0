"""The judges of this chapter: what is right, and what is said when it is not."""
