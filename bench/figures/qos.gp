# SPDX-License-Identifier: Apache-2.0
file = 'qos.csv'
stats file using 1 nooutput
eval upright("messages received a second")
set xlabel "receivers"
set logscale x
set logscale y
eval decades("x")
eval halves("y")
# One number of receivers alone makes no axis.
if (STATS_min == STATS_max) { set xrange [STATS_min / 2:STATS_max * 2] }
set offsets graph 0.06, graph 0.06, 0, 0
plot for [i=0:blocks - 1] file index i using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.4 lc rgb colour(i + 1) notitle, \
     for [i=0:blocks - 1] file index i using 1:2 with lines lw 2.2 lc rgb colour(i + 1) title columnheader(1)
