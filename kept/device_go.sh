# go.sh WORKERS SECONDS: start the driver once (with MPS if it works), and wait.
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1
mkdir -p /tmp/dev
if [ ! -f /tmp/dev/started ]; then
  touch /tmp/dev/started; nproc; nvidia-smi | head -15
  MPS=$(command -v nvidia-cuda-mps-control || find /usr/local/nvidia /usr/bin /usr/local -name nvidia-cuda-mps-control 2>/dev/null | head -1)
  echo "mps: $MPS"
  if [ -n "$MPS" ] && [ -z "$NOMPS" ]; then
    export CUDA_MPS_PIPE_DIRECTORY=/tmp/mps CUDA_MPS_LOG_DIRECTORY=/tmp/mpslog; mkdir -p /tmp/mps /tmp/mpslog
    setsid $MPS -d; sleep 1
    timeout 40 python3 -c "import torch; print('under MPS', torch.ones(3, device='cuda').sum().item())" || { echo quit | $MPS; unset CUDA_MPS_PIPE_DIRECTORY; echo "no MPS"; cat /tmp/mpslog/* | tail -5; }
  fi
  setsid nohup python3 .dev/drive.py $1 > /tmp/dev/out 2>&1 &
fi
for i in $(seq $2); do sleep 1; grep -q "ALL DONE" /tmp/dev/log 2>/dev/null && break; done
cp /tmp/dev/rows.jsonl /tmp/dev/log $OUT/ 2>/dev/null
cat /tmp/dev/log | tail -${3:-60}; tail -3 /tmp/dev/out; nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv; uptime
