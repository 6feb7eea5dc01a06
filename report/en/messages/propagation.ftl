at_bound = flow at its bound
cls = from [CLS]
special = from other special tokens
text = from tokens of the text
tight_flow = tight, fixed residual
tight_flow_measured = tight, measured
