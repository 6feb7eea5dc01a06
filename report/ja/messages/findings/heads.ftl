heads_families = { $before_tuning }注意マップのうち中央値で { $vertical_pretrained } が縦縞、{ $heterogeneous_pretrained } が不均一である
heads_heterogeneous = { $outcome ->
    [holds] ファインチューニング後は、マップのうち中央値で { $share } が不均一であり、BERT-base についての報告値の範囲に収まる
   *[other] ファインチューニング後は、マップの { $share_range } が不均一である
}
    .untested = ファインチューニング後の不均一なマップの割合
heads_sink = { $outcome ->
    [fails] BERT-base についての報告と異なり、中ほどの層の注意は [SEP] に集中しない。{ $before_tuning }注意全体のうち [SEP] に向かうのは中央値で { $sep_pretrained }、[CLS] に向かうのは { $cls_pretrained } である
   *[other] { $before_tuning }注意全体のうち [SEP] に向かうのは中央値で { $sep_pretrained }、[CLS] に向かうのは { $cls_pretrained } である
}
    .untested = 中ほどの層の [SEP] への注意
heads_sinks = { $outcome ->
    [holds] このようなシンクはどのモデルにも現れ、先頭のトークンがシンクであるヘッドは { $first_range } を占める
   *[other] 先頭のトークンがシンクであるヘッドは、中央値で { $first } である
}
    .untested = シンクをもつヘッドの割合
heads_massive = { $massive ->
    [fails] 層の出力に、両方の条件を満たす成分はない。絶対値は最大で { $largest_high }（{ $largest_high_of }）、中央値との比は最大で { $ratio_high } 倍（{ $ratio_high_of }）である
   *[other] 層の出力では、絶対値は最大で { $largest_high }（{ $largest_high_of }）、中央値との比は最大で { $ratio_high } 倍（{ $ratio_high_of }）である
}{ $before_norm ->
    [fails] 。層の最後の正規化の前の和でも同様であり、絶対値は最大で { $sum_high }、比は最大で { $sum_ratio_high } 倍である
    [not_tested] {""}
   *[other] 。層の最後の正規化の前の和では、絶対値は最大で { $sum_high }、比は最大で { $sum_ratio_high } 倍である
}{ $at_cls ->
    [not_tested] {""}
   *[other] 。層の出力で絶対値が最大の成分は、中央値で { $cls } のテキストにおいて [CLS] のものである
}
    .untested = 絶対値が最大の成分
heads_sep_self = [SEP] の注意のうち [SEP] 自身に向かうのは中央値で { $share } である。BERT-base についての報告値は 90% を超える
    .untested = [SEP] の注意のうち [SEP] 自身に向かう割合
heads_neighbours = { $outcome ->
    [holds] BERT-base についての報告と同じく、注意の半分超を隣接トークンに向けるようなヘッドがある。直前のトークンに向けるヘッドは { $previous }{ $with_next ->
        [yes] 、直後のトークンに向けるヘッドは { $next }
       *[no] {""}
    } である
   *[other] 注意の半分超を直前のトークンに向けるヘッドは中央値で { $previous }{ $with_next ->
        [yes] 、直後のトークンに向けるヘッドは { $next }
       *[no] {""}
    } である
}
    .untested = 隣接トークンに注意を向けるヘッドの割合
heads_uniform = 最終層での個々のヘッドの平均エントロピーは、中央値で一様な注意の { $all } 倍である
    .untested = 最終層での個々のヘッドのエントロピー
heads_elbow = { $outcome ->
    [holds] マップのクラスタリングに「肘」は現れない。歪みの曲線の最も鋭い曲がりは { $bend_high } であり、互いによく離れたクラスタの場合（0.2 以上）に及ばない
   *[other] マップのクラスタリングで、歪みの曲線の最も鋭い曲がりは { $bend_high }（{ $bend_high_of }）である。互いによく離れたクラスタの場合は 0.2 以上になる
}
    .untested = マップの歪みの曲線の肘
heads_gap = 別の基準であるギャップ統計量が選ぶクラスタ数は { $k_range } である（1 はクラスタがないことを表す）
    .untested = クラスタのギャップ統計量
