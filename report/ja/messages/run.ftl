chapter_run = 今回の実行

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
answer_rolled_weights =
    注意重みの
    ロールアウト
answer_rolled_vectors =
    ベクトル（残差
    と正規化を含む）
answer_alti = ALTI
the_text = 例文
an_experiment = 実験
median = 中央値
arrow = {" "}→{" "}

quantity = 数値
paper = 論文（中央値）
beside_by_weights = ほかのトークンへの注意（一つの層）
beside_by_vectors = ほかのトークンに由来するベクトル（一つの層）
beside_by_rollout = ロールアウト
beside_by_measured = ロールアウト（残差を実測）
beside_by_alti = ALTI
beside_by_depends = 依存（トークンの置き換え）
beside_by_sink = 最も強いキーの平均重み

basis = { $n ->
    [1] { $both ->
        [0] { $models } による一つの実験の、テキストについての平均
       *[other] { $models } による一つの実験の、ファインチューニングの前と後の中央値
    }
   *[other] { $both ->
        [0] { $models } による { $experiments }{ $halves ->
            [0] {""}
           *[other] （うち 1 件はエンコーダーとデコーダーに分けて示す）
        }の中央値
       *[other] { $models } による { $experiments }{ $halves ->
            [0] {""}
           *[other] （うち 1 件はエンコーダーとデコーダーに分けて示す）
        }のうち、ファインチューニングする { $both } 件の、その前と後の中央値
    }
}

## Alternative texts of figures

alt_answers = 七つの割合。小さな点は実験、線で結んだ輪と丸はファインチューニング前と後の中央値、菱形は一つの例文。一つの層の中での混合は、注意重み、残差接続を 1/2 とした注意重み、残差接続を含むベクトル、残差接続と層正規化を含むベクトル。全層を通した混合は、注意重みのロールアウト、ベクトルのロールアウト、ALTI。

## ダウンロードするファイルの列

column_answer = 図の一行が示す答え（コードでの名前）
column_text = 図に示すテキストでの同じ値。ファインチューニング前
