# SPDX-License-Identifier: Apache-2.0
# Against a straight line through the point of the fewest nodes.
file = 'scale_linear.csv'
eval upright("messages a second")
set xlabel "nodes"
set xtics 1
set yrange [0:*]
set xrange [0:*]
set offsets 0, 0.3, graph 0.08, 0
set autoscale xfixmax
eval tics_y
plot for [i=0:blocks - 1] file index i using 1:5 with lines lw 1.6 dt 2 lc rgb muted title (i == 0 ? "linear" : ""), \
     for [i=0:blocks - 1] file index i using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.4 lc rgb colour(i + 1) notitle, \
     for [i=0:blocks - 1] file index i using 1:2 with lines lw 2 lc rgb colour(i + 1) title columnheader(1)
