# Alternative texts of the figures
alt_verdicts = One tile for each claim, in the row of its chapter, in the order of the verdicts: 
