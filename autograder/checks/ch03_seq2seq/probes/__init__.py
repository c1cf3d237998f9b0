"""The probes of this chapter: what is asked of a student's code. They hold no answers.

Of a class, the layers get drawn weights, so that only what `forward` makes of them counts. The step that `greedy_decode` is given
is a stand-in: it looks its logits up in a table, and tells the student when it is called otherwise than the exercise promises.
"""
