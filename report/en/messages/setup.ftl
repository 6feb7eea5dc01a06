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
empty = nothing answered
calibration_error = calibration error
no_such = no such question
bag_of_words = bag of words
majority = majority class
train = train
validation = validation
test = test
captured = captured
truncated = truncated
source = texts from
label = label
text = text
ideal = probability = accuracy
generated = grammar { $grammar }, evidence recorded
sentences = natural sentences of this project
texts_given = texts given in params.yaml
files = local file { $file }
hub = hub data set { $name }

# Alternative texts of the figures
alt_learning = Line charts of training and validation loss and of validation accuracy over the training steps, one column for each trained experiment.
alt_calibration = Scatter plots of accuracy against the probability of the prediction, in ten bins, with the diagonal; the area of a dot is its share of the texts.
