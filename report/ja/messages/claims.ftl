chapter_claims = 主張の検証

holds = 成り立つ
divided = 分かれる
partly = 一部で成立
smaller = 向きは同じだが小さい
fails = 成り立たない
open = 判定保留
not_tested = 未検証
evidence_fig = 図
evidence_tbl = 表
evidence_sec = 節
evidence_eq = 式
evidence_kept = 参照実行
# 条件。
same = 原論文と同じ条件、またはモデルを問わない
other = 異なる条件
model_pretrained = { $encoder }（事前学習のまま）
model_finetuned = { $encoder }（{ $experiment } でファインチューニング）
# いくつのモデルで成り立つか。
extent = { $outcome ->
    [partly] 全条件で成り立つのは { $of } モデル中 { $held } モデル
   *[other] { $of } モデル中 { $held } モデル
}{ $trained ->
    [no] { "" }
   *[yes] （事前学習済みモデル { $encoders } 種から学習）
}
filter = 主張を絞り込む
filter_verdict = 判定
filter_kind = 種類
filter_conditions = 条件
kind_algebra = 代数的に導かれる
kind_arithmetic = 報告値の計算
kind_stake = 検証を要する
kind_measured = モデルについて、異論がない
filter_chapter = 章
filter_source = 出典
filter_text = 語句
filter_all = すべて（{ $count }）
filter_option = { $choice }（{ $count }）
filter_reset = すべて表示
filter_count = 検証を要する主張 { $all } 件のうち { $shown } 件 + 折りたたみの中の { $others } 件のうち { $beside } 件
ledger = 主張の一覧
published = 報告値
here = 本レポート
on_known_truth = 用いた手法が捉える回路の数
claim = 主張
verdict = 判定
otherwise_lax = 最小差を半分に
otherwise_strict = 最小差を倍に
otherwise_cases = 実験ごとに一票
otherwise_tokens = 対象のトークンを変更
rule = 規則
model = モデル
by_model = モデルごとの効果と区間（{ $count }）
conditions = 条件
cases = 判定単位
experiment_state = 実験
value = 値（区間）
sample = 標本
power_reached = 検出力 { $power }
bounds = 成り立つ範囲
note = 注
note_cls = 特殊トークンに基づく判定である。文エンコーダーなどの別のモデルでは、特殊トークンの使い方が原論文のモデルと異なることがある。
evidence = 根拠
files = 読み取り元
hashes = これらの来歴
needs = 完全な検証に必要なもの
details = 判定のしかた
details_cases = 判定のしかたと全 { $count } 判定単位
interval = { $value }（{ $range }）
no_model = モデルによらない
count_holds = 成り立つ
count_divided = モデルにより分かれる
count_partly = 一部だけ成り立つ
count_smaller = 向きは同じだが小さい
count_fails = 成り立たない
count_open = 判定保留
count_not_tested = 未検証
every_case = { $n } 判定単位
every_model = { $n } モデル
of_case = { $n } 判定単位のうち、{ $outcomes }
of_model = { $n } モデルのうち、{ $outcomes }
all_holds = { $every }すべてで成り立つ
all_partly = 全条件で成り立つものは { $every }中にない
all_smaller = { $every }のいずれでも、向きは同じだが小さい
all_fails = { $every }のいずれでも成り立たない
all_open = { $every }のすべてで判定保留
of_holds = 成り立つもの { $n }
of_partly = 一部のみ { $n }
of_smaller = 向きは同じだが小さいもの { $n }
of_fails = 成り立たないもの { $n }
of_open = 判定保留 { $n }
summary_note = 証拠の単位はモデルである。どのテキストで測っても、一度の学習で得た重みは一つのモデルと数える。モデルごとに、主張の各部分を測る。区間全体が、意味のある差として定めた値（最小差）を超えれば「成り立つ」、区間のどこも超えず、報告された効果を検出できるだけのテキストがあれば「成り立たない」、それ以外は「判定保留」とする。決まったモデルのすべてで成り立てば主張は「成り立つ」、あるモデルでは成り立ち別のモデルでは成り立たなければ「分かれる」。どの効果も報告と同じ向きだが最小差に届かないものがあれば「向きは同じだが小さい」、一部分だけが成り立てば「一部で成立」、それ以外は「成り立たない」とする。判定保留のモデルが半分以上あれば、主張も「判定保留」。「異なる条件」は、原論文とは別のモデルやテキストで検証したことを表す。
shown = 参考
values = 値は { $values }
held_by = 成り立つのは、参照実行 { $run } の場合に限られる。
this_run_alone = { $deciding ->
    [reference] { $outcome ->
        [holds] 判定に用いた判定単位は、すべて参照実行のものである。今回の実行だけなら、主張は成り立つ。
        [divided] 判定に用いた判定単位は、すべて参照実行のものである。今回の実行だけなら、主張の判定は分かれる。
        [partly] 判定に用いた判定単位は、すべて参照実行のものである。今回の実行だけなら、主張は一部だけ成り立つ。
        [smaller] 判定に用いた判定単位は、すべて参照実行のものである。今回の実行だけなら、効果の向きは報告どおりだが小さい。
        [fails] 判定に用いた判定単位は、すべて参照実行のものである。今回の実行だけなら、主張は成り立たない。
        [open] 判定に用いた判定単位は、すべて参照実行のものである。今回の実行だけなら、主張は判定保留である。
       *[not_tested] 判定単位はすべて参照実行のものである。この主張は、{ $why }ため、ここでは検証していない。
    }
   *[both] { $outcome ->
        [holds] 今回の実行だけなら、主張は成り立つ。
        [divided] 今回の実行だけなら、主張の判定は分かれる。
        [partly] 今回の実行だけなら、主張は一部だけ成り立つ。
        [smaller] 今回の実行だけなら、効果の向きは報告どおりだが小さい。
        [fails] 今回の実行だけなら、主張は成り立たない。
        [open] 今回の実行だけなら、主張は判定保留である。
       *[not_tested] この主張は、{ $why }ため、ここでは検証していない。
    }
}
nothing = { $why }ため検証していない
nothing_open = 判定すべき主張は残っていない。
repeat = ほかの主張を原論文の条件で検証するには
of_run = { $experiment }（参照実行 { $run }）
semicolon = 。
bounds_above = { $low } 超
bounds_below = { $high } 未満
bounds_between = { $low }〜{ $high }
bounds_outside = { $low }〜{ $high } の外
count_reference = { $count } 組の模擬データ
needed_text = { $count } 件のテキストで決まる
needed_head = { $count } 個のヘッドで決まる
needed_reference = { $count } 組の模擬データで決まる
differs = 原論文の条件：{ $published }。ここでの条件：{ $experiments } での { $models }

