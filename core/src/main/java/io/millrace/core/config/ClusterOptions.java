package io.millrace.core.config;

import java.time.Duration;

/** Options that every process of a cluster reads. */
public final class ClusterOptions {
  public static final Option<Duration> INITIAL_REGISTRATION_TIMEOUT =
      Option.duration(
              "cluster.registration.initial-timeout",
              "100 ms",
              "Time for the first attempt to register; doubles with each attempt.")
          .atLeast("1 ms");
  public static final Option<Duration> MAX_REGISTRATION_TIMEOUT =
      Option.duration(
              "cluster.registration.max-timeout",
              "30 s",
              "Longest time for an attempt to register.")
          .atLeast("1 ms");
  public static final Option<Duration> ERROR_REGISTRATION_DELAY =
      Option.duration(
              "cluster.registration.error-delay", "10 s", "Pause after an error while registering.")
          .atLeast("0 ms");
  public static final Option<Duration> REFUSED_REGISTRATION_DELAY =
      Option.duration(
              "cluster.registration.refused-registration-delay",
              "30 s",
              "Pause after a registration was refused.")
          .atLeast("0 ms");
  public static final Option<Boolean> EVENLY_SPREAD_OUT_SLOTS =
      Option.flag(
          "cluster.evenly-spread-out-slots",
          false,
          "Whether slots are taken from all workers evenly instead of filling one after the other.");
  public static final Option<UncaughtException> UNCAUGHT_EXCEPTION_HANDLING =
      Option.choice(
          "cluster.uncaught-exception-handling",
          UncaughtException.class,
          UncaughtException.LOG,
          "What a process does about an exception that ends one of its threads: log it, or end with code 2. It always ends when memory has run out.");

  private ClusterOptions() {}
}
