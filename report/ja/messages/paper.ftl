chapter_paper = 論文

head = { $own ->
    [0] 本論文は、レポートとともに保存した実行の数値 { $numbers } 個に基づく。今回の実行では、同じパラメータで測定したものはない。
   *[other] 本論文は、レポートとともに保存した実行の数値 { $numbers } 個に基づく。今回の実行では、そのうち { $own } 個の全部または一部を、同じパラメータで測定した。{ $differing ->
        [0] これらはすべて再現した。
       *[other] { $alike } 個は許容差の範囲で再現し、{ $differing } 個は異なる。異なる値は、別の計算機で学習したモデルの重みが異なる場合にも生じる。
    }
}
head_missing = 本論文は、レポートとともに保存した実行に基づくが、そのうち { $runs } がこの複製には含まれていない。
differs_here = 今回の実行では、この段落の根拠となる数値が異なる。文章は、保存した実行についてのものである。
number_of = { $origin }。{ $read }
number_read = { $own ->
    [own] 今回の実行で測定
    [differs] 今回の実行で測定（保存した値と異なる）
   *[kept] 保存した実行の値
}。{ $files }
of_several = { $take ->
    [lowest] 最小：
    [highest] 最大：
   *[median] 中央値：
}{ $cases }

## Words of figures and tables

answer_pretrained = ファインチューニング前
answer_finetuned = 後
answer_model = 個々のモデル
answer_by_weights = 重み（一つの層）
answer_by_vectors = ベクトル（一つの層）
answer_by_rollout = ロールアウト
answer_by_measured = ロールアウト（残差を実測）
answer_by_alti = ALTI
answer_by_replacing = トークンの置き換え
asked_provenance = トークンの由来
asked_effect = 全影響
circuits_of = 回路の数（全 { $n }）
found = 捉えた回路
nearly_found = わずかに届かないものを含む
baseline_identity = 恒等
baseline_symbols = 記号に一様
baseline = ベースライン
models_tuned = 元のエンコーダーから
models_control = マスク言語モデルの学習を追加したエンコーダーから
sink_change = 最も強いキーの平均の重みの変化
mixing_change = ALTI による混合度合いの変化
number = 数値
value = 値
of = 対象
file = 読み取り元

## Alternative texts of figures

alt_answers = 測定法ごとに、ほかのトークンに由来する割合の中央値を、ファインチューニング前は輪、後は円板で示し、線で結ぶ。短い縦線は個々のモデル。一つの層では重みとベクトル、全層ではロールアウト、残差を実測したロールアウト、ALTI、トークンの置き換えを並べる。
alt_found = 左右二つの図に、測定法や手法を一行に一つずつ並べる。塗りつぶした点は、それぞれが、表すはずのものを捉えた回路の数、白抜きの点は、わずかに届かないものも含めた数、破線は、二つのベースラインのそれぞれが捉えた数を示す。左はトークンの由来、右は全影響についてである。
alt_changes = ファインチューニングした各モデルを点で示す。横軸はヘッドの最も強いキーの平均の重みの変化、縦軸は ALTI による混合度合いの変化である。点はすべて縦軸の 0 より上にあり、横軸では 0 の両側に分かれる。

## Columns of the downloads

column_set = 図に示すモデルの組：元のエンコーダーから（tuned）、または対照（control）
column_model = モデル（実行/実験）
column_mixing = ほかのトークンに由来する割合の変化（ALTI、最終層）
column_sink = ヘッドの最も強いキーの平均の重みの変化
column_number = report/paper.yaml での数値の名前
column_own = 今回の実行が、その全部または一部を測定したか
column_differs = 測定した値が、許容差を超えて保存した値と異なるか
column_state = ファインチューニングの前（pretrained）か後か
column_answer = 図の答え（コード上の名前）
column_value = 数値。表紙の図では、ベクトルのうちほかのトークンに由来する割合
