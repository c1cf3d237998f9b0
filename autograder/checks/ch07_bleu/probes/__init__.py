"""The probes of this chapter: what is asked of a student's code. They hold no answers.

Words are short strings, and a sentence is a list of them; a probe hands over copies, so that what it returns beside the answer is
what it asked. The exercises that put BLEU together are given stand-ins for its parts, which tell the student when they are called
otherwise than the exercise promises.
"""
