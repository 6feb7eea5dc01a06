read = テキスト（モデルの入力）
group = 群
