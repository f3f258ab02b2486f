package com.example;

import java.util.concurrent.CountDownLatch;

/** What users write that holds a thread; in a package of its own, because stacks are searched. */
public final class Slow {
  private Slow() {}

  /** Waits, as for an answer from elsewhere. */
  public static void await(CountDownLatch gate) throws InterruptedException {
    gate.await();
  }

  /** Computes until it is told to end; interrupts do not reach it. */
  public static long compute(CountDownLatch gate) {
    long work = 0;
    while (gate.getCount() > 0) {
      work += System.nanoTime() & 1;
    }
    return work;
  }
}
