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

  public static final Option<ClaimMode> CLAIM_MODE =
      Option.choice(
              "execution.state-recovery.claim-mode",
              ClaimMode.class,
              ClaimMode.NO_CLAIM,
              "Whom the savepoint or checkpoint belongs to with which the job starts. NO_CLAIM: to"
                  + " the user; the job never deletes it and does not need it after its first"
                  + " checkpoint. CLAIM: to the job, which deletes it after its first checkpoint"
                  + " (run -rm).")
          .perJob();

  public static final Option<Boolean> FROM_LOCAL =
      Option.flag(
              "execution.state-recovery.from-local",
              false,
              "Whether TaskManagers keep copies of the state that their tasks wrote for the last"
                  + " checkpoint on their local disks, and tasks that restart there read them"
                  + " instead of the files of the checkpoint.")
          .perJob();

  private StateRecoveryOptions() {}
}
