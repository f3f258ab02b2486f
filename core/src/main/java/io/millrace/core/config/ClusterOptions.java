package io.millrace.core.config;

import java.time.Duration;

/** Options that every process of a cluster reads. */
public final class ClusterOptions {
  public static final Option<Duration> INITIAL_REGISTRATION_TIMEOUT =
      Option.duration(
              "cluster.registration.initial-timeout",
              "100 ms",
              "Time-out of the first registration attempt; doubles with each attempt.")
          .atLeast("1 ms");
  public static final Option<Duration> MAX_REGISTRATION_TIMEOUT =
      Option.duration(
              "cluster.registration.max-timeout",
              "30 s",
              "Maximum time-out of a registration attempt.")
          .atLeast("1 ms");
  public static final Option<Duration> ERROR_REGISTRATION_DELAY =
      Option.duration(
              "cluster.registration.error-delay",
              "10 s",
              "Delay of the next registration attempt after an error.")
          .atLeast("0 ms");
  public static final Option<Duration> REFUSED_REGISTRATION_DELAY =
      Option.duration(
              "cluster.registration.refused-registration-delay",
              "30 s",
              "Delay of the next registration attempt after a refusal.")
          .atLeast("0 ms");
  public static final Option<Boolean> EVENLY_SPREAD_OUT_SLOTS =
      Option.flag(
          "cluster.evenly-spread-out-slots",
          false,
          "Whether slots are allocated evenly from all TaskManagers instead of one"
              + " TaskManager after the other.");
  public static final Option<UncaughtException> UNCAUGHT_EXCEPTION_HANDLING =
      Option.choice(
          "cluster.uncaught-exception-handling",
          UncaughtException.class,
          UncaughtException.LOG,
          "What a process does after an uncaught exception in one of its threads: log"
              + " it, or exit with code 2. After an OutOfMemoryError it always exits.");

  public static final Option<ThreadDumpMode> THREAD_DUMP_MODE =
      Option.choice(
          "cluster.thread-dump.default-mode",
          ThreadDumpMode.class,
          ThreadDumpMode.LITE,
          "What a thread dump shows: lite shows stacks and the lock that a thread waits for, full"
              + " also the locks that it holds.");
  public static final Option<Integer> THREAD_DUMP_DEPTH =
      Option.integer(
              "cluster.thread-dump.stacktrace-max-depth",
              64,
              "Maximum number of frames per thread in a thread dump.")
          .between(1, 1000);

  private ClusterOptions() {}
}
