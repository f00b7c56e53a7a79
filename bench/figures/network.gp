# SPDX-License-Identifier: Apache-2.0
# The queue network. Blocks of network.csv: stations (x, y, half width, half height), queues (the
# same), arrows (x, y, dx, dy), bold texts, small texts (x, y, text).
unset border
unset tics
unset grid
unset key
set lmargin 0
set rmargin 0
set tmargin 0
set bmargin 0
set xrange [0:100]
set yrange [0:50]
plot 'network.csv' index 0 using 1:2:3:4 with boxxyerror lw 1.8 lc rgb blue fs transparent solid 0.10 border lc rgb blue, \
     '' index 1 using 1:2:3:4 with boxxyerror lw 1.5 lc rgb orange fs transparent solid 0.12 border lc rgb orange, \
     '' index 2 using 1:2:3:4 with vectors head filled size screen 0.012,20 lw 1.6 lc rgb muted, \
     '' index 3 using 1:2:3 with labels center font ",14" tc rgb ink, \
     '' index 4 using 1:2:3 with labels center font ",11" tc rgb muted
