package io.millrace.core.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Options of the history server and its archive. */
public final class HistoryOptions {
  public static final Option<String> ARCHIVE_DIR =
      Option.text(
          "jobmanager.archive.fs.dir",
          "Directory in which the JobManager archives each ended job for the history"
              + " server, one file per job.");
  public static final Option<List<String>> SERVED_DIRS =
      Option.list(
              "historyserver.archive.fs.dir",
              "",
              "Directories of archived jobs that the history server shows.")
          .perCommand();
  public static final Option<Duration> REFRESH_INTERVAL =
      Option.duration(
              "historyserver.archive.fs.refresh-interval",
              "10 s",
              "Interval at which the history server scans its directories.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Integer> RETAINED_JOBS =
      Option.integer(
              "historyserver.archive.retained-jobs",
              -1,
              "Maximum number of archived jobs per directory; the history server"
                  + " deletes older ones; -1 keeps all.")
          .atLeast(1)
          .or(-1)
          .perCommand();
  public static final Option<PortRange> WEB_PORT =
      Option.ports(
              "historyserver.web.port",
              "8082",
              "Port of the history server; a range such as 50100-50200 binds a free port of it, 0"
                  + " any free port.")
          .perCommand();

  public static final Option<String> WEB_ADDRESS =
      Option.text(
          "historyserver.web.address",
          "Host under which users reach the history server. A cluster manager shows it as the link"
              + " of an application that has ended.");

  private HistoryOptions() {}

  /**
   * The address of the history server for links to it; empty unless its host and one port are
   * configured.
   */
  public static Optional<String> address(Configuration configuration) {
    OptionalInt port = configuration.get(WEB_PORT).single();
    return port.isEmpty()
        ? Optional.empty()
        : configuration.find(WEB_ADDRESS).map(host -> "http://" + host + ":" + port.getAsInt());
  }
}
