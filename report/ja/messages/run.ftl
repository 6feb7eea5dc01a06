chapter_run = 今回の実行

## Words of figures and tables

answer_by_sink = 最も強いキーの平均の重み
here_pretrained = 今回（ファインチューニング前）
here_finetuned = 今回（ファインチューニング後）
paper = 論文の中央値
paper_value = 論文
quantity = 測る量
state = ファインチューニング
pretrained = 前
finetuned = 後
here = 今回
number = 数値
layers = 層数
heads = ヘッド数
captured = テキスト
score = テストの成績
run_differing = { $n ->
   *[other] 論文と異なる数値（{ $n } 個。個々のモデルの値だけが異なり、中央値は同じものもある）
}

## What is said of the run

run_identity = { $extent ->
    [all] これは既定のパラメータによる実行 quick であり、すべての実験がそのパラメータのままである
    [some] 今回の { $total } 件の実験のうち { $own } 件は、既定のパラメータによる実行 quick と同じ条件である
   *[none] 今回の実験には、既定のパラメータによる実行 quick と同じ条件のものがない。したがって、以下の数値は論文の数値と並べるためのものであり、それを検証するものではない
}
run_mixing = { $tuned ->
    [none] 今回の実験には ALTI の値がない
    [yes] 全層を通してベクトルを追う ALTI では、ベクトルのうちほかのトークンに由来する割合は、ファインチューニング前が { $before }、後が { $after } である{ $n ->
        [1] {""}
       *[other] （{ $n } 件の実験の中央値）
    }{ $argued ->
        [yes] 。論文では { $paper } と { $paper_after } である
       *[no] {""}
    }
   *[no] 全層を通してベクトルを追う ALTI では、ベクトルのうちほかのトークンに由来する割合は { $before } である{ $n ->
        [1] {""}
       *[other] （{ $n } 件の実験の中央値）
    }{ $argued ->
        [yes] 。論文では、ファインチューニング前のモデルで { $paper } である
       *[no] {""}
    }
}
run_absent = { $n ->
    [0] 論文の主な数値は、いずれも今回の実験にもある。
   *[other] 論文の主な数値のうち、今回のどの実験にもないものは { $quantities } である。
}
run_decided = 保存した実行を除いて今回の実行だけで判定すると、検証を要する既報の主張 { $total } 件のうち { $decided } 件の判定が決まる{ $decided ->
    [0] {""}
   *[other] （{ $counts }）
}。{ $untested } 件は今回の実行にないモデルやテキストを必要とし、{ $open } 件は判定保留である。

## Alternative texts of figures

alt_answers = 測定法ごとに、今回の各実験の値を区間つきの印で示す。白抜きはファインチューニング前、塗りつぶしは後。灰色は論文の中央値で、前の輪と後の円板を線で結ぶ。一つの層では重みとベクトル、全層ではロールアウト、残差を実測したロールアウト、ALTI、トークンの置き換えを並べる。

## ダウンロードするファイルの列

column_answer = 測る量（コードでの名前）
column_state = ファインチューニング前（pretrained）か後か
column_value = 今回の値。実験のテキストについての平均、または論文と同じとり方による値
column_low = その区間の下端
column_high = その区間の上端
column_paper = 論文での値
column_number = report/paper.yaml での名前
column_score = テストデータでの正解率、または答えの F1
column_baseline = つねに最多の答えを選ぶか、何も答えない場合の同じ値
column_captured = 記録したテキストの数
column_layers = モデルの層の数
column_heads = 各層のヘッドの数
column_tokens = そのテキストのトークンの数
