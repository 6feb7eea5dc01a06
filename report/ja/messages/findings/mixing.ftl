mixing_lead = { $before ->
    [holds] 一つの層の中では、ベクトルは注意重みが示すほどには混ざらない。層を出たベクトルのうちほかのトークンに由来する割合は、{ $before_tuning }残差を半分とした重みで測ると { $weights_pretrained }、ベクトルで測ると { $vectors_pretrained } である
    [divided] { $before_tuning }{ $before_models }で、一つの層の中のベクトルは注意重みが示すほどには混ざらない。層を出たベクトルのうちほかのトークンに由来する割合の中央値は、残差を半分とした重みで測ると { $weights_pretrained }、ベクトルで測ると { $vectors_pretrained } である
   *[other] 一つの層の中で、層を出たベクトルのうちほかのトークンに由来する割合は、{ $before_tuning }残差を半分とした重みで測ると { $weights_pretrained }、ベクトルで測ると { $vectors_pretrained } である
}{ $after ->
    [holds] 。ファインチューニング後も、どのモデルでもベクトルの値が重みの値を下回る
    [divided] 。ファインチューニング後にベクトルの値が重みの値を下回るのは、{ $after_models }である
   *[other] {""}
}
    .untested = 一つの層の中でベクトルが注意重みが示すほどには混ざらないかどうか
mixing_tuned = { $alti ->
    [holds] ファインチューニングによって、どのモデルのトークンもより強く混ざる。最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI、中央値）は { $mixed_pretrained } から { $mixed_finetuned } に増える
    [not_tested] { $with_mixed ->
        [yes] 最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）は、ファインチューニング前が { $mixed_pretrained }、後が { $mixed_finetuned } である。この差は、{ $why }ため検証していない
       *[no] ファインチューニングによってトークンがより強く混ざるかどうかは、{ $why }ため検証していない
    }
   *[other] 最終層を出たベクトルのうち、ほかのトークンに由来する割合（ALTI）は、ファインチューニング前が { $mixed_pretrained }、後が { $mixed_finetuned } である
}
    .untested = ファインチューニングによってトークンがより強く混ざるかどうか
mixing_within = { $bare ->
    [holds] 残差接続をどちらからも除いて比べても、ベクトルの値は重みの値を下回る（{ $before_tuning }重みで { $attn_w_pretrained }、ベクトルで { $attn_n_pretrained }）
   *[other] 残差接続をどちらからも除くと、混合度合いは、{ $before_tuning }重みで { $attn_w_pretrained }、ベクトルで { $attn_n_pretrained } である
}
    .untested = 残差接続を除いたときにベクトルの値が重みの値を下回るかどうか
mixing_upper = { $outcome ->
    [divided] ファインチューニング後のモデルの最後の二層で、ベクトルの値が重みの値を上回るのは { $outcome_models }であり、最大で { $vectors_high } に達する
   *[other] ファインチューニング後のモデルの最後の二層の混合度合いは、重みで { $weights_range }、ベクトルで { $vectors_range } である
}
    .untested = ファインチューニング後のモデルの最後の二層で、ベクトルの値が重みの値を上回るかどうか
mixing_through = { $outcome ->
    [holds] 全層を通してロールアウトすると、ベクトルの長さと重みの値はほぼ等しくなる。ほかのトークンに由来する割合は、長さで { $vectors }、重みで { $weights } である
    [divided] 全層を通してロールアウトすると、{ $outcome_models }で、ベクトルの長さと重みの値がほぼ等しくなる。ほかのトークンに由来する割合の中央値は、長さで { $vectors }、重みで { $weights } である
   *[other] 全層を通してロールアウトすると、ほかのトークンに由来する割合は、ベクトルの長さで { $vectors }、重みで { $weights } である
}
    .untested = 全層を通したとき、ベクトルの長さのロールアウトと重みのロールアウトがほぼ等しいかどうか