heads_quality = クラスタのシルエット係数は中央値で { $silhouette } である（0.25 を下回れば、まとまりはないとみなす慣例がある）{ $with_stability ->
    [yes] 。5 個に分けたクラスタの別の標本での再現性は、ARI で最低 { $stability_low }（{ $stability_low_of }）である
   *[no] {""}
}
    .untested = クラスタの良さ
heads_classes = クラスタとの ARI の中央値は、層について { $layer }、ヘッドについて { $head } である。ヘッドの数はクラスタの数よりずっと多いので、後者は、同じヘッドのマップがすべて一つのクラスタに入っていても低い
heads_components = { $outcome ->
    [holds] 列挙された割合の和も { $listed } であり、これに満たない
   *[other] しかし、列挙された割合の和は { $listed } である
}{ $here ->
    [not_tested] {""}
   *[other] 。今回のマップを画像として扱うと、七つの主成分が占める割合は中央値で { $ours } である
}
    .untested = 列挙された割合の和
heads_distances = { $most ->
    [none] この距離によるヘッドの群は求めていない
   *[other] この距離で分けたヘッドの群の ARI は中央値で、マップのクラスタについて { $cluster }、層について { $layer } である
}
heads_carry = { $answers ->
    [holds] 質問に答えるモデルは、少数のヘッドに支えられている{ $answers_source }。一つ無効にするだけで F1 が 10 ポイントを超えて下がるヘッドが { $carry_range } ある。最も重要なヘッドでは { $worst_low } ポイント下がる（{ $worst_low_of }）
    [not_tested] 質問に答えるモデルでは、{ $why }ため検証していない
   *[other] 質問に答えるモデルで、一つ無効にするだけで F1 が 10 ポイントを超えて下がることを確認できたヘッドは { $carry_range } である{ $answers_source }。最も重要なヘッドでは { $worst_low } ポイント下がる（{ $worst_low_of }）
}{ $classes ->
    [fails] 。分類モデルには、正解率が 10 ポイントを超えて下がるヘッドはなく、下がり方は最大で { $worst_class_low } ポイントである（{ $worst_class_low_of }）{ $classes_source }
    [not_tested] {""}
   *[other] 。分類モデルでは、最も重要なヘッドで正解率が { $worst_class_low } ポイント下がる（{ $worst_class_low_of }）{ $classes_source }
}
    .untested = 質問に答えるモデルと分類モデルで、ヘッドを一つ無効にしたときの影響
heads_next_words = { $outcome ->
    [holds] 次の単語を予測するモデルには、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドがあり、下がり方は最大で { $worst_low } ポイントである（{ $worst_low_of }）{ $outcome_source }
   *[other] 次の単語を予測するモデルでは、最も重要なヘッドで正解率が { $worst_low } ポイント下がる（{ $worst_low_of }）{ $outcome_source }
}
    .untested = 次の単語を予測するモデルで、ヘッドを一つ無効にしたときの影響
heads_loss = 一つ無効にすると損失が 0.01 ナットを超えて増えることを確認できたヘッドは、モデルの全ヘッドのうち最大でも { $matters_high }（{ $matters_high_of }）である
    .untested = ヘッドを一つ無効にしたときの損失への影響
heads_spared = 0.01 ナットを超える増加がないことを確認できたヘッドは、中央値で { $spares } である
    .untested = 無効にしても損失が増えないヘッドの割合
heads_rises = 0.001 ナットを超える増加を確認できたヘッドは、最大で { $rises_high }（{ $rises_high_of }）である
    .untested = 0.001 ナットを超える損失の増加
heads_score = { $outcome ->
    [holds] 報告どおり、ヘッドを一つ無効にして成績が下がることは少なく、上がることもある。低下を確認できたヘッドは最大で { $falls_high }（{ $falls_high_of }）である
   *[other] 成績の低下を確認できたヘッドは最大で { $falls_high }（{ $falls_high_of }）である
}
    .untested = ヘッドを一つ無効にしたときの成績への影響
heads_totals = { $outcome ->
    [holds] クラスタリングの研究が報告した、答えのある質問とない質問の成績を質問数で重み付き平均すると、同じ研究が報告した全体の値に最後の桁まで一致する
   *[fails] クラスタリングの研究が報告した、答えのある質問とない質問の成績を質問数で重み付き平均しても、同じ研究が報告した全体の値に一致しない
}
    .untested = クラスタリングの研究が報告した全体の値
