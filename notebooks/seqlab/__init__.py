"""What the notebooks share: the corpus, the training loop, the plots. Import its modules by name."""
