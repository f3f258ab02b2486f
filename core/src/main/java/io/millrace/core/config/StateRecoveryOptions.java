package io.millrace.core.config;

/** Options of jobs that start with the state of a savepoint or checkpoint. */
public final class StateRecoveryOptions {
  public static final Option<String> PATH =
      Option.text(
              "execution.state-recovery.path",
              "Savepoint or retained checkpoint with whose state the job starts (run -s).")
          .perJob();
  public static final Option<Boolean> IGNORE_UNCLAIMED_STATE =
      Option.flag(
              "execution.state-recovery.ignore-unclaimed-state",
              false,
              "Whether state of operators that the job does not have is dropped (run -n).")
          .perJob();

  private StateRecoveryOptions() {}
}
