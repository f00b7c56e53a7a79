# SPDX-License-Identifier: Apache-2.0
# Throughput by the number of messages in the system: n, asymptotic lower and upper, balanced lower
# and upper, exact mean value analysis.
eval upright("throughput X, messages a second")
set xlabel "messages in the system, N"
set logscale x
eval decades("x")
set xrange [1:n_end]
set yrange [0:x_end]
eval tics_y
set yrange [0:x_end]
set arrow 1 from first knee, graph 0 to first knee, graph 1 nohead dt 2 lw 1.3 lc rgb muted
set label 1 sprintf("N* = %.2g", knee) at first knee, graph 0.06 left offset 0.6,0 tc rgb muted
plot 'bounds.csv' index 0 using 1:4:5 with filledcurves fs transparent solid 0.18 noborder lc rgb blue title "between the balanced job bounds", \
     '' index 0 using 1:2 with lines lw 1.5 dt 4 lc rgb muted title "asymptotic bounds", \
     '' index 0 using 1:3 with lines lw 1.5 dt 4 lc rgb muted notitle, \
     '' index 0 using 1:4 with lines lw 1.8 lc rgb blue notitle, \
     '' index 0 using 1:5 with lines lw 1.8 lc rgb blue notitle, \
     '' index 0 using 1:6 with lines lw 2.2 dt 2 lc rgb green title "mean value analysis", \
     '' index 1 using 1:2 with points pt 7 ps 1.6 lc rgb red title "measured"
