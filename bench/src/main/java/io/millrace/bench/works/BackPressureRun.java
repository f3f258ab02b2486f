package io.millrace.bench.works;

import io.millrace.bench.load.CheckpointTimes;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.Probe;

/** W10 on an embedded cluster: unaligned checkpoints while a slow function blocks its sources. */
public final class BackPressureRun {
  private BackPressureRun() {}

  public static void main(String[] arguments) throws Exception {
    JsonLine json = new JsonLine("millrace", "W10", "default");
    try (Running running =
        Running.start(
            env -> {
              env.configure("execution.checkpointing.interval", "1 s");
              env.configure("execution.checkpointing.unaligned.enabled", "true");
              env.configure("execution.checkpointing.dir", System.getProperty("checkpoints"));
              ThroughputRun.events(env, 10_000)
                  .keyBy(event -> event.key)
                  .sum(event -> event.value)
                  .rebalance()
                  .map(BackPressureRun::slowly)
                  .sinkTo(new CountSink<>(Probe.NONE));
            })) {
      CheckpointTimes.measure(json);
      json.print();
      // What waits would take minutes.
      running.job().cancel().get();
    }
  }

  private static <T> T slowly(T sum) throws InterruptedException {
    Thread.sleep(CheckpointTimes.SLOW_MILLIS);
    return sum;
  }
}
