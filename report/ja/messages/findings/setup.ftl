setup_lead = { $outcome ->
    [holds] 学習は成功した
    [divided] 学習が成功したのは、{ $outcome_models }である
    [fails] 学習は成功しなかった
    [open] 学習が成功したかどうかは判断できない
   *[not_tested] { $untested ->
        [untrained] 今回の実行ではモデルを学習しない
       *[other] 学習が成功したかどうかは、{ $why }ため検証していない
    }
}{ $words ->
    [not_tested] {""}
   *[other] 。テストデータでの正解率の中央値は { $accuracy } で、単語の出現回数だけによる分類では { $counted } である
}{ $answers ->
    [not_tested] {""}
   *[other] 。答えのある質問での F1 は { $answered } で、何も答えなければ 0 になる
}{ $with_accuracy ->
    [yes] {""}
   *[no] { $with_answered ->
        [yes] {""}
       *[no] { $with_told ->
            [yes] 。求められた単語を当てる割合の中央値は { $told } で、つねに最多の単語と答えれば { $frequent } になる
           *[no] {""}
        }
    }
}
setup_isolated = { $apart ->
    [fails] 最初と最後の層を除くと、通常のトークンもほかのトークンをほとんど取り込まないので、{"["}CLS] だけが孤立しているとはいえない
   *[other] { $isolated ->
        [fails] 最初と最後の層を除くと、{"["}CLS] のベクトルの { $cls } がほかのトークンに由来し、孤立してはいない
       *[other] { $outcome ->
            [holds] {"["}CLS] は最初と最後の層を除いてほぼ孤立している。そのベクトルのうちほかのトークンに由来するのは { $cls } で、全トークンの平均は { $all } である
            [divided] { $outcome_models }では、{"["}CLS] は最初と最後の層を除いてほぼ孤立しており、そのベクトルのうちほかのトークンに由来する割合の中央値は { $cls } である
            [open] 最初と最後の層を除いて {"["}CLS] が孤立しているかどうかは判断できない
           *[not_tested] {"["}CLS] が孤立しているかどうかは測っていない
        }
    }
}