mixing_alti = { $before ->
    [holds] 打ち消し合う寄与を割り引く ALTI の値は、{ $before_tuning }これより小さい（{ $mixed_pretrained }）
   *[other] 打ち消し合う寄与を割り引く ALTI の値は、{ $before_tuning }{ $mixed_pretrained } である
}
    .untested = ALTI の値がロールアウトの値より小さいかどうか
mixing_cancel = { $outcome ->
    [holds] 長さのロールアウトは、混合比なら互いに打ち消し合う寄与の長さも一つずつ足し上げる。第 1 層だけでも、長さの和による混合度合いは { $lengths } で、混合比の { $ratio } より大きい
   *[other] 第 1 層の混合度合いは、長さの和で { $lengths }、混合比で { $ratio } である
}
    .untested = 長さのロールアウトの値が寄与の打ち消し合いで説明できるかどうか
mixing_order = { $outcome ->
    [holds] 報告のとおり、{ $before_tuning }重みから注意ブロック全体へと一段進むごとに混合度合いが小さくなる
    [divided] { $before_tuning }重みから注意ブロック全体へと一段進むごとに、報告された順序どおりに混合度合いが小さくなるのは、{ $outcome_models }である
   *[other] 既報の主張は、重みから注意ブロック全体へと一段進むごとに混合度合いが小さくなるというものである
}
    .untested = 重みから注意ブロック全体へと一段進むごとに、報告どおりに混合度合いが小さくなるかどうか
mixing_depth = { $outcome ->
    [holds] { $before_tuning }BERT-base についての報告と同じく、深い層ほど混合度合いが小さい（順位相関 { $correlation }）
   *[other] 混合度合いと深さの順位相関は、{ $before_tuning }{ $correlation_range } である（BERT-base についての報告では負）
}
    .untested = BERT-base についての報告のように深い層ほど混合度合いが小さいかどうか
mixing_rise = { $outcome ->
    [holds] ファインチューニング後の混合度合いは、第 1 層の { $first } から最終層の { $last } へと、深い層ほど大きくなる
   *[other] ファインチューニング後の混合度合いは、第 1 層で { $first }、最終層で { $last } である
}
    .untested = ファインチューニング後の混合度合いが、深い層ほど大きくなるかどうか
mixing_isolated = { $apart ->
    [fails] 最初と最後の層を除くと、通常のトークンもほかのトークンをほとんど取り込まないので、[CLS] だけが孤立しているとはいえない
   *[other] { $outcome ->
        [holds] 最初と最後の層を除いて、[CLS] はほとんど孤立している。ほかのトークンに由来する割合は、[CLS] のベクトルで { $cls }、通常のトークンで { $text } である
        [divided] { $outcome_models }では、最初と最後の層を除いて、[CLS] がほとんど孤立している。ほかのトークンに由来する割合の中央値は、[CLS] のベクトルで { $cls }、通常のトークンで { $text } である
       *[other] 最初と最後の層を除くと、ほかのトークンに由来する割合は、[CLS] のベクトルで { $cls }、通常のトークンで { $text } である
    }
}
    .untested = 最初と最後の層を除いて [CLS] が孤立しているかどうか
mixing_mask = { $before ->
    [holds] { $before_tuning }[MASK] は同じテキストの通常のトークンほど混ざらず、混合度合いはその { $share_before } である
   *[other] { $before_tuning }[MASK] の混合度合いは、同じテキストの通常のトークンの { $share_before } である
}{ $lower ->
    [not_tested] {""}
   *[other] 。ファインチューニング後は、下半分の層で { $share_lower }、上半分の層で { $share_upper } である
}
    .untested = [MASK] が通常のトークンほど混ざらないかどうか
mixing_whole = { $outcome ->
    [holds] 層全体の混合度合いは、注意ブロックの値に近い（層全体で { $whole }、注意ブロックで { $block }）
    [divided] 層全体の混合度合いは、{ $outcome_models }で注意ブロックの値に近い（中央値は、層全体で { $whole }、注意ブロックで { $block }）
   *[other] 混合度合いは、層全体で { $whole }、注意ブロックで { $block } である
}
    .untested = 層全体の混合度合いが注意ブロックの値に近いかどうか
