package io.millrace.task;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** The metrics that the engine keeps of each task, with the names of Flink. */
public final class NamedTaskMetrics {
  public static final String INPUT_WATERMARK = "currentInputWatermark";
  public static final String OUTPUT_WATERMARK = "currentOutputWatermark";

  private NamedTaskMetrics() {}

  /**
   * The metrics of a task; zeros before its first report.
   *
   * @param counters the last report
   * @param rates those of a task that runs
   */
  public static Map<String, Number> of(Optional<TaskCounters> counters, TaskRates rates) {
    Map<String, Number> named = new LinkedHashMap<>();
    Each each = new Each(named, counters, rates);
    each.count("numRecordsIn", TaskCounters::recordsIn);
    each.count("numRecordsOut", TaskCounters::recordsOut);
    each.count("numBytesIn", TaskCounters::bytesIn);
    each.count("numBytesOut", TaskCounters::bytesOut);
    each.rate("numRecordsInPerSecond", TaskCounters::recordsIn);
    each.rate("numRecordsOutPerSecond", TaskCounters::recordsOut);
    each.rate("numBytesInPerSecond", TaskCounters::bytesIn);
    each.rate("numBytesOutPerSecond", TaskCounters::bytesOut);
    each.rate("busyTimeMsPerSecond", TaskCounters::busyMillis);
    each.rate("idleTimeMsPerSecond", TaskCounters::idleMillis);
    each.rate("backPressuredTimeMsPerSecond", TaskCounters::backPressuredMillis);
    each.count("accumulateBusyTimeMs", TaskCounters::busyMillis);
    each.count("accumulateIdleTimeMs", TaskCounters::idleMillis);
    each.count("accumulateBackPressuredTimeMs", TaskCounters::backPressuredMillis);
    each.eventTime(INPUT_WATERMARK, TaskEventTime::inputWatermark, TaskEventTime.NO_WATERMARK);
    each.eventTime(OUTPUT_WATERMARK, TaskEventTime::outputWatermark, TaskEventTime.NO_WATERMARK);
    each.eventTime("numLateRecordsDropped", TaskEventTime::lateRecordsDropped, 0);
    each.eventTime("numIdleInputs", TaskEventTime::idleInputs, 0);
    each.splits("numSplitsAssigned", TaskSplits::assigned);
    each.splits("numSplitsPending", TaskSplits::pending);
    return named;
  }

  private record Each(Map<String, Number> named, Optional<TaskCounters> counters, TaskRates rates) {
    void count(String name, ToLongFunction<TaskCounters> metric) {
      named.put(name, counters.map(metric::applyAsLong).orElse(0L));
    }

    void rate(String name, ToLongFunction<TaskCounters> metric) {
      named.put(name, rates.perSecond(metric));
    }

    void eventTime(String name, ToLongFunction<TaskEventTime> metric, long without) {
      named.put(
          name, counters.flatMap(TaskCounters::eventTime).map(metric::applyAsLong).orElse(without));
    }

    void splits(String name, ToLongFunction<TaskSplits> metric) {
      named.put(name, counters.flatMap(TaskCounters::splits).map(metric::applyAsLong).orElse(0L));
    }
  }
}
