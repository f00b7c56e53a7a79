# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=embedded.c -DFILES=a.gp,b.html -P Embed.cmake: the files as one table in C
# (bench/embedded.h).
string(REPLACE "," ";" files "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${files})
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    get_filename_component(name "${file}" NAME)
    string(APPEND arrays "static const char file_${number}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", file_${number}, sizeof file_${number} - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "/* Made by cmake/Embed.cmake. */\n#include \"bench/embedded.h\"\n\n${arrays}\n"
     "const struct ste_embedded ste_embedded_files[] = {\n${rows}    {0, 0, 0},\n};\n")
