# SPDX-License-Identifier: Apache-2.0
# Messages a second over time, by stage.
paint = violet." ".blue." ".green." ".orange
eval upright("messages a second")
set xlabel "seconds"
set yrange [0:*]
eval tics_y
set xrange [from:to]
plot for [i=2:columns] 'rate.csv' using 1:i with lines lw 2 lc rgb colour(i - 1) title columnheader(i)
