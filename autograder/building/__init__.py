"""From a chapter's text to its notebooks and its page."""
