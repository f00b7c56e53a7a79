# SPDX-License-Identifier: Apache-2.0
# One look for all figures. The page knows these colours by their numbers, for its dark side
# (bench/page.c); so does bench/figure_text.c, which colour belongs to which stage.
ink = "#1f2933"
muted = "#66727f"
faint = "#dde3ea"
violet = "#8a56d0"
blue = "#2f6fde"
green = "#178f5f"
orange = "#d9730d"
red = "#cf3347"
teal = "#0f8ea8"
olive = "#86861a"
pink = "#c2479b"
paint = blue." ".orange." ".green." ".violet." ".teal." ".pink." ".olive." ".red
colour(i) = word(paint, 1 + (int(i) - 1) % words(paint))
set datafile separator comma
set datafile missing NaN
set border 3 lw 1 lc rgb muted
set tics nomirror out scale 0.5 tc rgb muted
set grid back lw 1 lt 1 lc rgb faint, lw 1 lt 1 lc rgb faint
set key outside bottom center horizontal Left reverse tc rgb ink samplen 1.6 spacing 1.15 width 2 height 0.7
set xlabel tc rgb muted offset 0,0.4
set lmargin 9
set rmargin 4
set tmargin 3
# The unit of the upright axis stands above it, to be read without turning the head.
upright(text) = sprintf("set label 99 \"%s\" at graph 0, screen 0.955 left offset -5,0 tc rgb muted", text)
# An axis from 0 to `most` in steps of 1, 2 or 5, with thousands set apart.
grouped(v) = v < 999.5 ? sprintf("%g", v) : v < 999999.5 ? sprintf("%d,%03d", int(v + 0.5) / 1000, int(v + 0.5) % 1000) : sprintf("%d,%03d,%03d", int(v) / 1000000, int(v) / 1000 % 1000, int(v) % 1000)
power(v) = 10.0 ** floor(log10(v))
round_step(v) = v / power(v) <= 1.001 ? power(v) : v / power(v) <= 2.001 ? 2 * power(v) : v / power(v) <= 5.001 ? 5 * power(v) : 10 * power(v)
count_of(most, step) = int(most / step + 0.999)
tic_list(step, k) = k < 0 ? "" : tic_list(step, k - 1).(k > 0 ? ", " : "").sprintf("'%s' %.9g", grouped(k * step), k * step)
steps_of(axis, step, k) = sprintf("set %stics (%s); set %srange [0:%.9g]", axis, tic_list(step, k), axis, k * step)
steps(axis, most) = most > 0 ? steps_of(axis, round_step(most / 7.0), count_of(most, round_step(most / 7.0))) : ""
# The same for a logarithmic axis.
decade_list(k) = k < -4 ? "" : decade_list(k - 1).(k > -4 ? ", " : "").sprintf("'%s' 1e%d", grouped(10.0 ** k), k)
decades(axis) = sprintf("set %stics (%s)", axis, decade_list(8))
# The same with 2 and 5 between the powers, for what spans few of them.
halves_list(k) = k < -4 ? "" : halves_list(k - 1).(k > -4 ? ", " : "").sprintf("'%s' 1e%d, '%s' 2e%d, '%s' 5e%d", grouped(10.0 ** k), k, grouped(2 * 10.0 ** k), k, grouped(5 * 10.0 ** k), k)
halves(axis) = sprintf("set %stics (%s)", axis, halves_list(8))
