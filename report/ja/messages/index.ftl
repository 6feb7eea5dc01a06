within = 一つの層の中で
through = 全層を通して
answer_weights = 注意重み
answer_weights_residual =
    注意重み
    （残差は1/2）
answer_vectors =
    ベクトル（残差
    と正規化を含む）
answer_rolled_weights = 注意重み
answer_rolled_vectors =
    ベクトル（残差
    と正規化を含む）
answer_alti = ALTI
the_text = 例文
an_experiment = 全テキスト
median = 中央値
sure = { $outcome ->
    [holds] { $cases ->
        [1] 判定単位は 1 個で、成り立つ
       *[other] { $cases } 個の判定単位のすべてで成り立つ
    }
    [partly] { $cases } 個の判定単位のうち { $held } 個で成り立つ
    [fails] { $cases ->
        [1] 判定単位は 1 個で、成り立たない
       *[other] { $cases } 個の判定単位のいずれでも成り立たない
    }
    [open] { $cases ->
        [1] 判定単位は 1 個で、決まらない
       *[other] { $held ->
            [0] 決まらない（{ $cases } 個の判定単位のいずれでも成り立つとはいえない）
           *[other] 決まらない（{ $cases } 個の判定単位のうち { $held } 個で成り立つ）
        }
    }
   *[not_tested] 今回の実行では未検証
}{ $sample ->
    [texts] 。{ $cases ->
        [1] { $texts }
       *[other] 各 { $texts }
    }
   *[none] {""}
}

# 図の代替テキスト
alt_answers = 六つの割合を示す棒グラフ。点は実験とモデルの状態、ひし形は一つの例文。一つの層の中での混合は、注意重み、残差接続を 1/2 とした注意重み、残差接続と層正規化を含むベクトル。全層を通した混合は、注意重みのロールアウト、ベクトルのロールアウト、ALTI。
