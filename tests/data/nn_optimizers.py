# SPDX-License-Identifier: BSD-3-Clause
# The rows of nn_optimizers.h: ten steps of torch.optim in float64, and three of LBFGS. Run it by python -P: statistics.py beside
# it is not the standard one.
import torch
torch.set_default_dtype(torch.float64)
def start():
    w = torch.tensor([0.5 + 0.25 * k - 0.1 * k * k for k in range(6)]).reshape(2, 3).requires_grad_()
    b = torch.tensor([1.0 - 0.4 * k for k in range(4)]).requires_grad_()
    return w, b
def loss(w, b):
    # a curved valley with couplings
    return ((w - 0.3) ** 4).sum() + (w[0] * w[1]).sum() ** 2 + (b * b * torch.tensor([1., 3., 0.5, 2.])).sum() + torch.sin(b[0] * w[0, 0]) + torch.cos(b.sum())
rows = [
 ("sgd", lambda p: torch.optim.SGD(p, lr=0.02)),
 ("momentum", lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, dampening=0.3, weight_decay=0.05)),
 ("nesterov", lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.8, nesterov=True)),
 ("adam", lambda p: torch.optim.Adam(p, lr=0.05, betas=(0.8, 0.99), eps=1e-6, weight_decay=0.1)),
 ("adamw", lambda p: torch.optim.AdamW(p, lr=0.05)),
 ("amsgrad", lambda p: torch.optim.Adam(p, lr=0.05, betas=(0.5, 0.6), amsgrad=True)),
 ("rmsprop", lambda p: torch.optim.RMSprop(p, lr=0.02, alpha=0.9)),
 ("centered", lambda p: torch.optim.RMSprop(p, lr=0.02, alpha=0.9, centered=True, momentum=0.5, weight_decay=0.01)),
 ("adagrad", lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.05, initial_accumulator_value=0.2)),
 ("maximize", lambda p: torch.optim.Adam(p, lr=0.01, maximize=True)),
]
def dump(name, w, b):
    v = torch.cat([w.detach().ravel(), b.detach()]).tolist()
    print("  { \"%s\",\n    { %s } }," % (name, ",\n      ".join(", ".join("%.17g" % x for x in v[i:i+5]) for i in (0, 5))))
print("/* torch", torch.__version__, "*/")
for name, make in rows:
    w, b = start()
    o = make([w, b])
    for k in range(10):
        o.zero_grad(); loss(w, b).backward(); o.step()
    dump(name, w, b)
for name, kw in (("lbfgs", dict(lr=0.1, max_iter=4)), ("wolfe", dict(max_iter=4, line_search_fn="strong_wolfe")), ("far", dict(lr=8, max_iter=4, line_search_fn="strong_wolfe")), ("history", dict(lr=0.5, max_iter=6, history_size=3, line_search_fn="strong_wolfe"))):
    w, b = start()
    o = torch.optim.LBFGS([w, b], **kw)
    def closure():
        o.zero_grad(); l = loss(w, b); l.backward(); return l
    for k in range(3): o.step(closure)
    dump(name, w, b)
