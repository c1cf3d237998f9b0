"""The judges of this chapter: what is right, and what is said of it when it is not. They run where no student's code is."""
