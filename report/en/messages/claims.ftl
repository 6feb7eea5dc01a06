chapter_claims = Claims

holds = holds
divided = divided
partly = in part
smaller = same sign, smaller
fails = fails
open = open
not_tested = not tested
evidence_fig = figure
evidence_tbl = table
evidence_sec = section
evidence_eq = equation
evidence_kept = reference runs
# Of conditions.
same = as published, or any model
other = other conditions
model_pretrained = { $encoder }, as pretrained
model_finetuned = { $encoder }, fine-tuned on { $experiment }
# In how many models a claim holds.
extent = { $outcome ->
    [partly] as a whole in { $held ->
        [0] none
       *[other] { $held }
    }
   *[other] { $held }
} of { $of } { $of ->
    [one] model
   *[other] models
}{ $trained ->
    [no] { "" }
   *[yes] , trained from { $encoders ->
        [one] one pretrained model
       *[other] { $encoders } pretrained ones
    }
}
filter = Filter the claims
filter_verdict = Verdict
filter_kind = Kind
filter_conditions = Conditions
kind_algebra = true by algebra
kind_arithmetic = arithmetic of published numbers
kind_stake = with something at stake
kind_measured = about models, doubted by nobody
filter_chapter = Chapter
filter_source = Source
filter_text = Text
filter_all = all ({ $count })
filter_option = { $choice } ({ $count })
filter_reset = Show all
filter_count = { $shown } of { $all } claims with something at stake + { $beside } of { $others } behind the fold
ledger = The claims
published = Published
here = Here
on_known_truth = On circuits
claim = Claim
verdict = Verdict
otherwise_lax = Margins halved
otherwise_strict = Margins doubled
otherwise_cases = A vote for each experiment
otherwise_tokens = Other tokens
rule = Rule
model = Model
by_model = Effect and interval by model ({ $count })
conditions = Conditions
cases = Cases
experiment_state = Experiment
value = Value (interval)
sample = Sample
power_reached = power { $power }
bounds = Holds if
note = Note
note_cls = This claim rests on a special token, which another model, a sentence encoder for instance, may use differently from those of the publication.
evidence = Evidence
files = Read from
hashes = how these were made
needs = A full test takes
details = How it was judged
details_cases = How it was judged, case by case ({ $count })
interval = { $value } ({ $range })
no_model = no model
count_holds = hold
count_divided = hold in some models and fail in others
count_partly = hold in part
count_smaller = have the published sign, but are smaller
count_fails = fail
count_open = stay open
count_not_tested = not tested
every_case = { $n ->
    [2] both cases
   *[other] all { $n } cases
}
every_model = { $n ->
    [2] both models
   *[other] all { $n } models
}
of_case = { $outcomes } of { $n } cases
of_model = { $outcomes } of { $n } models
all_holds = holds in { $every }
all_partly = in part in { $every }
all_smaller = same sign, smaller in { $every }
all_fails = fails in { $every }
all_open = open in { $every }
of_holds = holds in { $n }
of_partly = in part in { $n }
of_smaller = same sign, smaller in { $n }
of_fails = fails in { $n }
of_open = open in { $n }
summary_note = The unit of evidence is the model: the weights of one training, whatever texts they were measured on. In a model, each part of a claim is measured; it holds if the whole interval lies beyond the margin, fails if none of it does and the texts suffice to see the published effect, and is open otherwise. A claim holds if it holds in every model that decides it, and is “divided” if it holds in some and fails in others. It is “same sign, smaller” where all effects have the published sign but not all reach the margin, holds “in part” where some of its parts do, and fails otherwise. If half of the models or more are open, so is the claim. “Other conditions” means a model or texts other than the published ones.
shown = shown beside
values = value { $values }
held_by = All that hold are of the reference run { $run }.
this_run_alone = { $deciding ->
    [reference] { $outcome ->
        [holds] All cases that decide are of reference runs; in this run alone, the claim holds.
        [divided] All cases that decide are of reference runs; in this run alone, the claim is divided.
        [partly] All cases that decide are of reference runs; in this run alone, the claim holds in part.
        [smaller] All cases that decide are of reference runs; in this run alone, the effect has the published sign, but is smaller.
        [fails] All cases that decide are of reference runs; in this run alone, the claim fails.
        [open] All cases that decide are of reference runs; in this run alone, the claim is open.
       *[not_tested] All cases are of reference runs; the claim is not tested here, since { $why }.
    }
   *[both] { $outcome ->
        [holds] In this run alone, the claim holds.
        [divided] In this run alone, the claim is divided.
        [partly] In this run alone, the claim holds in part.
        [smaller] In this run alone, the effect has the published sign, but is smaller.
        [fails] In this run alone, the claim fails.
        [open] In this run alone, the claim is open.
       *[not_tested] The claim is not tested here, since { $why }.
    }
}
nothing = not tested, since { $why }
nothing_open = Nothing is left to decide.
repeat = To test the others under the published conditions
of_run = { $experiment } (reference run { $run })
semicolon = ;{" "}
bounds_above = > { $low }
bounds_below = < { $high }
bounds_between = { $low } to { $high }
bounds_outside = outside { $low } to { $high }
count_reference = { $count } data sets
needed_text = { $n ->
    [one] { $count } text
   *[other] { $count } texts
} would decide
needed_head = { $count } heads would decide
needed_reference = { $count } data sets would decide
differs = published for { $published }; here { $models } on { $experiments }

