# SPDX-License-Identifier: Apache-2.0
# Little's law, N = X R: each line is one response time; points are measured. Columns: X of the
# whole, N of the whole, X and N of router, X and N of node.
eval upright("messages present, N")
set xlabel "throughput X, messages a second"
set logscale y
eval decades("y")
set xrange [0:x_most]
eval tics_x
set xrange [0:x_most]
set yrange [n_least:n_most]
set samples 300
n_at(r, x) = x * r
set key outside bottom center horizontal
array times[6] = [0.001, 0.01, 0.1, 1, 10, 100]
array names[6] = ["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"]
# A line is named at the right end of the picture, or where it leaves it at the top.
do for [k=1:6] {
    if (n_at(times[k], x_most) > n_least && n_at(times[k], x_most) < n_most) {
        set label k names[k] at first x_most, first n_at(times[k], x_most) left offset 0.3,0 tc rgb muted
    }
    if (n_at(times[k], x_most) >= n_most && n_at(times[k], x_most) < 100 * n_most) {
        set label k names[k] at first n_most / times[k], first n_most center offset 0,0.6 tc rgb muted
    }
}
set rmargin 9
plot for [k=1:6] n_at(times[k], x) with lines lw 1.2 dt 3 lc rgb muted notitle, \
     'little.csv' using 3:4 with points pt 7 ps 0.45 lc rgb blue title "router, each interval", \
     '' using 5:6 with points pt 7 ps 0.45 lc rgb green title "nodes", \
     '' using 1:2 with points pt 7 ps 0.45 lc rgb ink title "whole system", \
     '+' using (x_mean):(n_mean) every ::0::0 with points pt 7 ps 1.6 lc rgb red title "whole run"
