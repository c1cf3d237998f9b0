"""The judges of chapter 7: what is right, and what is said when it is not."""
