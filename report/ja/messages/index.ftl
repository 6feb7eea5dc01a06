chapter_index = 概要

## Words of figures and tables

within = 一つの層の中で
through = 全層を通して
answer_weights = 注意重み
answer_weights_residual =
    注意重み
    （残差は 1/2）
answer_vectors_residual = ベクトル（残差）
answer_vectors =
    ベクトル（残差
    と正規化を含む）
answer_rolled_weights = 注意重み
answer_rolled_vectors =
    ベクトル（残差
    と正規化を含む）
answer_alti = ALTI
the_text = 例文
an_experiment = 一条件
median = 中央値
sure = { $tested ->
    [no] 今回の実行に数えられる条件はない
   *[yes] { $what }{ $counts }{ $texts ->
        [none] {""}
       *[other] 。各 { $texts }
    }
}
sure_part = { $part } { $of } 件中 { $held } 件{ $open ->
    [0] {""}
   *[other] （決まらないもの { $open } 件）
}
sure_weights = 注意重みのほうが高いのは、
sure_weights_bare = 残差なしで
sure_weights_residual = 残差ありで
sure_through = 4 分の 3 を超えるのは、
sure_through_rolled = ロールアウトで
sure_through_alti = ALTI で
sure_explained = 勾配が勝るのは、
sure_explained_planted = 根拠の語で
sure_explained_comprehensiveness = 単語の除去で
sure_explained_sufficiency = 単語の除去で

basis = { $n ->
    [1] { $trained ->
        [0] { $models } による一つの実験の、テキストについての平均
       *[other] { $models } による一つの実験の、ファインチューニングの前と後の中央値
    }
   *[other] { $models } による { $experiments }の中央値{ $trained ->
        [0] {""}
       *[other] 。うち { $trained } 件はファインチューニングの前と後を別に数え、全部で { $cases } 条件
    }
}

## Alternative texts of figures

alt_answers = 七つの割合を示す棒グラフ。点は実験とモデルの状態、ひし形は一つの例文。一つの層の中での混合は、注意重み、残差接続を 1/2 とした注意重み、残差接続を含むベクトル、残差接続と層正規化を含むベクトル。全層を通した混合は、注意重みのロールアウト、ベクトルのロールアウト、ALTI。

## Findings

