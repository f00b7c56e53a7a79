# SPDX-License-Identifier: Apache-2.0
# The performance operating area: between the fastest and the slowest component. x, lowest, highest.
eval upright("response time, milliseconds")
set xlabel "throughput X, messages a second"
set logscale y
eval decades("y")
set xrange [0:x_end]
eval tics_x
set xrange [0:x_end]
set yrange [r_least:r_most]
set arrow 1 from first x_wall, graph 0 to first x_wall, graph 1 nohead dt 2 lw 1.3 lc rgb red
set label 1 wall at first x_wall, graph 0.94 right offset -0.8,0 tc rgb red
plot 'area.csv' index 0 using 1:2:3 with filledcurves fs transparent solid 0.22 noborder lc rgb green title "operating area", \
     '' index 0 using 1:2 with lines lw 2 lc rgb teal title "fastest component", \
     '' index 0 using 1:3 with lines lw 2 lc rgb green title "slowest component", \
     '' index 1 using 1:2 with points pt 7 ps 1.6 lc rgb red title "measured, each run"
