# Makes the intraclass correlations that test_icc.py carries.
# Run: Rscript tests/stats/agreement/icc.R (Debian: r-base-core, r-cran-psych)
options(digits = 15)

# Shrout and Fleiss (1979), table 2: six targets, four judges.
shrout <- matrix(c(
  9, 2, 5, 8,
  6, 1, 3, 2,
  8, 4, 6, 8,
  7, 1, 2, 6,
  10, 5, 6, 9,
  6, 2, 4, 7), ncol = 4, byrow = TRUE)
# Twelve items, three raters, two ratings missing: two items are left out listwise.
some <- matrix(c(
  1, 2, 1,  3, 3, 4,  5, 4, 5,  2, NA, 3,  2, 2, 2,  4, 5, 5,
  1, 1, 3,  3, 4, 3,  NA, 2, 2,  5, 5, 4,  2, 3, 1,  4, 4, 4), ncol = 3, byrow = TRUE)

for (x in list(shrout, some)) {
  # lmer = FALSE: analysis of variance, as in McGraw and Wong; na.omit: listwise.
  found <- psych::ICC(na.omit(x), lmer = FALSE)$results
  print(found[, c("ICC", "lower bound", "upper bound")], digits = 15)
}
