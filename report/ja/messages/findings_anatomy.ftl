anatomy_lead = 一歩ずつ手で組み立て直した注意は、どの段階でもモデル自身の値と、最大値の { $off } 以内で一致する。{ $outcome ->
    [apart] エンコーダとデコーダを分けるのは、トークンから何が見えるかである。後ろのトークンを変えると、前の出力はエンコーダでは動き（ここでは最大 { $encoder }）、デコーダではまったく動かない
    [alike] 小さなモデルのどれでも、前の出力は後ろのトークンに左右されない。見てよいエンコーダでさえそうである
   *[leaks] 小さなデコーダのマスクは効いていない。後ろのトークンを変えると、前の出力が最大 { $decoder } 動く
}
anatomy_exactness = { $outcome ->
    [rounding] 差は各段階の最大値の { $off } 以下で、単精度の和に残る丸め誤差の程度である。モデルがしていることは上の式に尽きる
   *[more] 差は各段階の最大値の { $off } に達し、単精度の丸め誤差では説明できない。モデルがより少ない桁で計算している箇所があるのかもしれない
}
anatomy_scale = このテキストのスコアの標準偏差は、全ヘッドの平均で、割る前が { $before }、割った後が { $after } である。{ $outcome ->
    [hardly] 重みへの影響はほとんどない。行の最大の重みは、割れば { $soft }、割らなければ { $sharp } である
    [alone] 割らなければ、行の最大の重みは { $soft } ではなく { $sharp } になり、他のキーにはほとんど何も残らない
   *[sharper] 割らなければ、行の最大の重みは { $soft } ではなく { $sharp } になる
}
anatomy_heads = 全ヘッドのクエリのうち、最も強いキーは{ $keys } である。二つのヘッドは、クエリの重みの平均 { $apart } を別の場所に置く
anatomy_heads_key = { $kind ->
    [special] 特殊トークン
    [self] 自分自身
    [previous] 直前のトークン
    [next] 直後のトークン
   *[other] その他のトークン
}が { $share }
anatomy_learned = { $outcome ->
    [all] 三つとも、見たことのない { $rows } 列のうち { $shares } を誤りなく逆向きに書く。見え方が三通りのどれであっても、この課題は学習できる
   *[some] 見たことのない { $rows } 列のうち、誤りなく逆向きに書けたのは { $shares } である。与えたステップ数では、{ $missed }はこの課題を学習できておらず、マップは学習の途中を示す
}
anatomy_learned_encoder = エンコーダ
anatomy_learned_decoder = デコーダ
anatomy_learned_encoder_decoder = 両方をもつモデル
anatomy_mirror = { $outcome ->
    [every] 対角線と逆向きの線は、この課題の対応づけそのものである。書くトークンの重みの { $shares } は、書くべき語に載っている
   *[some] 書くべき語に載る重みは、書くトークンの { $shares } であり、すべてのモデルが一度に読み取っているわけではない
}
anatomy_residual = { $outcome ->
    [longer] 注意の図には残差が描かれないが、ここで長いのは残差の方である。このテキストの全層・全トークンの平均で、注意が足すベクトルの長さは、足される側の { $length } である
   *[shorter] ここでは注意が足すベクトルの方が長い。このテキストの全層・全トークンの平均で、その長さは足される側の { $length } である
}
anatomy_leak = 前の出力のロジットは、エンコーダでは{ $encoder_outcome ->
    [moves] 最大 { $encoder } 動き
   *[stays] 動かず
}、デコーダでは{ $decoder_outcome ->
    [moves] 最大 { $decoder } 動く
   *[stays] 動かない
}
