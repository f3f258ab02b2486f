package io.millrace.graph;

/** How many key groups an operator gets where the program does not say. */
final class MaxParallelism {
  static final int LOWER_BOUND = 1 << 7;
  static final int UPPER_BOUND = 1 << 15;

  private MaxParallelism() {}

  /** Half as much again, as a power of two, so that a job can grow without losing its state. */
  static int derivedFrom(int parallelism) {
    long roomy = parallelism + parallelism / 2L;
    long power = roomy <= 1 ? 1 : Long.highestOneBit(roomy - 1) << 1;
    return (int) Math.min(UPPER_BOUND, Math.max(LOWER_BOUND, power));
  }
}
