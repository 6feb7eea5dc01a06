features_noted = { $name } ({ $note })
features_movement = { $outcome ->
    [depends] which step of the forward pass changes most neighbours depends on the model: counted in experiments and model states, it is the one into { $steps } of { $states }
    [most_and_least] neighbourhoods change most on the step into the { $most }, where a token loses { $most_lost } of its nearest neighbours, and least on the step into the { $least } ({ $least_lost })
   *[most] neighbourhoods change most on the step into the { $most }, where a token loses { $most_lost } of its nearest neighbours
}
features_largest_step = The single step that loses most neighbours is the one into { $places }
features_largest_step_place = the { $place } in { $whose } ({ $lost })
features_separation = { $outcome ->
    [untuned] No model was fine-tuned, so whether that separates the classes cannot be said; the pretrained model ends at a silhouette of { $before }, classes apart in { $apart } of { $experiments } experiments
    [everywhere] Fine-tuning separates the texts by class, from { $where } ({ features_separation_silhouettes })
    [somewhere] Fine-tuning separates the texts by class in { $apart } and not in { $others } ({ features_separation_silhouettes })
   *[nowhere] Fine-tuning does not separate the texts by class in any experiment ({ features_separation_silhouettes })
}
features_separation_silhouettes = silhouette at the last point { $before } before, { $after } after
features_separation_from = layer { $layer } on in { $experiments }
features_trusted = { $outcome ->
    [everywhere] { $best } keeps neighbours best in every experiment and model state (mean trustworthiness: { $means })
   *[depends] no kind of map is the most trustworthy everywhere (mean trustworthiness: { $means })
}
features_shifted = { $outcome ->
    [all] Fine-tuning shifts { $counts } by more than another seed would
   *[some] Fine-tuning shifts { $counts } by more than another seed would; what differs in the others says nothing about fine-tuning
}
features_shifted_maps = { $beyond } of { $maps } { $method } maps
features_changed = { $outcome ->
    [deeper] The vectors themselves turn, layer by layer further from the input: by a cosine distance of { $start } at the input and of up to { $most }, at { $where }
   *[other] The vectors themselves turn: by a cosine distance of { $start } at the input and of up to { $most }, at { $where }
}
features_changed_everywhere = the { $place }
features_changed_in = the { $place } ({ $experiment })
