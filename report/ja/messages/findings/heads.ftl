heads_families = { $largest ->
    [vertical] { $in_every_state }最も多い型は縦縞であり、マップに占める割合の中央値は { $vertical } である。不均一なマップは { $heterogeneous } である
    [heterogeneous] { $in_every_state }最も多い型は不均一であり、マップに占める割合の中央値は { $heterogeneous } である。縦縞のマップは { $vertical } である
    [none] 型に分けたマップはない
   *[depends] マップに占める割合の中央値は、縦縞が { $vertical }、不均一が { $heterogeneous } である。どの型が最も多いかは、実験{ $and_tuning }によって異なる
 }
heads_heterogeneous = { $outcome ->
    [holds] ファインチューニング後は、マップのうち中央値で { $share } が不均一であり、BERT-base についての報告値の範囲に収まる
    [divided] ファインチューニング後は、マップの { $share_range } が不均一であり、BERT-base についての報告値の範囲に収まるのは、{ $outcome_models }である
   *[fails] ファインチューニング後は、マップのうち中央値で { $share } が不均一であり、BERT-base についての報告値の範囲から外れる
 }
    .question = ファインチューニング後の不均一なマップの割合が BERT-base についての報告値の範囲に収まるかどうか
    .values = 割合の中央値は { $share } である
heads_sink = { $most ->
    [cls] { $in_every_state }特殊トークンの中で最も多くの注意を集めるのは [CLS] である。注意全体に占める割合の中央値は、[CLS] が { $cls }、[SEP] が { $sep } である
    [sep] { $in_every_state }特殊トークンの中で最も多くの注意を集めるのは [SEP] である。注意全体に占める割合の中央値は、[SEP] が { $sep }、[CLS] が { $cls } である
    [close] { $in_every_state }特に多くの注意を集める特殊トークンはない。注意全体に占める割合の中央値は、[CLS] が { $cls }、[SEP] が { $sep } である
    [none] 今回の実行のテキストには、[CLS] も [SEP] もない
   *[other] 注意全体に占める割合の中央値は、[CLS] が { $cls }、[SEP] が { $sep } である。どの特殊トークンが最も多くの注意を集めるかは、モデルの状態によって異なる
 }。{ $outcome ->
    [holds] BERT-base の中ほどの層について報告された [SEP] への集中は、ここでも見られる
    [divided] BERT-base の中ほどの層について報告された [SEP] への集中がすべて見られるのは、ここでは { $outcome_models }である
    [fails] BERT-base の中ほどの層について報告された [SEP] への集中は、ここでは見られない
    [open] BERT-base の中ほどの層について報告された [SEP] への集中があるかどうかは、今回のテキストからは判断できない
   *[not_tested] BERT-base の中ほどの層について報告された [SEP] への集中は、{ $why }ため検証していない
 }
heads_sinks = { $outcome ->
    [holds] 判断できる限り、今回のモデルにもシンクは現れる。先頭のトークンは { $first_range } のヘッドでシンクである。いずれかのキーがシンクであるヘッドは { $any_range } を占める
    [divided] シンクは { $outcome_models }で現れる。全実験で見ると、先頭のトークンは { $first_range } のヘッドでシンクである。いずれかのキーがシンクであるヘッドは { $any_range } を占める
   *[fails] 先頭のトークンがシンクであるヘッドはほとんどない（{ $first }）。いずれかのキーがシンクであるヘッドは { $any } を占める
}
    .question = 今回のモデルにシンクが現れるかどうか
    .values = 先頭のトークンは { $first } のヘッドでシンクである。いずれかのキーがシンクであるヘッドは { $any } を占める
