read = text, as the model reads it
group = group
