head_ablation_counts = Of { $heads } heads, { $hurt_score } { $number_hurt_score ->
    [one] lowers
   *[other] lower
 } the score when disabled and { $help_score } { $number_help_score ->
    [one] raises
   *[other] raise
 } it, by an interval that leaves out 0; the largest loss is { $worst }, the largest gain { $best }, and up to +{ $published } points were published{ $full ->
    [none] { "" }
   *[some] ; in { $perfect } the score is perfect with all heads and cannot rise
 }; by the loss function, a finer measure, { $hurt_loss } { $number_hurt_loss ->
    [one] makes
   *[other] make
 } it worse and { $help_loss } better
head_ablation_extreme = { $outcome ->
    [none] none
   *[some] { $way ->
        [fall] −
       *[rise] +
     }{ $points } points (head { $head } of { $experiment })
 }

head_ablation_chance = with so many intervals at { $confidence }, about { $expected } heads on either side would leave out 0 by chance alone; { $outcome ->
    [none] nowhere are there more than { $times } times as many
   *[more] there are more than { $times } times as many { $named }
 }
head_ablation_beyond_chance = { $kind ->
    [hurt_score] heads that lower the score when disabled in { $experiments }
    [help_score] heads that raise it in { $experiments }
    [hurt_loss] heads that make the loss function worse in { $experiments }
   *[help_loss] heads that make it better in { $experiments }
 }
head_ablation_and = { $one } and { $other }
