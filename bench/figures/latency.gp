# SPDX-License-Identifier: Apache-2.0
file = 'latency.csv'
eval upright("milliseconds, from last message to CLS")
set xlabel "load, % of capacity"
set logscale y
eval halves("y")
set offsets graph 0.04, graph 0.04, 0, 0
set xrange [0:100]
plot for [i=0:blocks - 1] file index i using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.4 lc rgb colour(i + 1) notitle, \
     for [i=0:blocks - 1] file index i using 1:2 with lines lw 2.2 lc rgb colour(i + 1) title columnheader(1)
