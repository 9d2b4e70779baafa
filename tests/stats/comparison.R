# Makes the values that the tests of descriptive, comparison and planning carry.
# Run: Rscript tests/stats/comparison.R (Debian: r-base-core, r-cran-psych)
options(digits = 12)

# Cushny and Peebles' sleep data, shipped with R: two drugs, the same ten patients.
d <- with(sleep, extra[group == 1] - extra[group == 2])
cat("sleep differences:", d, "\n")
print(t.test(d)[c("estimate", "conf.int", "p.value")])

# R drops zeros before ranking; without zeros and ties Pratt's method is the same.
x <- c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)
y <- c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
print(wilcox.test(x, y, paired = TRUE)[c("statistic", "p.value")])

# Sixty differences without ties: the normal approximation without continuity correction.
i <- 1:60
z <- sin(i) + 0.3 + i / 1000
print(wilcox.test(z, exact = FALSE, correct = FALSE)[c("statistic", "p.value")])

print(p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05, NA, 0.0005), method = "holm"))

# Fewest n with qt(.975, n - 1) * sd / sqrt(n) <= h
fewest <- function(sd, h) {
  n <- 2
  while (qt(0.975, n - 1) * sd / sqrt(n) > h) n <- n + 1
  n
}
cat("n:", fewest(15, 5), fewest(1, 0.1), fewest(0.2, 1), "\n")

print(psych::r.con(0.5, 30))
