mixing_lead = { $before ->
    [holds] 一つの層の中では、ベクトルは注意重みが示すほどには混ざらない。残差接続をどちらにも含めた混合度合いは、{ $before_tuning }重みで { $weights_pretrained }、ベクトルで { $vectors_pretrained } である
    [divided] 一つの層の中では、{ $before_models }で、ベクトルは注意重みが示すほどには混ざらない。残差接続をどちらにも含めた混合度合いの中央値は、{ $before_tuning }重みで { $weights_pretrained }、ベクトルで { $vectors_pretrained } である
    [fails] 一つの層の中で、ベクトルは注意重みが示すのと同じかそれ以上に混ざる。残差接続をどちらにも含めた混合度合いは、{ $before_tuning }重みで { $weights_pretrained }、ベクトルで { $vectors_pretrained } である
    [open] 一つの層の中で、ベクトルの混合比が注意重みの値を下回るかどうかは判断できない。残差接続をどちらにも含めた混合度合いは、{ $before_tuning }重みで { $weights_pretrained }、ベクトルで { $vectors_pretrained } である
   *[not_tested] 一つの層の中でベクトルが注意重みが示すほどには混ざらないかどうかは、{ $before_tuning }検証していない
}{ $after ->
    [holds] 。ファインチューニング後は、どのモデルでもベクトルのほうが小さい
    [divided] 。ファインチューニング後にベクトルのほうが小さいのは、{ $after_models }である
    [fails] 。ファインチューニング後は、ベクトルも重みと同じかそれ以上になる
    [open] 。ファインチューニング後にベクトルのほうが小さいかどうかは判断できない
   *[not_tested] {""}
}
mixing_tuned = { $alti ->
    [holds] ファインチューニングによって、トークンはより強く混ざる。最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）は { $mixed_pretrained } から { $mixed_finetuned } に増える
    [divided] ファインチューニングによって、トークンがより強く混ざるのは、{ $alti_models }である。最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）の中央値は、前が { $mixed_pretrained }、後が { $mixed_finetuned } である
    [fails] ファインチューニングをしても、トークンがより強く混ざることはない。最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）は、前が { $mixed_pretrained }、後が { $mixed_finetuned } である
    [open] ファインチューニングによってトークンがより強く混ざるかどうかは判断できない。最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）は、前が { $mixed_pretrained }、後が { $mixed_finetuned } である
   *[not_tested] { $with_mixed ->
        [yes] 最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）は、ファインチューニング前が { $mixed_pretrained }、後が { $mixed_finetuned } である。この差は、{ $why }ため検証していない
       *[no] ファインチューニングによってトークンがより強く混ざるかどうかは、{ $why }ため検証していない
    }
}{ $sinks ->
    [holds] 。一方、アテンションシンクをもつヘッドは { $heads_pretrained } から { $heads_finetuned } に減る
    [divided] 。アテンションシンクをもつヘッドが減るのは、{ $sinks_models }である（中央値は、前が { $heads_pretrained }、後が { $heads_finetuned }）
    [fails] 。アテンションシンクをもつヘッドは減らない（前が { $heads_pretrained }、後が { $heads_finetuned }）
    [open] 。アテンションシンクをもつヘッドが減るかどうかは判断できない（前が { $heads_pretrained }、後が { $heads_finetuned }）
   *[not_tested] {""}
}
mixing_within = { $bare ->
    [holds] 一つの層の中では、残差接続を除いて同じ条件で比べても、ベクトルは注意重みが示すほどには混ざらない（重みで { $attn_w }、ベクトルで { $attn_n }）
    [divided] 一つの層の中で、残差接続を除いて比べると、ベクトルの混合比が注意重みの値を下回るのは、{ $bare_models }である（中央値は、重みで { $attn_w }、ベクトルで { $attn_n }）
    [fails] 一つの層の中では、残差接続を除いて比べると、ベクトルは注意重みが示すのと同じかそれ以上に混ざる（重みで { $attn_w }、ベクトルで { $attn_n }）
    [open] 一つの層の中で、残差接続を除いて比べたときにベクトルの混合比が注意重みの値を下回るかどうかは判断できない（重みで { $attn_w }、ベクトルで { $attn_n }）
   *[not_tested] 残差接続を除いたときに、ベクトルで測った混合が注意重みより小さいかどうかは検証していない
}{ $residual ->
    [holds] 。残差接続をどちらにも含めると、重みで { $attnres_w }、ベクトルで { $attnres_n } になる
    [divided] 。残差接続をどちらにも含めたとき、ベクトルの値が重みを下回るのは、{ $residual_models }である（中央値は重みで { $attnres_w }、ベクトルで { $attnres_n }）
    [fails] 。残差接続をどちらにも含めると、ベクトルの値は重みを下回らない（重みで { $attnres_w }、ベクトルで { $attnres_n }）
    [open] 。残差接続をどちらにも含めたときに差があるかどうかは判断できない（重みで { $attnres_w }、ベクトルで { $attnres_n }）
   *[not_tested] {""}
}
mixing_upper = { $outcome ->
    [holds] ファインチューニング後のモデルの最後の二層では、ベクトルの値が重みを上回る（重みで { $weights }、ベクトルで { $vectors }）
    [divided] ファインチューニング後のモデルの最後の二層で、ベクトルの値が重みを上回るのは、{ $outcome_models }である（モデル全体では、重みで { $weights_range }、ベクトルで { $vectors_range }）
   *[fails] ファインチューニング後のモデルの最後の二層でも、ベクトルの値は重みを上回らない（重みで { $weights }、ベクトルで { $vectors }）
}
    .question = ファインチューニング後のモデルの最後の二層で、ベクトルの値が重みを上回るかどうか
    .values = 値は、重みで { $weights }、ベクトルで { $vectors } である
