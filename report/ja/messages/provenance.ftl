chapter_provenance = 結果の来歴

what = 項目
known = 値
column_value = パラメータの値
commit = コミット
uncommitted = 未コミットの変更あり
no_git = なし（git リポジトリではない）
no_commit = 不明（git から得られない）
computed = 最初のステージの開始
hardware = ハードウェア
cores = { $count } コア
python = Python
parameter = パラメータ
default = 既定値
this_run = この実行
texts = テキスト
licence_texts = テキストのライセンス
licence_model = モデルのライセンス
not_stated = 記載なし
seed = シード
absent = 設定なし
unchanged = なし（すべて既定値）
stage = ステージ
seconds = 秒
memory = 最大メモリ (MiB)
size = 出力 (MiB)
record = 記録
restored = キャッシュから
commands = コマンド
parameters = パラメータ
reads = 読み込むもの
writes = 書き出すもの
chapter = ページ
figures = 図と表
tables = 読み込む結果
module = 描画コード
unlocked = dvc.lock にない
minutes = { $minutes } 分 { $seconds } 秒
run = 実行
kept = 実験
kept_of = { $name }：{ $texts } テキスト{ $seeds ->
    [0] {""}
   *[other] 、{ $seeds } シード
}
time = 全ステージの所要時間の和（分）
otherwise = 現在のコードでは値の変わる尺度
nothing_otherwise = なし
