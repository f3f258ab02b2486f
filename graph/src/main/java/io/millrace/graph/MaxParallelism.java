package io.millrace.graph;

/** The default max parallelism of an operator. */
final class MaxParallelism {
  static final int LOWER_BOUND = 1 << 7;
  static final int UPPER_BOUND = 1 << 15;

  private MaxParallelism() {}

  /** 1.5 times the parallelism, rounded up to a power of two, so that a job can be scaled up. */
  static int derivedFrom(int parallelism) {
    long scaled = parallelism + parallelism / 2L;
    long power = scaled <= 1 ? 1 : Long.highestOneBit(scaled - 1) << 1;
    return (int) Math.min(UPPER_BOUND, Math.max(LOWER_BOUND, power));
  }
}
