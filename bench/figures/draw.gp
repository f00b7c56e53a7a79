# SPDX-License-Identifier: Apache-2.0
# gnuplot -c draw.gp NAME: NAME.csv by NAME.gp into NAME.svg and NAME.png. NAME-values.gp holds
# numbers that the script wants (how many series, where the measured point is).
name = ARG1
# First to nowhere, to learn how far the axes go; style.gp then sets round steps for them.
tics_x = ""
tics_y = ""
set terminal dumb
set output '/dev/null'
load 'style.gp'
load name.'-values.gp'
load name.'.gp'
tics_x = steps("x", GPVAL_X_MAX)
tics_y = steps("y", GPVAL_Y_MAX)
reset
set terminal svg size 920,460 dynamic enhanced font "DejaVu Sans,13" background "#ffffff" name name
set output name.'.svg'
load 'style.gp'
load name.'-values.gp'
load name.'.gp'
unset output
reset
set terminal pngcairo size 1840,920 enhanced font "DejaVu Sans,13" fontscale 2 linewidth 2 pointscale 2
set output name.'.png'
load 'style.gp'
load name.'-values.gp'
load name.'.gp'
unset output
