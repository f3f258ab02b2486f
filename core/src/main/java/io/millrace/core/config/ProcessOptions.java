package io.millrace.core.config;

/** Options of the driver {@code process}, and of processes as such. */
public final class ProcessOptions {
  public static final Option<Integer> MAX_TASK_MANAGERS =
      Option.integer(
              "process.max-taskmanagers",
              -1,
              "TaskManagers the driver process has at a time at most; -1 takes one per processor.")
          .atLeast(1)
          .or(-1);
  public static final Option<String> DIRECTORY =
      Option.text(
          "process.directory",
          "Where the driver process keeps files and logs of its TaskManagers, and finds them again after a restart; under ~/.millrace where unset.");
  public static final Option<String> ADDRESS_FILE =
      Option.text(
          "process.address-file",
          "File into which a process writes its actual addresses once it serves.");

  private ProcessOptions() {}
}
