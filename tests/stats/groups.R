# Makes the values that the tests of groups, contingency and median carry.
# Run: Rscript tests/stats/groups.R (Debian: r-base-core)
options(digits = 12)

# R's own example of the Kruskal-Wallis test: Hollander and Wolfe (1973), p. 116.
x <- c(2.9, 3.0, 2.5, 2.6, 3.2)
y <- c(3.8, 2.7, 4.0, 2.4)
z <- c(2.8, 3.4, 3.7, 2.2, 2.0)
print(kruskal.test(list(x, y, z))[c("statistic", "p.value")])

# With ties: airquality, ozone by month, shipped with R.
print(kruskal.test(Ozone ~ Month, data = airquality)[c("statistic", "p.value")])
for (m in 5:9) cat(m, ":", na.omit(airquality$Ozone[airquality$Month == m]), "\n")

# Agresti (2007), p. 39: party identification by sex, R's own example of the chi-squared test.
m <- rbind(c(762, 327, 468), c(484, 239, 477))
print(chisq.test(m)[c("statistic", "p.value")])
print(chisq.test(rbind(c(12, 5), c(3, 9)), correct = FALSE)[c("statistic", "p.value")])

# McNemar's exact test is a binomial test of the discordant pairs.
print(binom.test(3, 15)$p.value)
print(binom.test(1, 9)$p.value)

# Cochran's Q of binary outcomes is Friedman's statistic.
b <- rbind(
  c(1, 1, 0, 0), c(1, 1, 0, 1), c(0, 1, 0, 0), c(1, 1, 1, 1), c(1, 0, 0, 0), c(0, 0, 0, 0),
  c(1, 1, 0, 1), c(1, 0, 1, 0), c(0, 1, 0, 0), c(1, 1, 0, 0)
)
print(friedman.test(b)[c("statistic", "p.value")])

# The order statistics that enclose a median: ranks and coverage.
for (n in c(6, 10, 25, 100)) {
  k <- qbinom(0.025, n, 0.5)
  if (pbinom(k - 1, n, 0.5) > 0.025) k <- k - 1
  cat(n, ":", k, n + 1 - k, "covers", 1 - 2 * pbinom(k - 1, n, 0.5), "\n")
}