## Sentences of the notebook

claims_lead = { $outcome ->
    [none] 検証を要する既報の主張 { $total } 件のうち、検証できたものはない
    [all] 検証を要する既報の主張 { $total } 件を{ $kept ->
        [yes] 今回の実行と参照実行を合わせて
       *[no] {""}
    }すべて検証した。{ $counts }である
   *[some] 検証を要する既報の主張 { $total } 件のうち、{ $tested } 件を{ $kept ->
        [yes] 今回の実行と参照実行を合わせて
       *[no] {""}
    }検証した。{ $counts }である
}
claims_lead_count = { $outcome ->
    [holds] 成り立つものが { $count } 件
    [divided] モデルによって分かれるものが { $count } 件
    [partly] 一部だけが成り立つものが { $count } 件
    [smaller] 向きは同じだが小さいものが { $count } 件
    [fails] 成り立たないものが { $count } 件
   *[open] 判定保留のものが { $count } 件
}
claims_kinds = { $algebra_outcome ->
    [untested] 代数的に導かれる主張は確認していない
    [all] このほかに代数的に導かれる主張が { $algebra } 件あり、すべて丸め誤差の範囲で確認した
    [none] このほか、代数的に導かれるはずの主張は、一つも確認できなかった
   *[some] このほか、代数的に導かれるはずの { $algebra } 件のうち { $algebra_held } 件を確認した
}。{ $arithmetic_outcome ->
    [untested] 報告された数値の計算は確かめていない
    [all] 報告された数値の計算は、{ $arithmetic } 件すべてで整合する
    [none] 報告された数値の計算で、整合するものはなかった
   *[some] 報告された数値の計算は、{ $arithmetic } 件のうち { $arithmetic_held } 件で整合する
}
claims_conditions = { $outcome ->
    [none] 検証を要する主張で、検証できたものはない
    [same] 検証した主張は、すべて原論文と同じ条件で検証したか、どのモデルにも当てはまる主張である
    [other] 検証した主張は、すべて原論文と異なる条件で検証した
   *[both] 検証した主張のうち { $other } 件は、原論文とは別のモデルかテキストで検証し、{ $same } 件は原論文と同じ条件で検証したか、条件を問わない主張である
}
claims_firm = { $total ->
    [0] 検証を要する主張は、一つも検証していない
   *[other] どう変えても同じ判定になるのは、{ $total } 件中 { $same } 件である。判定が変わるのは、最小差を半分にすると { $lax } 件、倍にすると { $strict } 件、実験ごとに一票とすると { $cases } 件{ $measured ->
        [0] である
       *[other] 、対象のトークンを変えると、同じモデルで測ってある { $measured } 件のうち { $tokens } 件である
    }
}
claims_training = { $n ->
    [0] 対照のどちらか一方のエンコーダーだけで成り立つ主張はない
   *[other] 対照のエンコーダーどうしで結果が分かれる主張は、{ $groups }である
}
claims_training_in = { $n ->
   *[other] { $claims }（{ $holds } では成り立ち、{ $fails } では成り立たない）
}
between_groups = 、
claims_cited = 主張は、本レポートの出発点となった研究（論文として公表されていないものを含む）と、手法の論文からとった { $cited }。