mixing_through = { $outcome ->
    [holds] 一方、全層を通すと両者はほぼ等しくなる。ほかのトークンに由来する割合は、ベクトルの長さのロールアウトで { $vectors }、重みのロールアウトで { $weights } である
    [divided] 一方、全層を通すと、{ $outcome_models }で両者がほぼ等しくなる。ほかのトークンに由来する割合の中央値は、ベクトルの長さのロールアウトで { $vectors }、重みのロールアウトで { $weights } である
   *[fails] 全層を通すと、両者は異なる。ほかのトークンに由来する割合は、ベクトルの長さのロールアウトで { $vectors }、重みのロールアウトで { $weights } である
}
    .question = 全層を通したとき、ベクトルの長さのロールアウトと重みのロールアウトがほぼ等しいかどうか
    .values = ほかのトークンに由来する割合は、ベクトルの長さのロールアウトで { $vectors }、重みのロールアウトで { $weights } である
mixing_alti = { $before ->
    [holds] 打ち消し合う寄与を割り引く ALTI によれば、{ $before_tuning }値がこれより小さい（{ $mixed_pretrained }）
    [divided] 打ち消し合う寄与を割り引く ALTI によれば、{ $before_tuning }値が { $before_models }でこれより小さい（{ $mixed_pretrained }）
    [fails] 打ち消し合う寄与を割り引く ALTI によっても、{ $before_tuning }値はこれより小さくない（{ $mixed_pretrained }）
    [open] 打ち消し合う寄与を割り引く ALTI によって、{ $before_tuning }値がこれより小さいかどうかは判断できない（{ $mixed_pretrained }）
   *[not_tested] { $before_tuning }ALTI の値がより小さいかどうかは検証していない
}{ $after ->
    [holds] 。ファインチューニング後は、重みより小さい（{ $mixed_finetuned }）
    [divided] 。ファインチューニング後に重みより小さいのは、{ $after_models }である（ALTI の中央値は { $mixed_finetuned }）
    [fails] 。ファインチューニング後は、重みより小さくない（{ $mixed_finetuned }）
    [open] 。ファインチューニング後については判断できない（{ $mixed_finetuned }）
   *[not_tested] {""}
}
mixing_cancel = { $outcome ->
    [holds] 長さのロールアウトの値が大きいのは、混合比なら互いに打ち消し合う寄与についても、その長さを一つずつ足し上げるからである。第 1 層だけを見ても、混合比の { $ratio } に対し、長さの和では { $lengths } になる。同じ層の ALTI では { $alti } である
    [divided] { $outcome_models }で長さのロールアウトの値が大きくなるのは、混合比なら互いに打ち消し合う寄与についても、その長さを一つずつ足し上げるからである。第 1 層の中央値は、混合比で { $ratio }、長さの和で { $lengths } である。同じ層の ALTI では { $alti } である
   *[fails] 長さのロールアウトの値は、寄与の打ち消し合いでは説明できない。第 1 層では、混合比の { $ratio } に対し、長さの和で { $lengths } である。同じ層の ALTI では { $alti } である
}
    .question = 長さのロールアウトの値が寄与の打ち消し合いで説明できるかどうか
    .values = 第 1 層では、混合比の { $ratio } に対し、長さの和で { $lengths } である。同じ層の ALTI では { $alti } である
