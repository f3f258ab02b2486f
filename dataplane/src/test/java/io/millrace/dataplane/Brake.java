package io.millrace.dataplane;

import io.millrace.api.function.MapFunction;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Lets as many records pass a step of a program as a test permits. */
final class Brake {
  private final String name = Fixtures.share(this);
  private final Semaphore permits = new Semaphore(0);
  private final AtomicInteger passed = new AtomicInteger();
  private volatile boolean open;

  <T> MapFunction<T, T> function() {
    String shared = name;
    return record -> Fixtures.shared(shared, Brake.class).pass(record);
  }

  private <T> T pass(T record) throws InterruptedException {
    if (!open) {
      permits.acquire();
    }
    passed.incrementAndGet();
    return record;
  }

  /** The number of records that have passed. */
  int passed() {
    return passed.get();
  }

  void permit(int records) {
    permits.release(records);
  }

  /** Permits records only if one waits: a slow machine uses up no more than a fast one. */
  void permitWaiting(int records) {
    if (permits.hasQueuedThreads()) {
      permits.release(records);
    }
  }

  void open() {
    open = true;
    permits.release(1 << 20);
  }

  /** Holds all records again, those of the next run. */
  void close() {
    open = false;
    permits.drainPermits();
  }
}
