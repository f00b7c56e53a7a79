# SPDX-License-Identifier: Apache-2.0
# One look for all figures. page.c knows these colours by their numbers, for the dark page.
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
paint = blue." ".orange." ".green." ".violet." ".red." ".teal." ".olive." ".pink
colour(i) = word(paint, 1 + (int(i) - 1) % 8)
set datafile separator comma
set datafile missing NaN
set border 3 lw 1 lc rgb muted
set tics nomirror out scale 0.5 tc rgb muted
set grid back lw 1 lt 1 lc rgb faint, lw 1 lt 1 lc rgb faint
set key outside bottom center horizontal tc rgb ink samplen 1.6 spacing 1.15 width 1
set xlabel tc rgb muted offset 0,0.3
set lmargin 9
set rmargin 4
set tmargin 3
# The unit of the upright axis stands above it, to be read without turning the head.
upright(text) = sprintf("set label 99 \"%s\" at graph 0, screen 0.955 left offset -5,0 tc rgb muted", text)
