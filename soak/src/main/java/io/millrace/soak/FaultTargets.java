package io.millrace.soak;

import java.util.Random;

/** What faults act on. */
record FaultTargets(
    SoakCluster cluster, FaultyDisk checkpoints, JobMonitor monitor, SoakJob job, Random random) {}
