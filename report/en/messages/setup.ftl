chapter_setup = Set-up

## Words of figures and tables

step = step
loss = loss
accuracy = accuracy
train_loss = training loss
validation_loss = validation loss
validation_accuracy = validation accuracy
confidence = probability of the prediction
f1 = F1
exact = exact
HasAns_exact = answerable: exact
HasAns_f1 = answerable: F1
NoAns_exact = unanswerable
best_exact = best exact (threshold)
best_f1 = best F1 (threshold)
trained = trained with unanswerable
empty = nothing answered
calibration_error = calibration error
no_such = no such question
bag_of_words = bag of words
majority = majority class
learned = models that learned the task
train = train
validation = validation
test = test
captured = captured
truncated = truncated
tokens_per_word = tokens per word
unknown = unknown
altered = altered
left_out = left out
source = texts from
label = label
text = text
ideal = probability = accuracy
source_generated = grammar { $grammar }, evidence recorded
source_sentences = natural sentences of this project
source_texts = texts given in params.yaml
source_files = local file { $test }
source_hub = hub data set { $name }
source_squad-files = { source_files }
source_squad-hub = { source_hub }
first_tenth = first tenth
stratified_tenth = stratified tenth
place_in_file = position in a file that is sorted by class
class_number = class { $number }
layers = layers
heads = heads
drawn_stream = stream
drawn_attention = attention
drawn_source = cross-attention
drawn_heads = { $heads ->
    [one] 1 head
   *[other] { $heads } heads
}
drawn_groups = { $heads }, { $groups } groups
drawn_plain = network
drawn_gated = gated network
drawn_other = network
drawn_norm_layer = layer norm
drawn_norm_rms = RMS norm
drawn_read = readout token
drawn_times = { $layers ->
    [one] 1 layer
   *[other] { $layers } layers
}
grouped = { $heads } in { $groups } groups
dimension = dimensions
norms = normalizes
norms_ = nowhere
norms_before = before
norms_of_output = what is added
norms_after = the sum
norms_before_of_output = before, and what is added
norms_before_after = before, and the sum
norms_of_output_after = what is added, and the sum
norms_before_of_output_after = before, what is added, and the sum
centring = normalization
norm_layer = layer
norm_rms = RMS
networks = network
network_plain = plain
network_gated = gated
network_other = other
network_plain_beside = plain, beside attention
network_gated_beside = gated, beside attention
network_other_beside = other, beside attention
sight = a token sees
sight_all = all
sight_earlier = earlier ones
sight_window = a window
sight_earlier_window = earlier ones in a window
sight_source = the source
read = read at
read_first = the first
read_last = the last
between_kinds = {" / "}

## Alternative texts of figures

alt_drawing = A drawing of a layer for each structure: the stream from below, attention and network beside it with their normalizations, a map of which tokens each token may see, and the token that is read.
alt_learning = Line charts of training and validation loss and of validation accuracy over the training steps, one column for each trained experiment.
alt_calibration = Scatter plots of accuracy against the probability of the prediction, in ten bins, with the diagonal; the area of a dot is its share of the texts.
alt_split = Two strips of the texts of a sorted file, the first half of one class and the second of the other. In the upper strip the chosen tenth lies at the start, all of one class; in the lower one it is spread evenly over both.

## Sentences of the notebook

rate_of = { $rate } ({ $names })
setup_trained = { $outcome ->
    [only] the experiment of this run
    [all] all { $every }
   *[some] the { $n ->
        [one] one of { $every } that trains
       *[other] { $n } of { $every } that train
    } a model
}
setup_unlearned_model = In { $experiment }, { $models ->
    [only] the model has not learned its task
    [all] none of the { $count } models has learned its task
   *[part] { $failed ->
        [one] the model of seed { $seeds } has
       *[other] the models of seeds { $seeds } have
    } not learned the task, and no number on explanations is of { $failed ->
        [one] it
       *[other] them
    }
} ({ $score ->
    [accuracy] test accuracy { $reached }, where naming the most frequent class reaches { $baseline }
    [written] { $reached } of the words of test targets told, where naming the most frequent word reaches { $baseline }
   *[answered] F1 { $reached }, where answering nothing reaches { $baseline }
})
setup_unlearned_next = { $list }. { $next }
setup_unlearned = { $models }{ $which ->
    [none] {""}
   *[some] . Numbers of { $excluded } are shown, but no finding about what explains a prediction, or about which heads it needs, is drawn from them; other findings about fine-tuned models include them
}

setup_unread = The model does not see a part of the characters of the texts ({ $experiments }): its vocabulary lacks them, or its tokenizer changes them or leaves them out. What is found there is of other texts than those that are shown

## Published claims

A3_statement = The first tenth of the IMDB test split can serve as a validation set of both classes.
A3_published = implied by the code
A3_rule = the larger class makes up less than 60% of the first tenth of the test split, in the order of the published file

B26_statement = BERT-base classifies the reviews of IMDB with the published accuracy.
B26_published = { $tokens128 } (128 tokens), { $tokens384 } (384), { $tokens512_0 } to { $tokens512_1 } (512)
B26_rule = accuracy on the whole test split is the published one of the same length to within { $within }

B27_statement = BERT-base answers the questions of SQuAD 2.0 with the published scores.
B27_published = exact match { $exact }, F1 { $f1 }
B27_rule = the scores are the published ones to within a point

conditions_squad = BERT-base on SQuAD 2.0
needs_imdb = IMDB itself: profiles/imdb.yaml or profiles/imdb-bert-base.yaml
needs_imdb_full = profiles/imdb-bert-base.yaml on a GPU, all 25,000 texts of each split, three seeds
needs_squad_full = profiles/squad-bert-base.yaml on a GPU, two epochs of all questions
case_tokens128 = 128 tokens
case_tokens384 = 384 tokens
case_tokens512 = 512 tokens
case_other_accuracy = accuracy, whatever the model and the number of texts
case_other_exact = exact match, whatever the model and the number of questions
case_other_f1 = F1, whatever the model and the number of questions

## Columns of the downloads

column_text = the text
