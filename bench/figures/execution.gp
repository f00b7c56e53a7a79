# SPDX-License-Identifier: Apache-2.0
# The execution graph: messages present over time. time_s, then a column each.
eval upright("messages present")
set xlabel "seconds"
set yrange [0:*]
eval tics_y
set xrange [from:to]
plot 'execution.csv' using 1:2 with filledcurves y=0 fs transparent solid 0.10 noborder lc rgb muted notitle, \
     '' using 1:2 with lines lw 2.4 lc rgb ink title columnheader(2), \
     for [i=3:columns] '' using 1:i with lines lw 1.8 lc rgb colour(i - 2) title columnheader(i)
