within = 一つの層で（層についての平均）
through = 最終層までに
answer_raw = 注意重み
answer_residual =
    注意重み
    （残差接続を割合 { $share } で数える）
answer_vectors =
    ベクトル
    （残差接続と層正規化を含む）
answer_layer =
    ベクトル
    （フィードフォワード層を含む層全体）
answer_rollout = ロールアウト
answer_uniform =
    ロールアウト
    （注意がすべて均等だったら）
answer_measured = ロールアウト（実測の残差）
answer_distance =
    トークン間に残る
    ロールアウトの差
answer_identifiable =
    自分の入力から
    なお見分けられるトークン
share = 割合
looks_weights = 一つの層の注意そのもの
looks_propagation = 全層にわたってたどった注意
looks_vectors = 受け渡されるベクトルの大きさ
looks_gradients = 単語の変化に対する答えの変わりやすさ

# 図の代替テキスト
alt_answers = 九つの割合を一行ずつ示す点グラフ。点は実験とモデルの状態。一つの層については、注意重みによる混合、残差接続を数えた混合、ベクトルによる混合、層全体での混合。最終層までについては、ロールアウト、均等な注意のロールアウト、実測の残差によるロールアウトの混合、トークン間に残る差、なお見分けられるトークン。
