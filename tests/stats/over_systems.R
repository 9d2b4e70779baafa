# Makes the values that test_over_systems.py and test_kendall.py carry.
# Run from the project's folder: Rscript tests/stats/over_systems.R (Debian: r-base-core)
options(digits = 10)
d <- read.csv("tests/stats/socio_emotional_table1.csv", check.names = FALSE)
say <- function(x, y) {
  ok <- complete.cases(d[[x]], d[[y]])
  a <- d[[x]][ok]
  b <- d[[y]][ok]
  n <- length(a)
  p <- cor.test(a, b)
  s <- cor(a, b, method = "spearman")
  k <- suppressWarnings(cor.test(a, b, method = "kendall", exact = FALSE))
  t <- unname(k$estimate)
  # Bonett and Wright (2000): variances of Fisher's z of Spearman and Kendall
  zs <- qnorm(.975) * sqrt((1 + s^2 / 2) / (n - 3))
  zk <- qnorm(.975) * sqrt(.437 / (n - 4))
  cat(x, y, n, "\n pearson", p$estimate, p$conf.int, p$p.value,
      "\n spearman", s, tanh(atanh(s) + c(-zs, zs)),
      "\n kendall", t, tanh(atanh(t) + c(-zk, zk)), k$p.value, "\n")
}
for (y in c("sacrebleu", "bertscore", "chrf", "bertscore_context", "ppl")) say("top3", y)
say("socemo", "chrf")
say("filter", "bertscore_context")

# Kendall without ties, exact: Hollander and Wolfe (1973), p. 187f., from R's own example
x <- c(44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1)
y <- c(2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8)
print(cor.test(x, y, method = "kendall")[c("estimate", "p.value")])
