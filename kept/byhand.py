"""Which exercises' recorded questions are not today's."""
import sys
from autograder.declare import chapters, load_checks
from autograder.building.recorded import recorded_of
from autograder.questions.recorded import read_recorded
only=sys.argv[1:]
for c in chapters():
    if only and c not in only: continue
    have=read_recorded(c)
    for e in load_checks(c):
        new=recorded_of(e)
        if new!=have.get(e.exercise.name,[]): print(c,e.exercise.name,flush=True)
print("done")
