# SPDX-License-Identifier: Apache-2.0
# An experiment: blocks of x, median, least, most, predicted; the first line of each is its name.
# The figures that load this say what the axes are.
set yrange [0:*]
set xrange [0:*]
set offsets 0, 0.3, graph 0.08, 0
set autoscale xfixmax
eval tics_y
plot for [i=0:blocks - 1] file index i using 1:3:4 with filledcurves fs transparent solid 0.12 noborder lc rgb colour(i + 1) notitle, \
     for [i=0:blocks - 1] file index i using 1:2:3:4 with yerrorbars pt 7 ps 0.8 lw 1.4 lc rgb colour(i + 1) notitle, \
     for [i=0:blocks - 1] file index i using 1:2 with lines lw 2 lc rgb colour(i + 1) title columnheader(1), \
     for [i=0:predicted - 1] file index i using 1:5 with linespoints lw 1.6 dt 2 pt 6 ps 0.7 lc rgb colour(i + 1) title (i == 0 ? "predicted (dashed)" : "")
