geometry_undefined = テキストが短すぎるか、ベクトルがどれも同じなので、ここでは測れない
geometry_undefined_sentence = { geometry_undefined }
geometry_no_value = 定義できない値
geometry_noted = { $name }（{ $note }）
geometry_lead = { $outcome ->
    [farther] ここで調べたモデルでは、正規化は強い組を近づけず、むしろ引き離す。{ geometry_lead_places }
    [closer] 正規化は強い組を近づける。{ geometry_lead_places }
   *[depends] 正規化が強い組を近づけるかどうかは、モデルによる。{ geometry_lead_places }
}
geometry_lead_places = クエリが最も強く注意を向けるキーは、角度の順で最も近いキーから最も遠いキーまでの { $angle } の位置にあり、平行移動の後では { $angle_translated } になる。図に描かれる平面では正規化の前が { $before }、後が { $after } である（ランダムなら半分）
geometry_correlation = { $outcome ->
    [strong] { geometry_correlation_means }。どのモデルの状態でも強い負の相関である
   *[not_strong] { geometry_correlation_means }。ただし、どのモデルの状態でも強いわけではない
}
geometry_correlation_means = ヘッドについて平均した相関は、平行移動の前が { $before }、後が { $after } である（報告された平均は { $published }）
geometry_correlation_weaker = { geometry_correlation }。ところが平行移動はそれを弱める。平行移動は、一つのクエリの内積すべてに同じ数を加える。ソフトマックスにはそれが見えないが、内積の平均は 0 から標準偏差の { $offset_before } 倍離れたところから { $offset_after } 倍のところへ移る。角度は内積をキーの長さで割ったものなので、0 から離れるほど、順序を決めるのはキーの長さになる
geometry_close = { $outcome ->
    [farther] { geometry_close_places }。「アテンションが高い組が近づく様子はほとんど観察できない」という再現研究の観察は正しく、多くのテキストと全ヘッドで見ても変わらない。強い組は、正規化の前から近かったのである
    [closer] { geometry_close_places }。したがって、強い組はたしかに近づく。一文だけでは見えなかったことである
   *[depends] { geometry_close_places }。したがって、強い組が近づくかどうかは、モデルの状態による
}
geometry_close_places = 全次元の距離では、最も強いキーの位置は正規化の前が { $before }、平行移動の後が { $translated }、閉形式で c を選んだ後が { $after } である
geometry_plane = 正規化の後、最も強いキーの位置は平面で { $drawn }、全次元で { $full } である
geometry_pairs = 一つの組と一つのヘッドを一件と数えると、{ $cases } 件のうち近づくのは、再現研究の定数で { $by_rebuild } 件、平行移動と閉形式で { $by_closed_form } 件である
geometry_pairs_strongest = { geometry_pairs }。そのキーがクエリにとって最も強い { $strongest } 件に限れば、それぞれ { $strongest_by_rebuild } 件と { $strongest_by_closed_form } 件になる
geometry_tuned = 平行移動後の相関は { $correlation_pretrained } から { $correlation_finetuned } に、平面での最も強いキーの位置は { $plane_pretrained } から { $plane_finetuned } に変わる。クエリの長さからキーの長さを引いた差は { $norm_pretrained } から { $norm_finetuned } になる
geometry_change = { $outcome ->
    [untuned] ファインチューニングをする実験がない
    [unchanged] ここではファインチューニングは何も変えず、変化に占める層の割合もない
    [holds] { geometry_change_shares }最後の二層が最もよく変わるという報告のとおりである。{ geometry_change_alone }
    [fails] { geometry_change_shares }最後の二層が最もよく変わるという報告は、ここでは成り立たない。{ geometry_change_alone }
   *[depends] { geometry_change_shares }最後の二層が最もよく変わるという報告は、{ $holds }については成り立ち、{ $fails }については成り立たない。{ geometry_change_alone }
}
geometry_change_shares = 変化の総量のうち最後の二層が占める割合は { $shares }である（均等なら { $even }）。
geometry_change_alone = 層が下から受け取る変化を除き、その層の新しいクエリとキーだけがもたらす注意の変化で見ると、最後の二層の割合は { $alone } にとどまる
geometry_changed_attention = 注意
geometry_changed_layer_output = 特徴ベクトル
geometry_changed_weights = 重み行列
geometry_joint_scale = { $outcome ->
    [costs] 全層全ヘッドに共通の c では相関が { $joint }、ヘッドごとの c では { $single } である。ヘッドの違うベクトルの長さに共通の尺度はない
   *[free] 全層全ヘッドに共通の c では相関が { $joint }、ヘッドごとの c では { $single } である。共通にしても失うものはない
}
geometry_lines = { $outcome ->
    [all] 一つのヘッドで最も強い組は { $tokens } 個のクエリのすべてから出ており、半数のヘッドでは重みがどれも { $weight } 以上ある
   *[some] 一つのヘッドで最も強い組は、平均して { $tokens } 個のクエリのうち { $queries } 個から出ており、半数のヘッドでは重みがどれも { $weight } 以上ある。クエリごとに一本引けば、ほとんど均等な重みまで線になる
}
geometry_rebuild_edge = { $outcome ->
    [none] ない
    [only] すべて（{ $layers }）である
    [all] すべて（{ $layers }）である
   *[some] { $layers }のうち { $edge } 層である
}