heads_massive = { $massive ->
    [holds] 今回のモデルの層の出力にも、そのような値がある。活性値は最大で { $largest_high }（{ $largest_high_of }）、中央値との比は最大で { $ratio_high } 倍（{ $ratio_high_of }）である
    [divided] 層の出力にそのような値があるのは、{ $massive_models }である。活性値は最大で { $largest_high }（{ $largest_high_of }）、中央値との比は最大で { $ratio_high } 倍（{ $ratio_high_of }）である
    [fails] 今回のモデルの層の出力に、両方の条件を満たす成分はない。活性値は最大で { $largest_high }（{ $largest_high_of }）、中央値との比は最大で { $ratio_high } 倍（{ $ratio_high_of }）である
    [open] 今回のモデルの層の出力に、そのような値があるかどうかは判断できない。活性値は最大で { $largest_high }（{ $largest_high_of }）、中央値との比は最大で { $ratio_high } 倍（{ $ratio_high_of }）である
   *[not_tested] 今回のモデルの層の出力に巨大な活性値があるかどうかは検証していない
}{ $before_norm ->
    [holds] 。層の最後の正規化の前にはそのような値があり、大きさは最大で { $sum_high }、比は最大で { $sum_ratio_high } 倍である
    [divided] 。層の最後の正規化の前では、{ $before_norm_models }にそのような値があり、大きさは最大で { $sum_high }、比は最大で { $sum_ratio_high } 倍である
    [fails] 。層の最後の正規化の前では、大きさは最大で { $sum_high }（{ $sum_high_of }）、比は最大で { $sum_ratio_high } 倍（{ $sum_ratio_high_of }）になるが、両方の条件を満たす成分はない
    [open] 。層の最後の正規化の前にそのような値があるかどうかは判断できない（大きさは最大で { $sum_high }、比は最大で { $sum_ratio_high } 倍）
   *[not_tested] {""}
}{ $at_cls ->
    [holds] 。層の出力の最大値が [CLS] にある割合は { $cls_range } である
    [divided] 。層の出力の最大値の多くが [CLS] にあるのは、{ $at_cls_models }である（中央値は { $cls }）
    [fails] 。層の出力の最大値が [CLS] にあるのは、半分に満たない（{ $cls }）
    [open] 。層の出力の最大値の多くが [CLS] にあるかどうかは判断できない（{ $cls }）
   *[not_tested] {""}
}
heads_sep_self = { $outcome ->
    [holds] 報告どおり、[SEP] の注意の大半は [SEP] 自身に向かう（中央値で { $share }）
    [divided] [SEP] の注意のうち [SEP] 自身に向かうのは中央値で { $share } であり（{ $share_range }）、半分を超えるのは、{ $outcome_models }である
   *[fails] [SEP] の注意のうち [SEP] 自身に向かうのは { $share } にすぎない。報告値は 90% を超える
 }
    .question = [SEP] の注意の半分超が [SEP] 自身に向かうかどうか
    .values = 向かう割合の中央値は { $share } である
heads_neighbours = { $outcome ->
    [not_tested] 隣接トークンに注意を向けるヘッドの割合は、{ $why }ため検証していない
   *[other] 注意の半分超を直前のトークンに向けるヘッドは全体の { $previous }{ $with_next ->
        [yes] 、直後のトークンに向けるヘッドは { $next }
       *[no] {""}
    } である
 }{ $outcome ->
    [holds] 。BERT-base についての報告と同じく、そのようなヘッドがある
    [divided] 。BERT-base について報告されたようなヘッドがあるのは、{ $outcome_models }である
    [fails] 。BERT-base についての報告と異なり、そのようなヘッドはない
    [open] 。BERT-base についての報告と同じく、そのようなヘッドがあるかどうかは判断できない
   *[not_tested] { "" }
 }
heads_uniform = { $outcome ->
    [holds] 最終層の個々のヘッドはほぼ一様である。ヘッドごとのエントロピーの平均は最大値の { $all } 倍{ $with_cls ->
        [yes] 、[CLS] の行では { $cls } 倍
       *[no] {""}
    }である
    [divided] 最終層の個々のヘッドがほぼ一様なのは、{ $outcome_models }である。ヘッドごとのエントロピーの平均は最大値の { $all_range } 倍である
   *[fails] 最終層の個々のヘッドは一様とはいえない。ヘッドごとのエントロピーの平均は最大値の { $all } 倍{ $with_cls ->
        [yes] 、[CLS] の行では { $cls } 倍
       *[no] {""}
    }である
 }
    .question = 最終層の個々のヘッドがほぼ一様かどうか
    .values = ヘッドごとのエントロピーの平均は最大値の { $all } 倍である
heads_elbow = { $outcome ->
    [holds] マップの歪みの曲線に鋭い曲がりはない（最大 { $bend_high }、互いによく離れたクラスタでは 0.2 以上）。したがって、クラスタの数を読み取れる肘はない
    [divided] マップの歪みの曲線に鋭い曲がりがないのは { $outcome_models }であり、ほかのモデルでは、互いによく離れたクラスタと同じほど鋭く（0.2 以上）曲がる
   *[fails] マップの歪みの曲線は、互いによく離れたクラスタと同じほど鋭く曲がる（{ $bend }）
 }
    .question = マップの歪みの曲線に肘があるかどうか
