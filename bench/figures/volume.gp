# SPDX-License-Identifier: Apache-2.0
# Decay with what is stored; the dotted line is the article's decay from the same start.
file = 'volume.csv'
eval upright("messages a second")
set xlabel "messages stored, millions"
set yrange [0:*]
set xrange [-0.1:*]
set offsets 0, graph 0.02, graph 0.08, 0
eval tics_y
plot file index 0 using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.4 lc rgb blue notitle, \
     file index 0 using 1:2 with lines lw 2.2 lc rgb blue title columnheader(1), \
     file index 1 using 1:2 with lines lw 1.6 dt 2 lc rgb muted title columnheader(1)
