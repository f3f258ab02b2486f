package io.millrace.yarn.client;

/** What a cluster on YARN is for. */
enum DeploymentMode {
  /** One job, whose graph the client has made. */
  PER_JOB("yarn-per-job", "YarnJobProcess"),

  /** One program, whose main runs in the JobManager. */
  APPLICATION("yarn-application", "YarnApplicationProcess"),

  /** Whatever jobs come, until it is stopped. */
  SESSION("yarn-session", "YarnSessionProcess");

  private final String target;
  private final String process;

  DeploymentMode(String target, String process) {
    this.target = target;
    this.process = process;
  }

  /** The target's name. */
  String target() {
    return target;
  }

  /** By name: what a JobManager is made of is not loaded here. */
  String mainClass() {
    return "io.millrace.yarn.master." + process;
  }

  /** By which applications of this mode are found among those of YARN. */
  String tag() {
    return "millrace-" + target;
  }
}
