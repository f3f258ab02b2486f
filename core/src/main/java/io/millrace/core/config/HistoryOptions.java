package io.millrace.core.config;

import java.time.Duration;
import java.util.List;

/** The options about jobs that outlive their clusters. */
public final class HistoryOptions {
  public static final Option<String> ARCHIVE_DIR =
      Option.text(
          "jobmanager.archive.fs.dir",
          "Directory into which each ended job is written for the history server, one file a job.");
  public static final Option<List<String>> SERVED_DIRS =
      Option.list(
              "historyserver.archive.fs.dir",
              "",
              "Directories whose jobs the history server shows.")
          .perCommand();
  public static final Option<Duration> REFRESH_INTERVAL =
      Option.duration(
              "historyserver.archive.fs.refresh-interval",
              "10 s",
              "How often the history server looks for jobs that came or went.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Integer> RETAINED_JOBS =
      Option.integer(
              "historyserver.archive.retained-jobs",
              -1,
              "Jobs the history server leaves in each directory: older ones it deletes; -1 leaves all.")
          .atLeast(1)
          .or(-1)
          .perCommand();
  public static final Option<Integer> WEB_PORT =
      Option.integer(
              "historyserver.web.port", 8082, "Port of the history server; 0 takes a free one.")
          .between(0, 65535)
          .perCommand();

  private HistoryOptions() {}
}
