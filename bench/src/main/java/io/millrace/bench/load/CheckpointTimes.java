package io.millrace.bench.load;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The times from the first snapshot of a source to the notice that its checkpoint is complete. A
 * source takes its snapshot as soon as the trigger reaches it, whatever waits behind it.
 */
public final class CheckpointTimes {
  /** How long the slow function takes for a record. */
  public static final long SLOW_MILLIS = 1;

  private static final Map<Long, Long> BEGAN = new ConcurrentHashMap<>();
  private static final Map<Long, Long> NANOS = new ConcurrentHashMap<>();

  private CheckpointTimes() {}

  /** A source takes its snapshot. */
  public static void began(long checkpoint) {
    BEGAN.putIfAbsent(checkpoint, System.nanoTime());
  }

  /** A source is told that the checkpoint is complete. */
  public static void completed(long checkpoint) {
    Long began = BEGAN.get(checkpoint);
    if (began != null) {
      NANOS.putIfAbsent(checkpoint, System.nanoTime() - began);
    }
  }

  /**
   * Waits for the warm-up and the measuring time, reports the checkpoints that began and completed
   * after the warm-up, and stops the sources.
   */
  public static void measure(JsonLine json) throws InterruptedException {
    Thread.sleep(SteadyState.WARM_UP_S * 1000L);
    long start = System.nanoTime();
    long out = RecordMeter.out();
    Cpu cpu = new Cpu();
    Thread.sleep(SteadyState.MEASURE_S * 1000L);
    cpu.report(json);
    double[] seconds =
        NANOS.entrySet().stream()
            .filter(each -> BEGAN.get(each.getKey()) >= start)
            .mapToDouble(each -> each.getValue() / 1e9)
            .sorted()
            .toArray();
    json.put("recordsPerS", (double) (RecordMeter.out() - out) / SteadyState.MEASURE_S)
        .put("checkpoints", seconds.length);
    if (seconds.length > 0) {
      json.put("medianS", seconds[seconds.length / 2]).put("maxS", seconds[seconds.length - 1]);
    }
    RecordMeter.stop = true;
  }
}