heads_gap = { $outcome ->
    [holds] 別の基準であるギャップ統計量によれば、クラスタがある（{ $k_range } 個）。二つの基準は一致しない
    [divided] 別の基準であるギャップ統計量がクラスタを示すのは、{ $outcome_models }である（k は全モデルで { $k_range }、1 はクラスタがないことを表す）。そこでは二つの基準が一致しない
   *[fails] 別の基準であるギャップ統計量も、クラスタがないこと（k = 1）を示す
 }
    .question = 別の基準であるギャップ統計量がクラスタを示すかどうか
heads_quality = { $tight ->
    [holds] 図に示すクラスタのシルエット係数は { $silhouette } であり、まとまりとみなす慣例の目安 0.25 を上回る
    [divided] 図に示すクラスタのシルエット係数は { $silhouette_range } であり、まとまりとみなす慣例の目安 0.25 を上回るのは、{ $tight_models }である
    [fails] 図に示すクラスタのシルエット係数は { $silhouette } であり、まとまりとみなす慣例の目安 0.25 に届かない
   *[other] クラスタのシルエット係数は測っていない
 }{ $stable ->
    [holds] 。5 個に分けたクラスタは別の標本でも再現する（ARI { $stability }）
    [divided] 。5 個に分けたクラスタが別の標本でも再現するのは、{ $stable_models }である（ARI { $stability_range }）
    [fails] 。5 個に分けたクラスタは別の標本では安定して再現しない（ARI { $stability }）
   *[other] { "" }
 }
heads_classes = クラスタとの ARI の中央値は、層について { $layer }、ヘッドについて { $head } である。ただし、二つの値の大小は比べられない。ヘッドの数はクラスタの数よりずっと多いので、同じヘッドのマップがすべて一つのクラスタに入っていても、ヘッドとの ARI は低い
heads_components = { $outcome ->
    [holds] 示された割合の和は、そのとおり 30% に満たない
    [not_tested] 示された割合の和は求めていない
   *[other] しかし、示された割合の和は { $listed } である
 }{ $here ->
    [holds] 。今回のマップを画像として扱った場合も、30% に満たない（{ $ours }）
    [divided] 。今回のマップを画像として扱うと、30% に満たないのは、{ $here_models }である（{ $ours_range }）
    [fails] 。今回のマップを画像として扱うと、七つの主成分が占める割合は { $ours } である
   *[other] { "" }
 }
heads_distances = { $most ->
    [main] この距離だけでヘッドを分けた群は、{ $in_every_state }層（ARI { $layer }、ランダムなら 0）よりもマップのクラスタ（{ $cluster }）に近い
    [layer] この距離だけでヘッドを分けた群は、{ $in_every_state }マップのクラスタ（ARI { $cluster }、ランダムなら 0）よりも層（{ $layer }）に近い
    [close] この距離だけでヘッドを分けた群は、{ $in_every_state }マップのクラスタ（ARI { $cluster }、ランダムなら 0）と層（{ $layer }）に同じ程度に近い
    [none] この距離によるヘッドの群は求めていない
   *[depends] この距離だけでヘッドを分けた群の ARI の中央値は、マップのクラスタについて { $cluster }、層について { $layer } である。どちらによく対応するかは、実験{ $and_tuning }によって異なる
 }