mixing_order = { $outcome ->
    [holds] { $before_tuning }重みから注意ブロック全体へと一段進むごとに、報告された順序どおりに混合比が小さくなる
    [divided] { $before_tuning }重みから注意ブロック全体へと一段進むごとに、報告された順序どおりに混合比が小さくなるのは、{ $outcome_models }である
   *[fails] { $before_tuning }重みから注意ブロック全体へと進んでも、混合比は報告どおりには小さくならない
}
    .question = 重みから注意ブロック全体へと一段進むごとに、報告どおりに混合比が小さくなるかどうか
mixing_depth = { $outcome ->
    [holds] { $before_tuning }BERT-base についての報告と同じく、深い層ほど混合比が小さい（順位相関 { $correlation }）
    [divided] { $before_tuning }BERT-base についての報告のように深い層ほど混合比が小さくなるのは、{ $outcome_models }である（順位相関 { $correlation_range }）
   *[fails] { $before_tuning }混合比は BERT-base について報告されたほどには深さとともに小さくならない（順位相関 { $correlation_range }）
}
    .question = { $before_tuning }BERT-base についての報告のように深い層ほど混合比が小さいかどうか
    .values = 順位相関は { $correlation_range } である
mixing_rise = { $outcome ->
    [holds] ファインチューニング後の混合比は、第 1 層の { $first } から最終層の { $last } へと大きくなる
    [divided] ファインチューニング後に深い層で大きくなるのは { $outcome_models }であり、中央値は第 1 層で { $first }、最終層で { $last } である
   *[fails] ファインチューニング後も深い層で大きくなることはなく、第 1 層で { $first }、最終層で { $last } である
}
    .question = ファインチューニング後の混合比が、深い層で大きくなるかどうか
    .values = 第 1 層で { $first }、最終層で { $last } である
