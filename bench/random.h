/* SPDX-License-Identifier: Apache-2.0
 * splitmix64: a small generator whose every seed gives a full sequence. Sets must be the same on
 * every machine, so no library's generator will do. */
#ifndef STE_BENCH_RANDOM_H
#define STE_BENCH_RANDOM_H

#include <stdint.h>

struct ste_random {
    uint64_t state;
};

static inline uint64_t ste_random_next(struct ste_random *random)
{
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The sequence of one thing (a trade, a message, an order) under one seed: sequences of different
 * things have nothing in common. */
static inline struct ste_random ste_random_of(uint64_t seed, uint64_t thing, uint64_t part)
{
    struct ste_random random = {seed};
    random.state = ste_random_next(&random) ^ thing;
    random.state = ste_random_next(&random) ^ part;
    return random;
}

/* 0 … below-1; below is at least 1. */
static inline uint64_t ste_random_below(struct ste_random *random, uint64_t below)
{
    return (uint64_t)(((unsigned __int128)ste_random_next(random) * below) >> 64);
}

#endif
