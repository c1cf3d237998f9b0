"""The judges of chapter 8: what is right, and what is said when it is not."""
