"""The judges of this chapter: what is right, and what is said when it is not. A student's process never loads them."""
