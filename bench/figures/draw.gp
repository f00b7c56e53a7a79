# SPDX-License-Identifier: Apache-2.0
# gnuplot -c draw.gp NAME: NAME.csv by NAME.gp into NAME.svg and NAME.png. NAME-values.gp holds
# numbers that the script wants (how many series, where the measured point is).
name = ARG1
tall = 460
load name.'-values.gp'
set terminal svg size 920,tall dynamic enhanced font "DejaVu Sans,13" background "#ffffff" name name
set output name.'.svg'
load 'style.gp'
load name.'.gp'
unset output
reset
set terminal pngcairo size 1840,2*tall enhanced font "DejaVu Sans,13" fontscale 2 linewidth 2 pointscale 2
set output name.'.png'
load 'style.gp'
load name.'.gp'
unset output
