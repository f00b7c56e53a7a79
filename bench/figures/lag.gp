# SPDX-License-Identifier: Apache-2.0
# The start: messages so far, by who has done with them.
paint = violet." ".blue." ".green." ".orange
eval upright("messages so far")
set xlabel "seconds after the first message"
set yrange [0:*]
eval tics_y
set xrange [0:*]
plot 'lag.csv' using 1:2:columns with filledcurves fs transparent solid 0.10 noborder lc rgb muted notitle, \
     for [i=2:columns] '' using 1:i with lines lw 2.2 lc rgb colour(i - 1) title columnheader(i)
