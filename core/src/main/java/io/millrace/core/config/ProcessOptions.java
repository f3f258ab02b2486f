package io.millrace.core.config;

/** Options of the driver {@code process} and of processes in general. */
public final class ProcessOptions {
  public static final Option<Integer> MAX_TASK_MANAGERS =
      Option.integer(
              "process.max-taskmanagers",
              -1,
              "Maximum number of TaskManagers of the driver process; -1 is one per" + " processor.")
          .atLeast(1)
          .or(-1);
  public static final Option<String> DIRECTORY =
      Option.text(
          "process.directory",
          "Directory in which the driver process stores files and logs of its"
              + " TaskManagers and finds them after a restart; a directory under ~/.millrace"
              + " by default.");
  public static final Option<String> ADDRESS_FILE =
      Option.text(
          "process.address-file",
          "File to which a process writes its bound addresses when it serves.");

  private ProcessOptions() {}
}
