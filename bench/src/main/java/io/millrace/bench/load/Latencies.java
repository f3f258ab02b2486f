package io.millrace.bench.load;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Records the latencies of sinks. The {@code timestamp} of an event is its scheduled time and
 * {@code value} is the time at which the source emitted it. Both are recorded, so that a stalled
 * source is visible.
 */
public final class Latencies {
  public static final int RATE = Integer.getInteger("rate", 50_000);
  public static final int KEYS = 10_000;

  public static volatile boolean recording;
  private static final List<Latencies> ALL = new CopyOnWriteArrayList<>();

  private final Histogram scheduled = new Histogram();
  private final Histogram emitted = new Histogram();

  public Latencies() {
    ALL.add(this);
  }

  public void record(long scheduledNanos, long emittedNanos) {
    if (recording) {
      long now = System.nanoTime();
      scheduled.record(now - scheduledNanos);
      emitted.record(now - emittedNanos);
    }
  }

  /** Waits for the warm-up, records for the measuring time, stops the sources and reports. */
  public static void measure(JsonLine json) throws InterruptedException {
    Thread.sleep(SteadyState.WARM_UP_S * 1000L);
    Cpu cpu = new Cpu();
    recording = true;
    Thread.sleep(SteadyState.MEASURE_S * 1000L);
    recording = false;
    cpu.report(json);
    RecordMeter.stop = true;
    Thread.sleep(200);
    Histogram scheduled = new Histogram();
    Histogram emitted = new Histogram();
    ALL.forEach(
        l -> {
          scheduled.add(l.scheduled);
          emitted.add(l.emitted);
        });
    json.put("p50Ms", scheduled.percentileMs(50))
        .put("p99Ms", scheduled.percentileMs(99))
        .put("p999Ms", scheduled.percentileMs(99.9))
        .put("maxMs", scheduled.maxMs())
        .put("emitP50Ms", emitted.percentileMs(50))
        .put("emitP99Ms", emitted.percentileMs(99))
        .put("emitP999Ms", emitted.percentileMs(99.9))
        .put("recordsPerS", (double) scheduled.count() / SteadyState.MEASURE_S);
  }

  /** Fixed-rate schedule of one source instance. */
  public static final class Pace {
    private final long start = System.nanoTime();
    private final double nanosPerRecord;
    private long emitted;

    public Pace(int instances) {
      nanosPerRecord = 1e9 * instances / RATE;
    }

    /** The time at which the next record is due. */
    public long due() {
      return start + (long) (emitted * nanosPerRecord);
    }

    public void emitted() {
      emitted++;
    }
  }
}
