at_bound = 上界に達したフロー
cls = [CLS] から
special = その他の特殊トークンから
text = 本文のトークンから
tight_flow = 上界（固定の残差）
tight_flow_measured = 上界（実測の残差）
