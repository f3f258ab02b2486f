package io.millrace.core.config;

import java.time.Duration;
import java.util.List;

/** Options about how a program becomes a job graph. */
public final class PipelineOptions {
  public static final Option<Boolean> OPERATOR_CHAINING =
      Option.flag(
              "pipeline.operator-chaining.enabled",
              true,
              "Whether operators that can be chained run in one task.")
          .perJob();
  public static final Option<Integer> MAX_PARALLELISM =
      Option.integer(
              "pipeline.max-parallelism",
              -1,
              "Number of key groups, the limit of later rescaling; -1 derives it from the parallelism.")
          .between(1, 32768)
          .or(-1)
          .perJob();
  public static final Option<Duration> AUTO_WATERMARK_INTERVAL =
      Option.duration(
              "pipeline.auto-watermark-interval",
              "200 ms",
              "How often watermark generators are asked how far event time is.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<List<String>> GLOBAL_JOB_PARAMETERS =
      Option.list(
              "pipeline.global-job-parameters",
              "",
              "Keys, or beginnings of keys, that belong to the program, separated by commas: it finds them"
                  + " in the configuration of its environment, and -D takes them. Flink's form key:value"
                  + " is accepted, too.")
          .perJob();
  public static final Option<String> GLOBAL_JOB_PARAMETER =
      Option.text("pipeline.global-job-parameters.<parameter>", "A parameter of the program.")
          .perJob();
  public static final Option<String> USER_PARAMETER =
      Option.text("user.<parameter>", "A key of the program's own, which nothing else reads.")
          .perJob();

  private PipelineOptions() {}
}
