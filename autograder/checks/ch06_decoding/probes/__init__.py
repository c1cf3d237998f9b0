"""The probes of this chapter: what is asked of a student's code. They hold no answers.

The step that `beam_search` is given is a stand-in: it looks its logits up in a table, and tells the student when it is called
otherwise than the exercise promises. What `sample_next` builds on, a filter, is a stand-in too.
"""
