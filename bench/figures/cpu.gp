# SPDX-License-Identifier: Apache-2.0
# Processors in use, stacked; each column already holds the sum of those before it. The machine has no
# more than `cores`: what lies above comes from samples that were late, and is cut off.
eval upright("processors in use")
set xlabel "seconds"
set yrange [0:cores * 1.08]
set xrange [from:to]
set ytics 0, (cores > 8 ? ceil(cores / 8.0) : cores > 3 ? 1 : 0.5)
at_most(v) = v > cores ? cores : v
plot for [i=columns:2:-1] 'cpu.csv' using 1:(at_most(column(i))) with filledcurves y=0 fs transparent solid 0.85 noborder lc rgb colour(i - 1) title columnheader(i), \
     cores with lines lw 1.5 dt 2 lc rgb ink title sprintf("all %g processors", cores)
