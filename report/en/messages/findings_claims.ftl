claims_lead = { $outcome ->
    [none] None of the { $total } published claims about models could be tested
    [all] All { $total } published claims about models could be tested: { $counts }
   *[some] Of { $total } published claims about models, { $tested } could be tested: { $counts }
}
claims_lead_count = { $outcome ->
    [holds] { $count } { $count ->
        [one] holds
       *[other] hold
    }
    [partly] { $count } { $count ->
        [one] holds
       *[other] hold
    } in part
    [fails] { $count } { $count ->
        [one] fails
       *[other] fail
    }
   *[open] { $count } { $count ->
        [one] is
       *[other] are
    } open
}
claims_kinds = { $algebra_outcome ->
    [untested] No statement that is true by algebra was checked
    [all] Counted apart, { $algebra } { $algebra ->
        [one] statement is
       *[other] statements are
    } true by algebra and confirmed to rounding error
    [none] Counted apart, no statement that should be true by algebra was confirmed
   *[some] Counted apart, { $algebra_held } of { $algebra } statements that should be true by algebra were confirmed
}; { $arithmetic_outcome ->
    [untested] no published numbers were recalculated
    [all] all { $arithmetic } sets of published numbers agree with themselves
    [none] no set of published numbers agrees with itself
   *[some] { $arithmetic_held } of { $arithmetic } sets of published numbers { $arithmetic_held ->
        [one] agrees with itself
       *[other] agree with themselves
    }
}
claims_conditions = { $outcome ->
    [none] No claim about models could be decided
    [same] All decided claims were tested as published, or are about any model
    [other] All decided claims were tested under other conditions than the published ones
   *[both] { $same } of the decided claims { $same ->
        [one] was tested as published or is
       *[other] were tested as published or are
    } about any model; { $other } { $other ->
        [one] was
       *[other] were
    } tested under other conditions
}
