# SPDX-License-Identifier: Apache-2.0
# Processor time of the nodes: thread CPU, and with the wait for the database on top.
eval upright("% of one processor, a node")
set xlabel "seconds"
set yrange [0:*]
eval tics_y
set xrange [from:to]
plot for [i=2:columns] 'node_cpu.csv' using 1:i with lines lw 2 lc rgb colour(i - 1) title columnheader(i)
