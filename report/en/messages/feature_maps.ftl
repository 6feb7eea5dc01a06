point = feature point
position = position in the text
text = text
text_number = text { $number }
label = label
special = special token
ordinary = other token
evidence = evidence
kind = kind of token
hover =
    { $token }
    text { $text }, position { $position }
trust_key = below each map: T trustworthiness, C continuity, O neighbour overlap, S spread over seeds
