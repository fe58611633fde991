"""Study thresholds and books: curves, coverage, calibration, plots and the notebook tuner."""
