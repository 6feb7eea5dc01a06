setup_lead = { $outcome ->
    [holds] Every model that this run trains has learned its task
   *[other] The scores of the models that this run trains stand below, beside those of baselines
}
    .untested = Whether training succeeded
