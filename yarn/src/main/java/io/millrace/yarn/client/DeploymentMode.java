package io.millrace.yarn.client;

/** The mode of a cluster on YARN. */
enum DeploymentMode {
  /** One job, whose graph the client has built. */
  PER_JOB("yarn-per-job", "YarnJobProcess"),

  /** One program, whose main runs in the JobManager. */
  APPLICATION("yarn-application", "YarnApplicationProcess"),

  /** Any jobs, until it is stopped. */
  SESSION("yarn-session", "YarnSessionProcess");

  private final String target;
  private final String process;

  DeploymentMode(String target, String process) {
    this.target = target;
    this.process = process;
  }

  /** The name of the target. */
  String target() {
    return target;
  }

  /** A name and not a class, because the client does not load classes of the JobManager. */
  String mainClass() {
    return "io.millrace.yarn.master." + process;
  }

  /** The tag of applications of this mode in YARN. */
  String tag() {
    return "millrace-" + target;
  }
}
