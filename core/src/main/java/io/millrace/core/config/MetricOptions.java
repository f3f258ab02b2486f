package io.millrace.core.config;

import java.time.Duration;

/** Options of metrics. */
public final class MetricOptions {
  public static final Option<Duration> FETCHER_UPDATE_INTERVAL =
      Option.duration(
              "metrics.fetcher.update-interval",
              "10 s",
              "How old the metrics of functions and operators may be that REST shows, before they"
                  + " are fetched from the TaskManagers again; 0 fetches none. They are fetched"
                  + " only when somebody asks.")
          .atLeast("0 ms");

  private MetricOptions() {}
}
