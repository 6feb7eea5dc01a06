setup_trained = { $outcome ->
    [only] the experiment of this run
    [all] all { $every }
   *[some] the { $n ->
        [one] one of { $every } that trains
       *[other] { $n } of { $every } that train
    } a model
}
setup_lead = { $outcome ->
    [untrained] Nothing is trained in this run
    [all] { $n ->
        [one] The fine-tuned model has learned its task: the test score is
       *[other] Every fine-tuned model has learned its task: test scores are
    } { $scores }, where { $without } can be had without understanding the text
    [some] { $learned } of { $n } fine-tuned models { $learned ->
        [one] has learned its task
       *[other] have learned their tasks
    }: test scores are { $scores }, where { $without } can be had without understanding the text
   *[none] { $n ->
        [one] The fine-tuned model has not learned its task: the test score is
       *[other] No fine-tuned model has learned its task: test scores are
    } { $scores }, and { $without } can be had without understanding the text
}; what is read out of a model differs from what it computes by at most { $deviation } of the largest value of a layer
