point = 観測点
position = テキスト中の位置
text = テキスト
text_number = テキスト { $number }
label = ラベル
special = 特殊トークン
ordinary = その他のトークン
evidence = 根拠
kind = トークンの種類
hover =
    { $token }
    テキスト { $text }、位置 { $position }
trust_key = 各マップの下：T 信頼性、C 連続性、O 近傍の一致率、S シードによるばらつき
