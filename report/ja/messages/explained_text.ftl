evidence = 根拠
scaled = スコア（行ごとの最小から最大）
