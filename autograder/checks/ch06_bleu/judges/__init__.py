"""The judges of chapter 6: what is right, and what is said when it is not."""
