import sys, time, torch
from itertools import chain, islice
layers, d, pairs, steps, rate, drop = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]), float(sys.argv[6])
import importlib
sw = importlib.import_module("solutions.ch10_bert.sweeping")
from solutions.ch10_bert.embeddings import BertEmbeddings
from solutions.ch10_bert.losses import masked_lm_loss
from solutions.ch10_bert.model import BertForPreTraining
from seqlab.encoder import Encoder
from seqlab.pieces import load_pieces
from seqlab.pretraining import AtPlaces
from seqlab.convergence import rate_at
from torch import nn
from torch.nn import functional as F
torch.manual_seed(0)
V = len(load_pieces())
heads = d // 32
model = BertForPreTraining(BertEmbeddings(V, d, max_length=64, dropout=drop), Encoder(d, heads, 4*d, layers, dropout=drop), d, V)
for name, w in model.named_parameters():
    if w.dim() > 1: nn.init.normal_(w, std=0.05 if d <= 128 else 0.03)
    elif name.endswith("bias"): nn.init.zeros_(w)
model.encoder = AtPlaces(model.encoder)
dev = torch.device("cpu")
print(layers, d, pairs, steps, rate, drop, sum(p.numel() for p in model.parameters())/1e6, flush=True)
short = sw.masked_batches(sw.documents_of("train", sw.SHORT), 2*pairs, 0, 0.3)
long = sw.masked_batches(sw.documents_of("train"), pairs, 0, 0.3)
opt = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
t = time.process_time(); hist = []
model.train()
for step, drawn in enumerate(chain(islice(short, 1000), long), 1):
    for g in opt.param_groups: g["lr"] = rate_at(step, steps, rate, 0.04)
    words, labels, hidden, pair, is_next = sw.guesses(model, drawn, dev)
    a, b = masked_lm_loss(words, labels), F.cross_entropy(pair, is_next)
    loss = a + b
    opt.zero_grad(); loss.backward(); nn.utils.clip_grad_norm_(model.parameters(), 1.0); opt.step()
    hist.append((a.item(), b.item()))
    if step % (steps // 20) == 0:
        model.eval()
        h = hist[-500:]
        m = sw.measure(model, 0, 800 if step < steps else 3200, dev)
        print(step, round(time.process_time()-t), "train", round(sum(x for x,_ in h)/len(h),3), round(sum(y for _,y in h)/len(h),3), m, flush=True)
        model.train()
    if step == steps: break
