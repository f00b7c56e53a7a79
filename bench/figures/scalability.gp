# SPDX-License-Identifier: Apache-2.0
file = 'scalability.csv'
eval upright("messages a second")
set xlabel "nodes"
set xtics 1
load 'points.gp'
