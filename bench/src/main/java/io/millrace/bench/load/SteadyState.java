package io.millrace.bench.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Samples {@link RecordMeter} once a second: warm-up first, then the steady state. */
public final class SteadyState {
  /** Core-seconds of this process. */
  public static final int WARM_UP_S = Integer.getInteger("warmup", 15);

  public static final int MEASURE_S = Integer.getInteger("measure", 25);

  /** With fewer keys, records in flight use more memory than the state. */
  private static final int MANY_KEYS = 100_000;

  /** The part of the warm-up for a job that has run before in this process. */
  private static final int WARM_PART = 4;

  private SteadyState() {}

  /** Measures, stops the sources and adds the figures to {@code json}. */
  public static void measure(JsonLine json) throws InterruptedException {
    awaitFirst(0);
    measure(json, WARM_UP_S, Long.MAX_VALUE);
  }

  /** Waits until the sources have sent more than so many records. */
  private static void awaitFirst(long before) throws InterruptedException {
    while (RecordMeter.in() <= before) {
      Thread.sleep(10);
    }
  }

  /**
   * @param most the sources end by themselves after so many records
   */
  private static void measure(JsonLine json, int warmUp, long most) throws InterruptedException {
    json.put("warmUpCoreSeconds", Cpu.warmUp(warmUp));
    List<Long> perSecond = new ArrayList<>();
    List<Double> perCore = new ArrayList<>();
    long startIn = RecordMeter.in();
    long startNanos = System.nanoTime();
    long lastIn = startIn;
    long lastNanos = startNanos;
    long gcBefore = gcMillis();
    Cpu cpu = new Cpu();
    double lastCpu = 0;
    long fastest = 0;
    while (perSecond.size() < MEASURE_S && lastIn + fastest < most) {
      Thread.sleep(1000);
      long now = System.nanoTime();
      long in = RecordMeter.in();
      perSecond.add(Math.round((in - lastIn) * 1e9 / (now - lastNanos)));
      perCore.add((in - lastIn) / Math.max(1e-3, cpu.ownSeconds() - lastCpu));
      lastCpu = cpu.ownSeconds();
      fastest = Math.max(fastest, in - lastIn);
      lastIn = in;
      lastNanos = now;
    }
    if (lastIn >= most || perSecond.isEmpty()) {
      throw new IllegalStateException(
          "The sources have sent "
              + lastIn
              + " records before the end of the measurement, and have no more than "
              + most
              + ". Give them more records, or shorten the warm-up.");
    }
    long gc = gcMillis() - gcBefore;
    json.put("rssMb", Memory.rssMb()).put("peakRssMb", Memory.peakRssMb());
    cpu.report(json);
    if (!Double.isNaN(Memory.baseHeapMb())) {
      double live = Memory.liveHeapMb();
      double keys = Memory.distinctKeys(RecordMeter.in());
      json.put("liveHeapMb", live).put("baseHeapMb", Memory.baseHeapMb());
      if (keys >= MANY_KEYS) {
        json.put("keys", keys)
            .put("heapPerKeyBytes", (live - Memory.baseHeapMb()) * 1048576 / keys);
      }
    }
    RecordMeter.stop = true;
    int seconds = perSecond.size();
    Collections.sort(perSecond);
    Collections.sort(perCore);
    json.put("recordsPerS", Math.round((lastIn - startIn) * 1e9 / (lastNanos - startNanos)))
        .put("medianSecond", perSecond.get(seconds / 2))
        .put("p90Second", perSecond.get(seconds * 9 / 10))
        // The seconds with the least interference of other processes.
        .put("p90PerCoreSecond", perCore.get(seconds * 9 / 10))
        .put("minSecond", perSecond.get(0))
        .put("maxSecond", perSecond.get(seconds - 1))
        .put("measuredS", seconds)
        .put("gcMs", gc);
  }

  /**
   * Measures the second of two equal jobs, which both end after a number of records. The first one
   * is the warm-up.
   *
   * @param records those of one job
   * @param server the id of the process of a server that the jobs use
   */
  public static void measureSecond(JsonLine json, long records, long server)
      throws InterruptedException, IOException {
    long before = RecordMeter.in();
    awaitFirst(before);
    double atStart = Cpu.secondsOf(server);
    measure(json, Math.max(1, WARM_UP_S / WARM_PART), before + records);
    // From the first record on: a server reads ahead.
    double used = Cpu.secondsOf(server) - atStart;
    json.put("serverCoreSeconds", used)
        .put("serverPerCoreSecond", (RecordMeter.in() - before) / Math.max(1e-3, used));
  }

  private static long gcMillis() {
    return java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(java.lang.management.GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }
}