## Sentences of the notebook

claims_lead = { $outcome ->
    [none] None of the { $total } published claims with something at stake could be tested
    [all] All { $total } published claims with something at stake could be tested{ $kept ->
        [yes] {" "}on this run and the reference runs together
       *[no] {""}
    }: { $counts }
   *[some] Of { $total } published claims with something at stake, { $tested } could be tested{ $kept ->
        [yes] {" "}on this run and the reference runs together
       *[no] {""}
    }: { $counts }
}
claims_lead_count = { $outcome ->
    [holds] { $count } { $count ->
        [one] holds
       *[other] hold
    }
    [divided] { $count } { $count ->
        [one] is
       *[other] are
    } divided between models
    [partly] { $count } { $count ->
        [one] holds
       *[other] hold
    } in part
    [smaller] { $count } { $count ->
        [one] has
       *[other] have
    } the published sign but { $count ->
        [one] is
       *[other] are
    } smaller
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
    [all] all { $arithmetic } sets of published numbers are internally consistent
    [none] no set of published numbers is internally consistent
   *[some] { $arithmetic_held } of { $arithmetic } sets of published numbers { $arithmetic_held ->
        [one] is internally consistent
       *[other] are internally consistent
    }
}
claims_conditions = { $outcome ->
    [none] No claim with something at stake could be tested
    [same] All of those that were tested were tested as published, or are about any model
    [other] All of those that were tested were tested under other conditions than those published
   *[both] Of those that were tested, { $other } { $other ->
        [one] was
       *[other] were
    } tested on other models or texts than those published, { $same } under the published conditions or about any model
}
claims_firm = { $total ->
    [0] No claim with something at stake was tested
   *[other] { $same } of { $total } verdicts are the same in all these ways. Halved margins change { $lax } of them, doubled margins { $strict }, a vote for each experiment { $cases }{ $measured ->
        [0] {""}
       *[other] ; of the { $measured } that were measured with the other tokens in the same models, { $tokens } change
    }
}
claims_training = { $n ->
    [0] No claim holds in one of the encoders that the control compares and fails in another
   *[other] Of the claims, { $groups }
}
claims_training_in = { $n ->
    [one] { $claims } holds in { $holds } and fails in { $fails }
   *[other] { $claims } hold in { $holds } and fail in { $fails }
}
between_groups = {"; "}
claims_cited = The claims come from the studies that this report grew from, some of which were never published as papers, and from the papers on the methods { $cited }.

## Conditions, needs, parts and studies of claims of several chapters

conditions_glue = BERT-base on tasks of GLUE
conditions_imdb = BERT-base on IMDB
needs_sst2 = SST-2 from the hub and BERT-base on it
needs_wikipedia = BERT-base from the hub on texts of Wikipedia, as local files or from the hub
needs_glue = BERT-base and tasks of GLUE from the hub
needs_europarl = translators trained on Europarl, and texts with word alignments made by hand
case_exact_match = exact match
case_f1 = F1
study_feature-mixing-study = the feature-mixing study
study_clustering-study = the clustering study
nothing_at_stake = Claims with nothing at stake
beside_stake = Nothing at stake: { $n ->
    [one] one more claim
   *[other] { $n } more claims
} (true by algebra, arithmetic of published numbers, or doubted by nobody)

## Columns of the downloads

column_claim = claim, by its id
column_statement = what is claimed
column_source = keys of the sources, as in references.bib
column_published = what was published
column_verdict = outcome of the claim, or of the measurement
column_differs = in what the conditions differ from the published ones; empty where they do not
column_this_run = outcome without the reference runs
column_chapter = page with the evidence
column_evidence = its figure, table or section there
column_part = part of the claim
column_case = experiment and model state of the measurement
column_sample = how many texts, heads or data sets it is over
column_unit = what these are
column_power = power for the published effect
column_needed = how many would decide it
column_needed_unit = what these are
column_holds = whether the measurement holds; empty where that is open
column_decides = whether it counts for the verdict
column_lax = outcome with margins of half the size
column_strict = outcome with margins of twice the size
column_cases = outcome with a vote for each experiment
column_value = effect that the rule asks for
column_tokens = outcome with other tokens: without special tokens, or with them
