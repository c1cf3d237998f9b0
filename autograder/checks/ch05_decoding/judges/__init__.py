"""The judges of chapter 5: what is right, and what is said when it is not."""
