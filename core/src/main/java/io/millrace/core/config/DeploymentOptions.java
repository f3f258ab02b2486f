package io.millrace.core.config;

/** Options about where and how {@code run} deploys a job. */
public final class DeploymentOptions {
  public static final Option<String> TARGET =
      Option.text("execution.target", "local", "Deployment target of `run`: local or remote.")
          .perCommand();
  public static final Option<Boolean> ATTACHED =
      Option.flag("execution.attached", true, "Whether `run` waits for the job to end.")
          .perCommand();
  public static final Option<Boolean> SHUTDOWN_IF_ATTACHED =
      Option.flag(
              "execution.shutdown-on-attached-exit",
              false,
              "Whether a job that `run` waits for is cancelled when `run` ends: at"
                  + " once on Ctrl-C, and after client.heartbeat.timeout if the client or"
                  + " its machine fails.")
          .perCommand();

  private DeploymentOptions() {}
}
