chapter_advice = 問いごとの測定法の選び方

## Words of figures and tables

question = 問い
measure = 測定法
advice = 助言と、拠り所となる主張
untested_here = 今回の実行では回路で試していない
advice_aside = { $advice }{ $aside }
asked_layer_amount = 一つの層で
asked_model_amount = 全層を通して
asked_layer_source = 一つの層で
asked_model_source = 全層を通して
asked_prediction = 仕組みによらず
asked_keys = 注意の向きを決めるキーとして
layer_question = 一つの層で、トークンのベクトルのどれだけがほかのトークンに由来するか
through_question = 全層を通して、どれだけがほかのトークンに由来するか
source_question = 表現はどのトークンに由来するか
prediction_question = 予測はどの単語に依存するか
near_question = どのトークンどうしが注意を向け合うか
near_measure = 注意重みそのもの。特殊トークンには印を付ける
near_truth = この問いは注意そのものについてのものなので、依存の正解では試せない。
head_question = そのヘッドは必要か
head_measure = ヘッドを無効にしたときの損失（交差エントロピー、すべてのテスト用テキスト）
head_truth = 回路で採点したのは層なので、試していない。
change_question = ファインチューニングは何を変えるか
change_measure = 入力を固定したときの注意の変化と、重みの変化
change_truth = 回路はファインチューニングしないので、試せない。

## Sentences of the notebook

answer = { $outcome ->
    [baseline] { $through ->
        [layer] 層に入るベクトルの置き換え
       *[model] トークンの置き換え
    }。{ $circuits } 個の回路のうち、ベースライン（{ $baseline } 個）より多くに合格する手法はない。
    [all] どの手法でもよい。{ $circuits } 個の回路すべてに、すべての手法が合格する。
    [some] { $measures }（{ $circuits } 個の回路すべてに合格）。
    [most] { $through ->
        [layer] 層に入るベクトルの置き換え
       *[model] トークンの置き換え
    }。最も多くに合格する手法：{ $measures }（{ $circuits } 個のうち { $passed } 個、ベースラインは { $baseline } 個）。
   *[none] { $through ->
        [layer] 層に入るベクトルの置き換え
       *[model] トークンの置き換え
    }。{ $circuits } 個の回路に合格する手法はない。
}

advice_B8 = { $outcome ->
    [holds] 注意重みを混合の量として読まない。ファインチューニングの前には、ブロックのうち数える部分を増やすほど混合は小さくなるので、ベクトルを測る。
   *[other] 注意重みを混合の量として読まない。ベクトルを測り、ブロックのどこまでを数えたかを明記する。
}
advice_B9 = { $outcome ->
    [holds] 混合は深い層ほど小さいので、層ごとに示す。
   *[other] 混合は、一つの平均ではなく層ごとに示す。
}
advice_B7 = { $outcome ->
    [holds] 重みのロールアウトでは、残差の割合を 0.5 に固定すると結果が悪くなるので、実測する。
   *[other] 残差の割合 0.5 は取り決めにすぎない。一度実測して比べる。
}
advice_A9 = { $outcome ->
    [holds] アテンションフローは全層を反映しており、その要約として読んでよい。
    [divided] アテンションフローを全層の要約として読まない。多くのトークンでは、一つの層だけで値が決まる。
   *[other] アテンションフローを使う前に、一つの層だけで値が決まるトークンの組の割合を確かめる。
}
advice_B20 = { $outcome ->
    [holds] 深い層では、約 30% のトークンで最大の寄与がほかのトークンから来る。ある単語の行が、その単語だけを表すとは限らない。
   *[other] 深い層のある行をその単語の表現とみなす前に、最大の寄与がほかから来るトークンの割合を測る。
}
advice_B11 = { $outcome ->
    [holds] トークンを順位づけるには、ロールアウトよりもベクトルの分解（ALTI）を使う。
   *[other] ベクトルの分解（ALTI）とロールアウトは、単語を取り除いて比べる。
}
advice_B1 = { $outcome ->
    [holds] 深い層の生の注意重みで予測を説明せず、注意を層をまたいでたどる。
   *[other] ロールアウトやアテンションフローも、生の注意重みと同様に、単語を取り除いて確かめる。
}
advice_B3 = { $outcome ->
    [holds] 中間の層では、アテンションフローのほうがロールアウトよりも、単語を取り除いた影響とよく一致する。計算時間が許せば使う。
    [fails] アテンションフローは計算時間がはるかに長いが、ロールアウトに勝らなかった。
   *[other] アテンションフローはロールアウトよりはるかに計算時間が長いので、まず少数のテキストで試す。
}
advice_B25 = { $outcome ->
    [holds] AttentionViz では、近さを注意の強さとして読んでよい。
   *[other] AttentionViz では、ヘッドごとに確かめてから、近さを注意の強さとして読む。
}
advice_B23 = { $outcome ->
    [holds] 目立つ模様があっても、そのヘッドが重要だとは限らない。論拠にする前に、無効にして確かめる。
    [fails] 無効にすると影響の出るヘッドが多い。試験せずに図から省かない。
   *[other] ヘッドが重要か不要かを論じる前に、無効にして、多くのテキストで損失を測る。
}
advice_B21 = { $outcome ->
    [holds] そのままの注意は最後の二層で最も変わるが、下の層から受け継ぐ変化も含む。層自身の変化を見るには、その入力を固定する。
   *[other] 層自身の変化を見るには、その入力を固定し、すべての層を示す。
}
