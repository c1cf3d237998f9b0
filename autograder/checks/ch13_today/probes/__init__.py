"""The probes of this chapter: what is asked of a student's code. They hold no answers.

An exercise that builds on another is given a stand-in for it: fixed, of the right shapes, and not the right function. A
stand-in tells the student when it is called otherwise than the exercise promises.
"""
