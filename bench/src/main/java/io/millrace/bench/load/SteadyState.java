package io.millrace.bench.load;

import java.util.Arrays;

/** Samples {@link RecordMeter} once a second: warm-up first, then the steady state. */
public final class SteadyState {
  /** Core-seconds of this process. */
  public static final int WARM_UP_S = Integer.getInteger("warmup", 15);

  public static final int MEASURE_S = Integer.getInteger("measure", 25);

  /** With fewer keys, records in flight use more memory than the state. */
  private static final int MANY_KEYS = 100_000;

  private SteadyState() {}

  /** Measures, stops the sources and adds the figures to {@code json}. */
  public static void measure(JsonLine json) throws InterruptedException {
    while (RecordMeter.in() == 0) {
      Thread.sleep(10);
    }
    json.put("warmUpCoreSeconds", Cpu.warmUp(WARM_UP_S));
    long[] perSecond = new long[MEASURE_S];
    double[] perCore = new double[MEASURE_S];
    long startIn = RecordMeter.in();
    long startNanos = System.nanoTime();
    long lastIn = startIn;
    long lastNanos = startNanos;
    long gcBefore = gcMillis();
    Cpu cpu = new Cpu();
    double lastCpu = 0;
    for (int i = 0; i < MEASURE_S; i++) {
      Thread.sleep(1000);
      long now = System.nanoTime();
      long in = RecordMeter.in();
      perSecond[i] = Math.round((in - lastIn) * 1e9 / (now - lastNanos));
      perCore[i] = (in - lastIn) / Math.max(1e-3, cpu.ownSeconds() - lastCpu);
      lastCpu = cpu.ownSeconds();
      lastIn = in;
      lastNanos = now;
    }
    long gc = gcMillis() - gcBefore;
    json.put("rssMb", Memory.rssMb()).put("peakRssMb", Memory.peakRssMb());
    cpu.report(json);
    double live = Memory.liveHeapMb();
    double keys = Memory.distinctKeys(RecordMeter.in());
    json.put("liveHeapMb", live).put("baseHeapMb", Memory.baseHeapMb());
    if (keys >= MANY_KEYS) {
      json.put("keys", keys).put("heapPerKeyBytes", (live - Memory.baseHeapMb()) * 1048576 / keys);
    }
    RecordMeter.stop = true;
    Arrays.sort(perSecond);
    Arrays.sort(perCore);
    json.put("recordsPerS", Math.round((lastIn - startIn) * 1e9 / (lastNanos - startNanos)))
        .put("medianSecond", perSecond[MEASURE_S / 2])
        .put("p90Second", perSecond[MEASURE_S * 9 / 10])
        // The seconds with the least interference of other processes.
        .put("p90PerCoreSecond", perCore[MEASURE_S * 9 / 10])
        .put("minSecond", perSecond[0])
        .put("maxSecond", perSecond[MEASURE_S - 1])
        .put("measuredS", MEASURE_S)
        .put("gcMs", gc);
  }

  private static long gcMillis() {
    return java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream()
        .mapToLong(java.lang.management.GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }
}