mixing_special = { $outcome ->
    [holds] 特殊トークンは大きな重みを受けるが、寄与するベクトルは短い。ロールアウトして特殊トークンに行き着く割合は、ベクトル（Attn-N）の値が重みの値を下回る（重みで { $weights }、ベクトルで { $vectors }）
    [divided] { $outcome_models }で、特殊トークンは大きな重みを受けるが、寄与するベクトルは短い。ロールアウトして特殊トークンに行き着く割合は、ベクトル（Attn-N）の値が重みの値を下回る（中央値は重みで { $weights }、ベクトルで { $vectors }）
   *[other] ロールアウトして特殊トークンに行き着く割合は、重みでは { $weights }、ベクトル（Attn-N）では { $vectors } である
}
    .untested = ロールアウトして特殊トークンに行き着く割合が、ベクトル（Attn-N）で重みを下回るかどうか
mixing_own = { $outcome ->
    [holds] ALTI によれば、{ $models_before }最終層で { $alti_range } のトークンが最大の寄与を自分自身から受け、これは BERT-base についての報告値と整合する
   *[other] ALTI によれば、{ $models_before }最終層で最大の寄与を自分自身から受けるトークンは { $alti_range } である
}
    .untested = 最終層で最大の寄与を自分自身から受けるトークンの割合が BERT-base についての報告値と合うかどうか
mixing_identifiable = { $kept ->
    [holds] { $models_before }最終層を出たトークンの大半（{ $share_pretrained }）は、なお自分自身の入力に最も近い
    [divided] { $models_before }{ $kept_models }で、最終層を出たトークンの大半がなお自分自身の入力に最も近い（中央値は { $share_pretrained }）
   *[other] { $models_before }最終層を出て自分自身の入力に最も近いトークンは { $share_pretrained } である
}{ $lost ->
    [holds] 。ファインチューニングにより、この割合は { $after_range } に下がる
    [not_tested] {""}
   *[other] 。ファインチューニング後の割合は { $after_range } である
}
    .untested = 最終層を経ても自分自身の入力に最も近いトークンが大半かどうか
mixing_alike = { $outcome ->
    [holds] ここでは似ていく。平均コサイン類似度は、入力の { $first_pretrained } から最終層の { $last } に上がり、全トークンの平均を引いても { $centred } になる
   *[other] ここでは、平均コサイン類似度は入力で { $first_pretrained }、最終層で { $last } であり、全トークンの平均を引くと最終層で { $centred } になる
}
    .untested = ここでもトークンが互いに似ていくかどうか
mixing_collapse = { $outcome ->
    [holds] どちらも取り除くと、テキストのトークンは互いに等しくなり、中央の層を出たところで残るノルムは { $middle } である。残差接続だけを戻せば、最終層を出ても { $kept } が残る
    [divided] どちらも取り除くと、{ $outcome_models }でテキストのトークンが互いに等しくなる。中央の層を出たところで残るノルムの中央値は { $middle } である。残差接続だけを戻せば、最終層を出ても { $kept } が残る
   *[other] どちらも取り除くと、中央の層を出たところで残るノルムは { $middle } である。残差接続だけを戻すと、最終層を出たところで { $kept } になる
}
    .untested = トークンが互いに等しくなるのを残差接続が防ぐかどうか
mixing_zeroed = { $outcome ->
    [holds] 層の出力を最も変えるのは、半数を超えるトークンで、ほかのトークンのバリューである。自分のバリューの影響が最も大きいトークンは、{ $own } にとどまる
    [divided] 層の出力を最も変えるのは、{ $outcome_models }で、半数を超えるトークンについて、ほかのトークンのバリューである。自分のバリューの影響が最も大きいトークンは、中央値で { $own } である
   *[other] 自分のバリューの影響が最も大きいトークンは、{ $own } である
}
    .untested = 層の出力を最も変えるのがほかのトークンのバリューかどうか
