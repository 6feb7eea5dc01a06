layer = 層
head = ヘッド
attention = 注意
detail = 第{ $layer }層、ヘッド { $head }
open = { $view }（対話的に見る）
alone = 単独のページで開く
head_view = BertViz ヘッドビュー：{ $text }
model_view = BertViz モデルビュー：{ $text }
neuron_view = BertViz ニューロンビュー：{ $text }
head_view_use = 左が読むトークン、右が読まれるトークン。色はヘッドを表す。層を選び、四角をクリックするとそのヘッドの表示が切り替わり、ダブルクリックするとそのヘッドだけになる。トークンに触れると、その線だけが残る。
model_view_use = すべての層（行）とヘッド（列）を一度に示す。クリックすると拡大し、もう一度クリックすると閉じる。
neuron_view_use = 重みがどう決まるか。層とヘッドを選び、左のトークンに触れると、そのクエリ、各キーとの積、その和、ソフトマックスを示す。青が正、橙が負。トークンの脇の印で計算を開閉する。

# BertViz のスクリプトが図に書く語
drawn_heads = ヘッド
drawn_layers = 層
drawn_query = クエリ{" "}
drawn_key = キー{" "}
drawn_product = q × k（要素ごと）
drawn_softmax = ソフトマックス
drawn_none = トークンを選ぶ
