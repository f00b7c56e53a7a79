# SPDX-License-Identifier: Apache-2.0
# Response time of each component by the throughput of the system. x, then a column each; the last
# is the whole.
eval upright("response time, milliseconds")
set xlabel "throughput X, messages a second"
set logscale y
eval decades("y")
set xrange [0:x_end]
eval tics_x
set xrange [0:x_end]
set yrange [r_least:r_most]
plot for [i=2:columns - 1] 'performance.csv' index 0 using 1:i with lines lw 2 lc rgb colour(i - 1) title columnheader(i), \
     '' index 0 using 1:columns with lines lw 2.4 lc rgb ink title columnheader(columns), \
     '' index 1 using 1:2 with points pt 7 ps 1.6 lc rgb red title "measured, each run"
