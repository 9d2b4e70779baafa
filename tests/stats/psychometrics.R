# Makes the values that the tests of reliability, omega, factors and confirmatory models carry.
# Run: Rscript tests/stats/psychometrics.R (Debian: r-base-core, r-cran-psych, r-cran-lavaan,
# r-cran-gparotation). The answers are those of tests/stubs/likert.py, drawn the same way.
suppressMessages({library(psych); library(lavaan); library(GPArotation)})
options(digits = 10, width = 160)

state <- 20240101
u <- function() { state <<- (16807 * state) %% 2147483647; state / 2147483647 }
loading <- c(.8, .7, .6, .75, .65, .7, .7, .8, .6)
cuts <- list(c(-1.2, -.4, .3, 1.1), c(-1.5, -.6, .1, .9), c(-.9, -.2, .5, 1.3))
n <- 300
x <- matrix(0, n, 9)
for (p in 1:n) {
  g <- qnorm(u())
  f <- sqrt(.5) * g + sqrt(.5) * c(qnorm(u()), qnorm(u()), qnorm(u()))
  for (i in 1:9) {
    z <- loading[i] * f[(i - 1) %/% 3 + 1] + sqrt(1 - loading[i]^2) * qnorm(u())
    x[p, i] <- 1 + sum(z > cuts[[(i - 1) %% 3 + 1]])
  }
}
gaps <- x
for (p in 1:n) for (i in 1:9) if (u() < .06) gaps[p, i] <- NA
x <- as.data.frame(x); gaps <- as.data.frame(gaps)
names(x) <- names(gaps) <- paste0("x", 1:9)
cat("sums:", colSums(x), " missing:", sum(is.na(gaps)), "\n")

say <- function(title) cat("\n##", title, "\n")
for (d in list(list("complete", x), list("gaps", gaps))) {
  for (items in list(1:3, 1:9)) {
    say(paste("alpha", d[[1]], length(items)))
    a <- psych::alpha(d[[2]][, items], warnings = FALSE, check.keys = FALSE)
    print(unlist(a$total[c("raw_alpha", "std.alpha", "G6(smc)", "average_r")]))
    print(a$alpha.drop$raw_alpha)
    print(a$item.stats$r.drop)
    print(range(cor(d[[2]][, items], use = "pairwise")[lower.tri(diag(length(items)))]))
  }
}
say("alpha listwise")
print(unlist(psych::alpha(na.omit(gaps)[, 1:3])$total["raw_alpha"]))
say("Feldt's interval")
print(unlist(alpha.ci(.47, n.obs = 49, n.var = 3)))
print(unlist(alpha.ci(.94, n.obs = 49, n.var = 27)))

say("omega: Thurstone, published in psych's manual")
dput(unname(round(Thurstone[lower.tri(Thurstone)], 3)))
o <- omega(Thurstone, nfactors = 3, n.obs = 213, plot = FALSE)
print(c(o$omega_h, o$omega.tot)); print(o$schmid$sl[, 1:4])
say("omega: generated")
o <- omega(x, nfactors = 3, plot = FALSE); print(c(o$omega_h, o$omega.tot)); print(o$schmid$sl[, 1])
o <- suppressMessages(omega(x[, 1:3], nfactors = 1, plot = FALSE)); print(o$omega.tot)
o <- suppressMessages(omega(x, nfactors = 1, plot = FALSE)); print(o$omega.tot)

say("split halves: odd against even")
r <- cor(rowSums(x[, c(1, 3, 5, 7)]), rowSums(x[, c(2, 4, 6, 8)])); print(c(r, 2 * r / (1 + r)))

for (m in c("minres", "ml")) {
  say(paste("factors, oblimin:", m))
  f <- fa(x, 3, fm = m, rotate = "oblimin"); print(unclass(f$loadings)); print(f$Phi)
  print(f$communality)
}
say("factors, promax of ml")
f <- factanal(x, 3, rotation = "promax"); print(unclass(f$loadings))
f <- factanal(x, 3, rotation = "none"); v <- varimax(f$loadings); print(unclass(v$loadings))
p <- promax(v$loadings); print(unclass(p$loadings))
print(solve(crossprod(p$rotmat)))
say("fit of the three factors by maximum likelihood: chi-squared with Bartlett's correction")
print(c(f$STATISTIC, f$dof))

say("eigenvalues, and what parallel analysis says")
print(eigen(cor(x))$values)
set.seed(1); pa <- fa.parallel(x, fa = "pc", plot = FALSE, n.iter = 200, quant = .95)
print(pa$pc.sim)

say("polychoric correlations")
pc <- lavCor(x, ordered = names(x)); print(unclass(pc)[1:4, 1:4])
th <- lavCor(x[, 1:2], ordered = names(x)[1:2], output = "th"); print(unclass(th))
r2 <- lavCor(x[, 1:2], ordered = names(x)[1:2], output = "fit", se = "robust.sem")
print(as.data.frame(parameterEstimates(r2))[3, ])

model <- "f1 =~ x1 + x2 + x3\nf2 =~ x4 + x5 + x6\nf3 =~ x7 + x8 + x9"
wanted <- c("chisq", "df", "pvalue", "baseline.chisq", "baseline.df", "cfi", "tli", "rmsea",
            "rmsea.ci.lower", "rmsea.ci.upper", "srmr")
show <- function(fit, names) {
  print(c(unclass(fitMeasures(fit, names))))
  s <- as.data.frame(standardizedSolution(fit)); print(s[s$op %in% c("=~", "~~") & s$lhs != s$rhs, 1:5])
}
say("Holzinger and Swineford, lavaan's own example")
h <- cfa(model, HolzingerSwineford1939, std.lv = TRUE)
S <- cov(HolzingerSwineford1939[, 7:15]) * 300 / 301
dput(unname(round(S[lower.tri(S, diag = TRUE)], 6)))
show(h, wanted)
say("generated, maximum likelihood"); show(cfa(model, x, std.lv = TRUE), wanted)
scaled <- c(wanted, "chisq.scaled", "df.scaled", "pvalue.scaled", "baseline.chisq.scaled",
            "cfi.scaled", "tli.scaled", "rmsea.scaled", "rmsea.ci.lower.scaled",
            "rmsea.ci.upper.scaled", "chisq.scaling.factor", "srmr_bentler", "crmr")
say("generated, WLSMV")
w <- cfa(model, x, std.lv = TRUE, ordered = names(x), estimator = "WLSMV"); show(w, scaled)
say("generated, one factor, WLSMV")
w <- cfa("g =~ x1+x2+x3+x4+x5+x6+x7+x8+x9", x, std.lv = TRUE, ordered = names(x), estimator = "WLSMV")
print(c(unclass(fitMeasures(w, scaled))))

say("two groups of scores: Hedges' g and its interval")
a <- rowMeans(x[1:40, 1:3]); b <- rowMeans(x[41:90, 1:3]); cc <- rowMeans(x[1:40, 4:6])
print(t.test(a, b)[c("statistic", "parameter", "p.value", "conf.int")])
print(t.test(a, cc, paired = TRUE)[c("statistic", "parameter", "p.value", "conf.int")])
d <- (mean(a) - mean(b)) / sqrt((39 * var(a) + 49 * var(b)) / 88)
print(c(d, d * (1 - 3 / (4 * 88 - 1)))); print(d.ci(d, n1 = 40, n2 = 50))
dz <- mean(a - cc) / sd(a - cc); print(dz); print(d.ci(dz, n1 = 40))