mixing_isolated = { $apart ->
    [fails] 最初と最後の層を除くと、通常のトークンもほかのトークンをほとんど取り込まないので、[CLS] だけが孤立しているとはいえない
   *[other] { $isolated ->
        [fails] 最初と最後の層を除いて、[CLS] は孤立していない。ベクトルのうちほかのトークンに由来する割合は、[CLS] で { $cls }、通常のトークンで { $text } である
       *[other] { $outcome ->
            [holds] 最初と最後の層を除いて、[CLS] はほとんど孤立している。ベクトルのうちほかのトークンに由来するのは、通常のトークンの { $text } に対し、[CLS] では { $cls } にすぎない
            [divided] { $outcome_models }では、最初と最後の層を除いて、[CLS] がほとんど孤立している。ベクトルのうちほかのトークンに由来する割合の中央値は、[CLS] で { $cls }、通常のトークンで { $text } である
            [open] 最初と最後の層を除いて、[CLS] が孤立しているかどうかは判断できない。ベクトルのうちほかのトークンに由来する割合は、[CLS] で { $cls }、通常のトークンで { $text } である
           *[not_tested] [CLS] が孤立しているかどうかは測っていない
        }
    }
}
mixing_mask = { $before ->
    [holds] { $before_tuning }[MASK] は同じテキストの通常のトークンほど混ざらず、混合比はその { $share_before } である
    [divided] { $before_tuning }{ $before_models }で [MASK] が同じテキストの通常のトークンほど混ざらない（混合比の中央値はその { $share_before }）
    [fails] { $before_tuning }[MASK] は同じテキストの通常のトークンと同じかそれ以上に混ざり、混合比はその { $share_before } である
    [open] [MASK] を含むテキストが少なく、{ $before_tuning }通常のトークンほど混ざらないかどうかは判断できない
   *[not_tested] [MASK] と通常のトークンは、どのテキストにも [MASK] がある実験で比べるが、今回の実行にそのような実験はない
}{ $lower ->
    [holds] 。ファインチューニング後は、下半分の層で通常のトークンほど混ざらない（同 { $share_lower }）
    [divided] 。ファインチューニング後は、下半分の層では、{ $lower_models }で通常のトークンほど混ざらない（同 { $share_lower }）
    [fails] 。ファインチューニング後は、下半分の層で通常のトークンと同じかそれ以上に混ざる（同 { $share_lower }）
    [open] 。ファインチューニング後の下半分の層については判断できない（同 { $share_lower }）
   *[not_tested] {""}
}{ $upper ->
    [holds] 。上半分の層では、通常のトークンと同じ程度に混ざる（同 { $share_upper }）
    [divided] 。上半分の層では、{ $upper_models }で通常のトークンと同じ程度に混ざる（同 { $share_upper }）
    [fails] 。上半分の層では、通常のトークンと混ざる程度が異なる（同 { $share_upper }）
    [open] 。上半分の層で、通常のトークンと同じ程度に混ざるかどうかは判断できない（同 { $share_upper }）
   *[not_tested] {""}
}
mixing_whole = { $outcome ->
    [holds] 二つ目の残差接続と層正規化までを含む層全体の混合比は { $whole } で、注意ブロックの { $block } に近い
    [divided] 二つ目の残差接続と層正規化までを含む層全体の混合比は、{ $outcome_models }で注意ブロックに近い。中央値は、層全体で { $whole }、注意ブロックで { $block } である
   *[fails] 二つ目の残差接続と層正規化までを含む層全体の混合比は { $whole } で、注意ブロックの { $block } から離れる
}
    .question = 二つ目の残差接続と層正規化までを含む層全体の混合比が注意ブロックに近いかどうか
    .values = 値は、層全体で { $whole }、注意ブロックで { $block } である
mixing_special = { $outcome ->
    [holds] ロールアウトすると、重みでは全体の { $weights } が特殊トークンに行き着くのに対し、ベクトル（Attn-N）では { $vectors } にとどまる。特殊トークンは大きな重みを受けるが、寄与するベクトルは短い
    [divided] ロールアウトして特殊トークンに行き着く割合が、ベクトル（Attn-N）で重みを下回るのは、{ $outcome_models }である（中央値は重みで { $weights }、ベクトルで { $vectors }）
   *[fails] ロールアウトして特殊トークンに行き着く割合は、ベクトル（Attn-N）でも重みを下回らない（重みで { $weights }、ベクトルで { $vectors }）
}
    .question = ロールアウトして特殊トークンに行き着く割合が、ベクトル（Attn-N）で重みを下回るかどうか
    .values = 割合は、重みで { $weights }、ベクトルで { $vectors } である
mixing_own = { $outcome ->
    [holds] ALTI によれば、{ $models_before }最終層で { $alti_range } のトークンは最大の寄与を自分自身から受けており、BERT-base についての報告値と整合する
    [divided] ALTI によれば、{ $models_before }最終層で { $alti_range } のトークンは最大の寄与を自分自身から受けており、{ $outcome_models }で BERT-base についての報告値と整合する
   *[fails] ALTI によれば、{ $models_before }最終層で { $alti_range } のトークンは最大の寄与を自分自身から受けており、今回のテキストで判断できる限り、BERT-base についての報告値とは合わない
}
    .question = 最終層で最大の寄与を自分自身から受けるトークンの割合が BERT-base についての報告値と合うかどうか
    .values = ALTI によれば、{ $models_before }そのようなトークンは { $alti_range } である
