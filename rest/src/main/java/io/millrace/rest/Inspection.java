package io.millrace.rest;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ThreadDumpMode;
import io.millrace.protocol.ProcessGateway;
import java.util.Objects;

/**
 * How REST looks into processes.
 *
 * @param jobManager looks into the process of this server
 * @param threadDumps what a thread dump shows unless a request says it
 */
public record Inspection(
    ProcessGateway jobManager, ThreadDumpMode threadDumps, FlameGraphSettings flameGraphs) {
  public Inspection {
    Objects.requireNonNull(jobManager);
    Objects.requireNonNull(threadDumps);
    Objects.requireNonNull(flameGraphs);
  }

  /** As the options say. */
  public static Inspection of(Configuration configuration, ProcessGateway jobManager) {
    return new Inspection(
        jobManager,
        configuration.get(ClusterOptions.THREAD_DUMP_MODE),
        FlameGraphSettings.of(configuration));
  }
}