## Conditions, needs, parts and studies of claims of several chapters

conditions_glue = GLUE の課題での BERT-base
conditions_imdb = IMDB での BERT-base
needs_sst2 = ハブの SST-2 と、それで学習した BERT-base
needs_wikipedia = ハブの BERT-base と、Wikipedia のテキスト（ファイルまたはハブ）
needs_glue = ハブの BERT-base と GLUE の課題
needs_europarl = Europarl で学習した翻訳モデルと、単語の対応を人手で付けたテキスト
case_exact_match = 完全一致
case_f1 = F1
study_feature-mixing-study = 特徴の混合度合いの研究
study_clustering-study = クラスタリングの研究
nothing_at_stake = 検証を要しない主張
beside_stake = 検証を要しない主張 { $n } 件（代数的に成り立つもの、報告値の計算、異論のないもの）

## Columns of the downloads

column_claim = 主張の番号
column_statement = 主張の文
column_source = 出典のキー（references.bib）
column_published = 報告値
column_verdict = 主張または判定単位の判定
column_differs = 原論文の条件との違い。同じなら空欄
column_this_run = 参照実行を除いた判定
column_chapter = 根拠を示すページ
column_evidence = そのページの図、表、節
column_part = 主張の部分
column_case = 判定単位の実験とモデルの状態
column_sample = テキスト、ヘッド、データセットの数
column_unit = その種類
column_power = 報告された効果の検出力
column_needed = 判定に必要な数
column_needed_unit = その種類
column_holds = 判定単位が成り立つか。判定保留なら空欄
column_decides = 判定に用いたか
column_lax = 最小差を半分にした判定
column_strict = 最小差を倍にした判定
column_cases = 実験ごとに一票とした判定
column_value = 規則が求める効果
column_tokens = 対象のトークンを変えた場合の判定（特殊トークンを除くか含める）
