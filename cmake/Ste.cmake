# SPDX-License-Identifier: Apache-2.0
# What every folder's CMakeLists.txt builds with: ste_library, ste_program, ste_test, ste_fuzz.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

option(STE_WERROR "Warnings are errors" ON)
option(STE_FAULTS "Compile in the named kill points (never in a release)" OFF)
option(STE_FUZZ "Build the libFuzzer targets (clang)" OFF)
set(STE_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined or thread")

add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
                    -Wformat=2 -fno-omit-frame-pointer)
if(STE_WERROR)
    add_compile_options(-Werror)
endif()
if(STE_SANITIZE)
    add_compile_options(-fsanitize=${STE_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${STE_SANITIZE})
endif()
if(STE_FAULTS)
    add_compile_definitions(STE_FAULTS=1)
endif()
add_compile_definitions(_GNU_SOURCE STE_VERSION="${PROJECT_VERSION}"
                        STE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
include_directories("${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/lib")

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
foreach(dep librabbitmq libmariadb yaml-0.1 libcjson expat libcrypto libxxhash libmicrohttpd
            libcurl libzstd cmocka)
    string(REGEX REPLACE "^lib|-0.1$" "" name ${dep})
    pkg_check_modules(dep_${name} REQUIRED IMPORTED_TARGET ${dep})
endforeach()

# ste_library(NAME SOURCES a.c b.c LINK ste_base PkgConfig::dep_expat)
function(ste_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC ${arg_LINK})
endfunction()

# ste_program(NAME SOURCES … LINK …): one binary in <build>/bin.
function(ste_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINK} Threads::Threads)
endfunction()

# ste_test(NAME SOURCES x_test.c LINK …): a cmocka program, ctest label "unit" unless LABEL says else.
function(ste_test name)
    cmake_parse_arguments(arg "" "LABEL" "SOURCES;LINK;ARGS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINK} PkgConfig::dep_cmocka Threads::Threads)
    add_test(NAME ${name} COMMAND ${name} ${arg_ARGS} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    if(NOT arg_LABEL)
        set(arg_LABEL unit)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 120)
endfunction()

# ste_fuzz(NAME SOURCES x_fuzz.c CORPUS dir LINK …): a libFuzzer target, only with STE_FUZZ=ON.
function(ste_fuzz name)
    cmake_parse_arguments(arg "" "CORPUS" "SOURCES;LINK" ${ARGN})
    if(NOT STE_FUZZ)
        return()
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE ${arg_LINK})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND "${CMAKE_SOURCE_DIR}/tests/fuzz/run" $<TARGET_FILE:${name}>
             "${CMAKE_SOURCE_DIR}/${arg_CORPUS}")
    set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()