mixing_identifiable = { $kept ->
    [holds] { $models_before }最終層を出たトークンの大半（{ $share_pretrained }）がなお自分自身の入力に最も近い
    [divided] { $models_before }{ $kept_models }で、最終層を出たトークンの大半がなお自分自身の入力に最も近い（中央値は { $share_pretrained }）
    [fails] { $models_before }最終層を出てなお自分自身の入力に最も近いトークンは、半分に満たない（{ $share_pretrained }）
    [open] { $models_before }最終層を出たトークンの大半がなお自分自身の入力に最も近いかどうかは判断できない（{ $share_pretrained }）
   *[not_tested] 最終層を経ても自分自身の入力に最も近いトークンが大半かどうかは検証していない
}{ $lost ->
    [holds] 。ファインチューニングにより、この割合は { $after_range } に下がる
    [divided] 。ファインチューニングにより、{ $lost_models }でこの割合が下がる（最小で { $after_low }）
    [fails] 。ファインチューニングしても、この割合は下がらない（{ $after }）
    [open] 。ファインチューニングによりこの割合が下がるかどうかは判断できない（{ $after }）
   *[not_tested] {""}
}
mixing_alike = { $outcome ->
    [holds] ここでは似ていく。同じテキストの二つのトークンの平均コサイン類似度は { $first } から { $last } に上がる。全トークンの平均を引いても { $centred } まで上がる
    [divided] ここでは { $outcome_models }で似ていく。同じテキストの二つのトークンの平均コサイン類似度は { $first } から { $last } に変わる。全トークンの平均を引くと最終層で { $centred } となる
   *[fails] ここでは似ていかない。同じテキストの二つのトークンの平均コサイン類似度は { $first } から { $last } に変わる。全トークンの平均を引くと最終層で { $centred } となる
}
    .question = ここでもトークンが互いに似ていくかどうか
    .values = 同じテキストの二つのトークンの平均コサイン類似度は { $first } から { $last } に変わる。全トークンの平均を引くと最終層で { $centred } となる
mixing_collapse = { $outcome ->
    [holds] どちらも取り除くと、テキストのトークンは互いに等しくなり、中央の層を出たところで残るノルムは { $middle } になる。残差接続だけを戻せば、最終層を出ても { $kept } が残る
    [divided] どちらも取り除くとトークンが互いに等しくなり、残差接続がそれを防ぐのは、{ $outcome_models }である。中央の層を出たところで残るノルムの中央値は { $middle } である。残差接続だけを戻すと、最終層を出たところで { $kept } になる
   *[fails] どちらも取り除いてもトークンが互いに等しくなることはないか、残差接続がそれを防がない。中央の層を出たところで残るノルムは { $middle } である。残差接続だけを戻すと、最終層を出たところで { $kept } になる
}
    .question = トークンが互いに等しくなるのを残差接続が防ぐかどうか
    .values = どちらも取り除くと、中央の層を出たところで残るノルムは { $middle } である。残差接続だけを戻すと、最終層を出たところで { $kept } になる
mixing_zeroed = { $outcome ->
    [holds] バリューのゼロ化では、半数を超えるトークンで、層の出力を最も変えるのはほかのトークンのバリューである。自分のバリューの影響が最も大きいトークンは { $own } にすぎず、混合度合いは { $others } になる
    [divided] バリューのゼロ化で、層の出力を最も変えるのがほかのトークンのバリューであるのは、{ $outcome_models }である。自分のバリューの影響が最も大きいトークンは中央値で { $own } であり、混合度合いは { $others } である
   *[fails] バリューのゼロ化では、少なくとも半分のトークンで自分のバリューの影響が最も大きい（{ $own }）。混合度合いは { $others } である
}
    .question = 層の出力を最も変えるのがほかのトークンのバリューかどうか
    .values = バリューのゼロ化では、自分のバリューの影響が最も大きいトークンは { $own } であり、混合度合いは { $others } である
