# SPDX-License-Identifier: Apache-2.0
"""Which nodes x shards the scale-out experiment measures, and how many messages make a run of the
wanted length. Pure."""

# (nodes, shards): one database to its decline; four, near linear and the knee; twice as many, which
# moves it; and sixteen.
POINTS = ((1, 1), (2, 1), (4, 1), (8, 1),
          (1, 4), (2, 4), (4, 4), (8, 4),
          (4, 8), (8, 8), (4, 16), (8, 16))
CALIBRATE = ((2, 4), (4, 1))
QUICK = ((1, 1), (2, 1), (2, 2))

# CPU seconds a message at full batches, to begin with; what was measured replaces them.
NODE_S, SHARD_S = 14e-6, 40e-6
# What broker, router and driver let through on the rest of the machine, to begin with.
REST = 15000.0


class Guess:
    """A first idea of a point's rate, only to choose the length of its run: the least of what nodes,
    shards and the rest can do. It learns from each point what the narrowest of them really did."""

    def __init__(self, node_cpu, shard_cpu):
        self.node, self.shard, self.rest = node_cpu / NODE_S, shard_cpu / SHARD_S, REST

    def limits(self, nodes, shards):
        return {"node": nodes * self.node, "shard": shards * self.shard, "rest": self.rest}

    def rate(self, nodes, shards):
        return min(self.limits(nodes, shards).values())

    def learn(self, nodes, shards, rate):
        limits = self.limits(nodes, shards)
        narrowest = min(limits, key=limits.get)
        if narrowest == "node":
            self.node = rate / nodes
        elif narrowest == "shard":
            self.shard = rate / shards
        else:
            self.rest = rate


def parse(text):
    """1x1,2x4 as pairs."""
    found = tuple(tuple(int(n) for n in word.split("x")) for word in text.split(","))
    for point in found:
        if len(point) != 2 or not 1 <= point[0] <= 64 or not 1 <= point[1] <= 16:
            raise ValueError("%s: points are NODESxSHARDS, at most 64x16" % text)
    return found


def steps(shapes):
    """Pairs (larger, smaller): with the same shards the fewest nodes, with the same nodes the fewest
    shards: what more of one brings."""
    for same, other in ((1, 0), (0, 1)):
        for shape in shapes:
            least = min((s for s in shapes if s[same] == shape[same]), key=lambda s: s[other])
            if least != shape:
                yield shape, least


def text(points):
    return ",".join("%dx%d" % point for point in points)