heads_carry = { $answers ->
    [holds] 質問に答えるモデルは、少数のヘッドに支えられている{ $answers_source }。一つ無効にするだけで F1 が 10 ポイントを超えて下がるヘッドが { $carry_range } あり、最も重要なヘッドでは { $worst_low } ポイント下がる（{ $worst_low_of }）
    [divided] 質問に答えるモデルのうち、{ $answers_models }は少数のヘッドに支えられている{ $answers_source }。一つ無効にするだけで F1 が 10 ポイントを超えて下がるヘッドは { $carry_range } あり、最も重要なヘッドでは { $worst_low } ポイント下がる（{ $worst_low_of }）
    [fails] 質問に答えるモデルで、一つ無効にするだけで F1 が 10 ポイントを超えて下がるヘッドはない{ $answers_source }。最も重要なヘッドでも F1 は { $worst_low } ポイントしか下がらない（{ $worst_low_of }）
    [open] 質問に答えるモデルが少数のヘッドに支えられているかどうかは判断できない{ $answers_source }。最も重要なヘッドでは F1 が { $worst_low } ポイント下がる（{ $worst_low_of }）
   *[not_tested] 質問に答えるモデルが少数のヘッドに支えられているかどうかは、{ $why }ため検証していない
}{ $classes ->
    [holds] 。分類モデルにも、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドがある（最大で { $worst_class_low } ポイント、{ $worst_class_low_of }）{ $classes_source }
    [divided] 。分類モデルのうち、{ $classes_models }にも、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドがある（最大で { $worst_class_low } ポイント、{ $worst_class_low_of }）{ $classes_source }
    [fails] 。分類モデルには、正解率が 10 ポイントを超えて下がるヘッドはない（最大で { $worst_class_low } ポイント、{ $worst_class_low_of }）{ $classes_source }
    [open] 。分類モデルに、正解率が 10 ポイントを超えて下がるヘッドがあるかどうかは判断できない（最大で { $worst_class_low } ポイント、{ $worst_class_low_of }）{ $classes_source }
   *[not_tested] {""}
}
heads_next_words = { $outcome ->
    [holds] 次の単語を予測するモデルには、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドがある（最大で { $worst_low } ポイント、{ $worst_low_of }）{ $outcome_source }
    [divided] 次の単語を予測するモデルのうち、{ $outcome_models }には、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドがある（最大で { $worst_low } ポイント、{ $worst_low_of }）{ $outcome_source }
   *[fails] 次の単語を予測するモデルには、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドはない（最大で { $worst_low } ポイント、{ $worst_low_of }）{ $outcome_source }
}
    .question = 次の単語を予測するモデルに、一つ無効にするだけで正解率が 10 ポイントを超えて下がるヘッドがあるかどうか
    .values = 正解率は最大で { $worst_low } ポイント下がる（{ $worst_low_of }）
heads_loss = { $outcome ->
    [holds] 単独で重要なヘッドは多い。一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドは、中央値で全体の { $matters } である
    [divided] 単独で重要なヘッドが多いのは、{ $outcome_models }である。一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドは、全体の { $matters_range } である
   *[fails] 単独で重要なヘッドは少ない。一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドは最大でも { $matters_high }（{ $matters_high_of }）である
 }
    .question = 単独で重要なヘッドが多いかどうか
    .values = 一つ無効にしたときに損失が 0.01 ナットを超えて増えることを確認できたヘッドは最大で { $matters_high }（{ $matters_high_of }）であるが、実際の割合はこれより高い可能性がある
heads_spared = { $outcome ->
    [holds] 大半のヘッド（中央値で { $spares }）については、0.01 ナットを超える増加がないことを確認できる
    [divided] 大半のヘッドについて 0.01 ナットを超える増加がないことを確認できるのは、{ $outcome_models }である（全体の { $spares_range }）
    [fails] 0.01 ナットを超える増加がないことを確認できるヘッドは半数に満たない（中央値で { $spares }）
    [open] 0.01 ナットを超える増加がないことを確認できるヘッドは中央値で { $spares } であり、残りについてはどちらとも判断できない
   *[not_tested] 大半のヘッドを無効にしても損失が増えないといえるかどうかも検証していない
 }
heads_rises = 0.001 ナットを超える程度の小さい増加まで数えると、確認できたヘッドは最大で { $rises_high }（{ $rises_high_of }）になる
    .question = 0.001 ナットを超える損失の増加が多くのヘッドで見られるかどうか
    .values = そのような増加を確認できたヘッドは最大で { $rises_high }（{ $rises_high_of }）である
heads_score = { $outcome ->
    [holds] 成績そのものの変化は報告どおりである。一つのヘッドを無効にして下がることは少なく、上がることもある
    [divided] 成績そのものの変化が報告どおりなのは、{ $outcome_models }である。下がるヘッドは最大で { $falls_high }（{ $falls_high_of }）である
   *[fails] 成績そのものの変化は、報告と異なる。下がるヘッドは中央値で全体の { $falls } である
 }
    .question = 成績そのものの変化が報告どおりかどうか
    .values = 低下が確認できたヘッドは最大で { $falls_high }（{ $falls_high_of }）であるが、報告された大きさの変化があっても検出できない
heads_totals = { $outcome ->
    [holds] クラスタリングの研究が報告した、答えのある質問とない質問の成績を質問数で重み付き平均すると、同じ研究が報告した全体の値に最後の桁まで一致する
   *[fails] 答えのある質問とない質問の成績を質問数で重み付き平均しても、報告された全体の値に一致しない
 }
    .question = 答えのある質問とない質問の成績を質問数で重み付き平均すると、報告された全体の値に一致するかどうか
