/* SPDX-License-Identifier: Apache-2.0
 * For tests of figures: cmocka compares floats only, which are too short for what is checked. */
#ifndef STE_OA_TESTING_H
#define STE_OA_TESTING_H

#include <math.h>

#include "base/testing.h"

/* |value - expected| <= most, and neither is NAN. */
#define assert_near(value, expected, most)                                                         \
    do {                                                                                           \
        const double value_ = (value), expected_ = (expected);                                     \
        if (!(fabs(value_ - expected_) <= (most)))                                                 \
            fail_msg("%s is %.9g, not %.9g", #value, value_, expected_);                           \
    } while (0)

#endif