index_weights = { $outcome ->
    [holds] 一つの層の中では、注意重みは混合の度合いを過大に見せる
    [partly] 一つの層の中では、注意重みは混合の度合いを過大に見せるが、例外もある
    [fails] 一つの層の中で、注意重みは混合の度合いを過大に見せない
    [open] 一つの層の中で、注意重みが混合の度合いを過大に見せるかどうかは決まらない
   *[not_tested] 一つの層の中で、注意重みが混合の度合いを過大に見せるかどうかは、{ $why }ため検証していない
}
index_upper = { $outcome ->
    [holds] ファインチューニング後の最後の二層でも、注意重みの値はベクトルの値を上回る
    [partly] ファインチューニング後の最後の二層で、注意重みの値がベクトルの値を上回るのは一部の実験だけである
    [fails] ファインチューニング後の最後の二層では、注意重みの値はベクトルの値を上回らない
    [open] ファインチューニング後の最後の二層では、比較の結果は決まらない
   *[not_tested] ファインチューニングしたモデルの最後の二層で注意重みがベクトルを上回るかどうかは、{ $why }ため検証していない
}
index_through = { $outcome ->
    [holds] 全層を通すと、ほかのトークンに由来する部分が 4 分の 3 を超える
    [partly] 全層を通して、ほかのトークンに由来する部分が 4 分の 3 を超えるかどうかは、測り方やモデルによる
    [fails] 全層を通しても、4 分の 1 以上はトークン自身の情報のまま残る
    [open] 全層を通した混合の度合いは決まらない
   *[not_tested] 全層を通した混合の度合いは、{ $why }ため検証していない
}
index_rollout = { $outcome ->
    [holds] アテンションロールアウトが示す混合の度合いは、モデルがどこに注意を向けるかにほとんど左右されない
    [partly] 一部の実験では、アテンションロールアウトが示す混合の度合いは、モデルがどこに注意を向けるかにほとんど左右されない
    [fails] アテンションロールアウトが示す混合の度合いは、モデルがどこに注意を向けるかによって変わる
    [open] アテンションロールアウトが示す混合の度合いが、モデルがどこに注意を向けるかによって変わるかどうかは決まらない
   *[not_tested] アテンションロールアウトが示す混合の度合いが何で決まるかは、{ $why }ため検証していない
}
index_flow = { $even ->
    [holds] アテンションフローの値は、どのトークンでもほぼ等しい
    [partly] 一部の実験では、アテンションフローの値はどのトークンでもほぼ等しい
    [fails] アテンションフローの値はトークンによって異なる
    [open] アテンションフローの値がトークンによって異なるかどうかは決まらない
   *[not_tested] アテンションフローの値がどのトークンでもほぼ等しいかどうかは検証していない
}{ $inverted ->
    [holds] 。わずかな差による順位では、答えの根拠が上位ではなく下位に来る
    [partly] 。一部の実験では、その順位で答えの根拠が上位ではなく下位に来る
    [fails] 。その順位で答えの根拠が下位に来ることはない
    [open] 。その順位で答えの根拠が下位に来るかどうかは決まらない
   *[not_tested] {""}
}
index_attentionviz = { $outcome ->
    [holds] AttentionViz の正規化をすると、クエリが最も強く注意を向けるキーは、ほかのキーに比べて遠くなる
    [partly] AttentionViz の正規化をすると、クエリが最も強く注意を向けるキーがほかのキーに比べて遠くなるのは、一部の距離か実験に限られる
    [fails] AttentionViz の正規化をしても、クエリが最も強く注意を向けるキーは、ほかのキーに比べて遠くならない
    [open] AttentionViz の正規化で、クエリが最も強く注意を向けるキーがほかのキーに比べて遠くなるかどうかは決まらない
   *[not_tested] AttentionViz の正規化によって最も強いキーの順位が下がるかどうかは、{ $why }ため検証していない
}
index_heads = { $outcome ->
    [fails] ヘッドを一つ無効にしても、損失が増えることは少ない
    [partly] ヘッドを一つ無効にしたとき、損失が増えることの少ない課題と多い課題がある
    [holds] ヘッドを一つ無効にすると、損失が増えることが多い
    [open] ヘッドを一つ無効にしたとき、損失が増えるヘッドがどのくらいあるかは決まらない
   *[not_tested] ヘッドを一つ無効にしても損失が増えることは少ないといえるかどうかは、{ $why }ため検証していない
}
index_explained = { $outcome ->
    [holds] どの基準でも、勾配は注意より予測をよく説明する
    [partly] 勾配が注意より予測をよく説明するのは、一部の基準に限られる
    [fails] 勾配による予測の説明は、注意によるものに勝らない
    [open] { $planted ->
        [holds] 仕込んだ根拠を見つける点では勾配が注意に勝る。単語を取り除く基準では優劣は決まらない
       *[other] 勾配が注意より予測をよく説明するかどうかは決まらない
    }
   *[not_tested] 勾配が注意より予測をよく説明するかどうかは、{ $why }ため検証していない
}
index_order = { $outcome ->
    [holds] { $evidence ->
        [not_tested] 単語を取り除く基準では、積分勾配が勾配のノルムに勝る
       *[other] 単語を取り除く基準では、上位の二つの勾配の手法の順序が逆になる
    }
    [partly] 単語を取り除く基準の一部でのみ、上位の二つの勾配の手法の順序が変わる
    [fails] 単語を取り除く基準で上位の二つの勾配の手法の順序が変わることは、確認できない
    [open] 単語を取り除く基準で上位の二つの勾配の手法の順序が入れ替わるかどうかは、今回のテキストだけでは決まらない
   *[not_tested] 単語を取り除く基準で上位の二つの勾配の手法の順序が変わるかどうかは、{ $why }ため検証していない
}
