package io.millrace.core.config;

import java.time.Duration;
import java.util.List;

/** Options of the translation of a program into a job graph. */
public final class PipelineOptions {
  public static final Option<Boolean> OPERATOR_CHAINING =
      Option.flag(
              "pipeline.operator-chaining.enabled",
              true,
              "Whether operators are chained into one task where possible.")
          .perJob();
  public static final Option<Integer> MAX_PARALLELISM =
      Option.integer(
              "pipeline.max-parallelism",
              -1,
              "Number of key groups, which limits later rescaling; -1 derives it from"
                  + " the parallelism.")
          .between(1, 32768)
          .or(-1)
          .perJob();
  public static final Option<Duration> AUTO_WATERMARK_INTERVAL =
      Option.duration(
              "pipeline.auto-watermark-interval",
              "200 ms",
              "Interval at which watermark generators emit watermarks.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<List<String>> GLOBAL_JOB_PARAMETERS =
      Option.list(
              "pipeline.global-job-parameters",
              "",
              "Keys or prefixes of keys of the program, separated by commas. The"
                  + " program reads them from the configuration of its environment, and -D"
                  + " accepts them. Flink's format key:value is accepted, too.")
          .perJob();
  public static final Option<String> GLOBAL_JOB_PARAMETER =
      Option.text("pipeline.global-job-parameters.<parameter>", "A parameter of the program.")
          .perJob();
  public static final Option<String> USER_PARAMETER =
      Option.text("user.<parameter>", "A key for the program; the engine does not read it.")
          .perJob();

  private PipelineOptions() {}
}
