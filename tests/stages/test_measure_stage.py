"""Which states and texts a stage of measures takes."""

import pandas as pd
import pytest

from analysis import params
from analysis.errors import InputError
from analysis.params.sections import Focus
from analysis.stages.measure import _shown


def test_the_text_in_focus_is_counted_from_the_first(root):
    focus = Focus(experiment="reviews", example=2)
    loaded = params.load(root / "params.yaml")
    loaded = loaded.model_copy(update={"report": loaded.report.model_copy(update={"focus": focus})})
    texts = pd.DataFrame({"id": [7, 3, 9]})
    assert _shown(loaded, "reviews", texts) == 9
    with pytest.raises(InputError, match=r"example is 2 but reviews has only 2 captured texts"):
        _shown(loaded, "reviews", texts[:2])
