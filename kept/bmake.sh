#!/bin/bash
# bmake.sh CHAPTER LOG: makes a chapter with all its descendants at high priority
. /tmp/envt.sh; cd /work/main; unset SEQLAB_BUDGET
setsid python -m autograder make $1 > $2 2>&1 &
M=$!
tree() { for c in $(pgrep -P $1); do echo $c; tree $c; done; }
while kill -0 $M 2>/dev/null; do
  for p in $M $(tree $M); do echo -16 > /proc/$p/autogroup 2>/dev/null; done
  sleep 2
done
wait $M; echo "rc $?" >> $2; date >> $2
