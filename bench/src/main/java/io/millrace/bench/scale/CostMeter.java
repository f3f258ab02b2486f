package io.millrace.bench.scale;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;

/**
 * The cost of one side of the cluster: its events, its messages and, if timed, the CPU time and
 * allocations of this thread inside its events.
 */
final class CostMeter {
  private static final ThreadMXBean THREAD =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private final boolean timed;
  private final Map<String, Long> cpuOfParts = new TreeMap<>();
  private long cpuNanos;
  private long allocated;
  private long events;
  private long messages;
  private long bytes;
  private long startCpu;
  private long startAllocated;

  /** CPU time of the codec inside the current event. */
  private long codecInEvent;

  CostMeter(boolean timed) {
    this.timed = timed;
  }

  static long cpuOfThread() {
    return THREAD.getCurrentThreadCpuTime();
  }

  private static long allocatedByThread() {
    return THREAD.getCurrentThreadAllocatedBytes();
  }

  /**
   * The figures so far.
   *
   * @param parts CPU time by mailbox, with the codec as a separate part
   */
  record Reading(
      long cpuNanos,
      long allocated,
      long events,
      long messages,
      long bytes,
      Map<String, Long> parts) {
    Reading since(Reading before) {
      Map<String, Long> increase = new TreeMap<>();
      parts.forEach(
          (part, nanos) -> increase.put(part, nanos - before.parts.getOrDefault(part, 0L)));
      return new Reading(
          cpuNanos - before.cpuNanos,
          allocated - before.allocated,
          events - before.events,
          messages - before.messages,
          bytes - before.bytes,
          increase);
    }
  }

  Reading read() {
    return new Reading(cpuNanos, allocated, events, messages, bytes, new TreeMap<>(cpuOfParts));
  }

  /** Runs an event of this side. */
  void run(String part, Runnable event) {
    events++;
    if (!timed) {
      event.run();
      return;
    }
    begin();
    event.run();
    end(part);
  }

  private void begin() {
    codecInEvent = 0;
    startAllocated = allocatedByThread();
    startCpu = cpuOfThread();
  }

  private void end(String part) {
    long cpu = cpuOfThread() - startCpu;
    cpuNanos += cpu;
    allocated += allocatedByThread() - startAllocated;
    cpuOfParts.merge(part, cpu - codecInEvent, Long::sum);
    cpuOfParts.merge("codec", codecInEvent, Long::sum);
  }

  /** Accounts for the event so far, as if the rest were another event. */
  void split(String part) {
    if (timed) {
      end(part);
      begin();
    }
  }

  /** Counts a sent message. */
  void sent(int size) {
    messages++;
    bytes += size;
  }

  /** Starts the timer of the codec; 0 if this side is not timed. */
  long codecBegins() {
    return timed ? cpuOfThread() : 0;
  }

  void codecEnds(long began) {
    if (timed) {
      codecInEvent += cpuOfThread() - began;
    }
  }
}
