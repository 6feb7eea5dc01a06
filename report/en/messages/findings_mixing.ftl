mixing_lead = { $outcome ->
    [far_less] Far less is mixed than attention weights suggest: they put it at { $weights }, but of the vector that leaves an attention block, residual connection and layer normalization included, { $vectors } comes from other tokens
    [less] Less is mixed than attention weights suggest: they put it at { $weights }, the vectors that leave an attention block, residual connection and layer normalization included, at { $vectors }
   *[depends] Whether vectors mix less than attention weights suggest depends on the model state: by weights it is { $weights }, by the vectors that leave an attention block { $vectors }
}
mixing_scope_order = { $outcome ->
    [all] in every experiment and model state each step makes the ratio smaller, in the published order
   *[some] the published order of the steps holds in { $count } of { $total } model states
}
mixing_depth = from the first to the last layer mixing { $outcome ->
    [none] falls in every case, as was reported for BERT-base
    [all] rises in every case, where it was reported to fall for BERT-base
   *[some] rises in { $count } of { $total } model states and falls in the others; for BERT-base it was reported to fall
}
mixing_no_mask = none of the texts holds a [MASK]
mixing_mask = { $outcome ->
    [all] averaged over layers, [MASK] is mixed more than the text, as was reported
    [none] averaged over layers, [MASK], reported to be mixed most, is mixed less than the text
   *[some] whether [MASK] is mixed more than the text depends on the model state
} ({ $masked } against { $text } of the text's tokens, where texts hold one)
mixing_special = by weights, { $weights } of everything ends on special tokens; by vectors { $vectors }{ $outcome ->
    [far_less] . What special tokens are given much weight for are short vectors: a rollout of weights takes them at their word
   *[other] {""}
}
mixing_identifiable = after the last layer { $before } of the tokens are still nearest to their own input{ $outcome ->
    [untrained] {""}
   *[trained] {" "}in the pretrained model, and { $after } in the fine-tuned ones
}
mixing_alike = the mean cosine between tokens of a text { $outcome ->
    [all] rises from { $first } to { $last }
   *[other] goes from { $first } to { $last }, not upwards everywhere
}; without the mean of all tokens it is { $centred } in the end
