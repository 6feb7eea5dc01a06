label = 本文を検索
found = 該当する節：{ $found }
