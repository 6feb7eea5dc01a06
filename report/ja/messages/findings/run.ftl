sure = { $tested ->
    [no] 今回の実行に、検証したモデルはない
   *[yes] { $what }{ $counts }{ $texts ->
        [none] {""}
       *[other] （{ $models ->
            [1] {""}
           *[other] 各{" "}
        }{ $texts }）
    }
}
sure_part = { $part }{ $of ->
    [1] { $held ->
        [0] 該当なし
       *[other] ただ一つのモデル
    }
   *[other] {" "}{ $of } モデル中 { $held } モデル
}{ $open ->
    [0] {""}
   *[other] （ほかに判定保留 { $open }）
}
sure_tuned = 確認できたのは、
sure_tuned_alti = ALTI で
sure_tuned_sinks = シンクで
sure_weights = 重みで測った混合度合いが、ベクトルで測った値を上回るのは、
sure_weights_bare = 残差接続を除くと
sure_through = 4 分の 3 を超えるのは、
sure_through_rolled = 長さで
sure_through_alti = ALTI で
sure_explained = 積分勾配が勝るのは、
sure_explained_removed = 単語の除去で
run_tuned = { $alti ->
    [holds] ファインチューニングによって、トークンはより強く混ざる{ $sinks ->
        [holds] 。シンクをもつヘッドは減る
       *[other] {""}
    }
    [divided] ファインチューニングによって、トークンがより強く混ざるのは、{ $alti_models }である
    [fails] ファインチューニングをしても、トークンはより強く混ざらない
    [open] ファインチューニングによってトークンがより強く混ざるかどうかは判断できない
   *[not_tested] ファインチューニングによってトークンがより強く混ざるかどうかは、{ $why }ため検証していない
}
run_weights = { $outcome ->
    [holds] 一つの層の中では、注意重みは混合の度合いを過大に見せる
    [divided] 一つの層の中では、{ $outcome_models }で、注意重みは混合の度合いを過大に見せる
   *[fails] 一つの層の中で、注意重みは混合の度合いを過大に見せない
}
    .question = 一つの層の中で、注意重みが混合の度合いを過大に見せるかどうか
run_upper = { $outcome ->
    [holds] ファインチューニング後のモデルの最後の二層では、ベクトルの値が注意重みの値を上回る
    [divided] ファインチューニング後のモデルの最後の二層で、ベクトルの値が注意重みの値を上回るのは、{ $outcome_models }である
   *[fails] ファインチューニング後のモデルの最後の二層でも、ベクトルの値は注意重みの値を上回らない
}
    .question = ファインチューニング後のモデルの最後の二層で、ベクトルの値が注意重みの値を上回るかどうか
run_through = { $outcome ->
    [holds] 全層を通すと、ほかのトークンに由来する部分が 4 分の 3 を超える
    [divided] 全層を通して、ほかのトークンに由来する部分がどちらの測り方でも 4 分の 3 を超えるのは、{ $outcome_models }である
   *[fails] 全層を通しても、4 分の 1 以上はトークン自身の情報のまま残る
}
    .question = 全層を通して、ほかのトークンに由来する部分が 4 分の 3 を超えるかどうか
run_rollout = { $outcome ->
    [holds] アテンションロールアウトが示す混合の度合いは、モデルがどこに注意を向けるかにほとんど左右されない
    [divided] { $outcome_models }では、アテンションロールアウトが示す混合の度合いは、モデルがどこに注意を向けるかにほとんど左右されない
   *[fails] アテンションロールアウトが示す混合の度合いは、モデルがどこに注意を向けるかによって変わる
}
    .question = アテンションロールアウトが示す混合の度合いが、モデルがどこに注意を向けるかによって変わるかどうか
run_flow = { $even ->
    [holds] アテンションフローの値は、どのトークンでもほぼ等しい
    [divided] { $even_models }では、アテンションフローの値はどのトークンでもほぼ等しい
    [fails] アテンションフローの値はトークンによって異なる
    [open] アテンションフローの値がトークンによって異なるかどうかは判断できない
   *[not_tested] アテンションフローの値がどのトークンでもほぼ等しいかどうかは検証していない
}{ $inverted ->
    [holds] 。わずかな差による順位では、予測の根拠語が上位ではなく下位に来る
    [divided] 。{ $inverted_models }では、その順位で予測の根拠語が上位ではなく下位に来る
    [fails] 。その順位で予測の根拠語が下位に来ることはない
    [open] 。その順位で予測の根拠語が下位に来るかどうかは判断できない
   *[not_tested] {""}
}
run_attentionviz = { $special ->
    [holds] AttentionViz の正規化は、シンクを遠ざける
    [divided] AttentionViz の正規化がどの距離でもシンクを遠ざけるのは、{ $special_models }である
    [fails] AttentionViz の正規化は、シンクを遠ざけない
    [open] AttentionViz の正規化がシンクを遠ざけるかどうかは判断できない
   *[not_tested] AttentionViz の正規化がシンクを遠ざけるかどうかは、{ $why }ため検証していない
}
run_explained = { $outcome ->
    [holds] 予測の拠り所は、注意より勾配のほうがよく見つける{ $outcome_source }
    [divided] { $outcome_models }では、予測の拠り所を、注意より勾配のほうがよく見つける{ $outcome_source }
   *[fails] 予測の拠り所を、勾配が注意よりよく見つけることはない{ $outcome_source }
}
    .question = 予測の拠り所を、注意より勾配のほうがよく見つけるかどうか
run_order = { $outcome ->
    [holds] { $evidence ->
        [not_tested] 単語を取り除く基準では、積分勾配が勾配のノルムに勝る
       *[other] 単語を取り除く基準では、上位の二つの勾配の手法の順序が逆になる
    }
    [divided] 単語を取り除く基準で上位の二つの勾配の手法の順序が変わるのは、{ $outcome_models }である
   *[fails] 単語を取り除く基準で上位の二つの勾配の手法の順序が変わることは、確認できない
}
    .question = 単語を取り除く基準で上位の二つの勾配の手法の順序が入れ替わるかどうか
