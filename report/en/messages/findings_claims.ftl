claims_lead = { $outcome ->
    [none] None of the { $total } published claims could be tested
    [all] All { $total } published claims could be tested: { $counts }
   *[some] Of { $total } published claims, { $tested } could be tested: { $counts }
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
   *[undecided] { $count } { $count ->
        [one] stays
       *[other] stay
    } open
}
claims_conditions = { $outcome ->
    [none] No claim could be decided
    [same] Every claim that could be decided was tested as published, or is about any model
    [other] Every claim that could be decided was tested under other conditions than the published ones
   *[both] Of the { $decided } claims that could be decided, { $same } { $same ->
        [one] was tested as published or is
       *[other] were tested as published or are
    } about any model, and { $other } { $other ->
        [one] was
       *[other] were
    } tested under other conditions
}
claims_parts = { $outcome ->
    [none] No claim was tested
   *[some] Outright hold { $parts }
}
claims_part = { $outcome ->
    [only] the only tested claim
    [not_the_only] no tested claim
   *[some] { $held } of the { $tested } tested claims
} { $part ->
    [structure] of arithmetic and structure
   *[models] about what models do
}
claims_failing_same = { $same } { $same_count ->
    [one] fails
   *[other] fail
} as published
claims_failing_other = { $other } { $other_count ->
    [one] fails
   *[other] fail
} under other conditions
claims_failing = { $outcome ->
    [none] No claim fails
    [same] { claims_failing_same }
    [other] { claims_failing_other }
   *[both] { claims_failing_same }; { claims_failing_other }
}
claims_chance_intervals = { $count ->
    [one] one interval
   *[other] { $intervals } intervals
} at { $confidence }
claims_chance = { $outcome ->
    [no_interval] no verdict of this run rests on an interval
    [hardly] with { claims_chance_intervals }, less than one is expected to miss the value it is meant to hold
   *[some] with { claims_chance_intervals }, about { $missed ->
        [one] one is expected to miss the value it is
       *[other] { $missed_shown } are expected to miss the value they are
    } meant to hold, and nobody knows which
}
