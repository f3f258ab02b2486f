package io.millrace.yarn;

import io.millrace.core.config.Option;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** The options about clusters on Hadoop YARN. */
public final class YarnOptions {
  // --- the application
  public static final Option<String> APPLICATION_NAME =
      Option.text(
          "yarn.application.name", "Name of the application; by default that of its job or mode.");
  public static final Option<String> APPLICATION_TYPE =
      Option.text("yarn.application.type", "Millrace", "Type of the application.");
  public static final Option<String> QUEUE =
      Option.text("yarn.application.queue", "Queue of the application; by default YARN chooses.");
  public static final Option<Integer> PRIORITY =
      Option.integer(
              "yarn.application.priority",
              -1,
              "Priority of the application among those of its queue, the highest first; -1 takes YARN's"
                  + " default.")
          .atLeast(0)
          .or(-1);
  public static final Option<String> NODE_LABEL =
      Option.text("yarn.application.node-label", "Label of the nodes its containers run on.");
  public static final Option<String> TASK_MANAGER_NODE_LABEL =
      Option.text(
          "yarn.taskmanager.node-label",
          "Label of the nodes TaskManagers run on, where it is another one.");
  public static final Option<List<String>> TAGS =
      Option.list("yarn.tags", "", "Tags of the application.");
  public static final Option<Integer> ATTEMPTS =
      Option.integer(
              "yarn.application-attempts",
              "How often YARN starts the JobManager at most. By default once, and with high"
                  + " availability as often as YARN allows.")
          .atLeast(1);
  public static final Option<Duration> ATTEMPT_WINDOW =
      Option.duration(
              "yarn.application-attempt-failures-validity-interval",
              "10 s",
              "Only failures of the JobManager within this time count as attempts; -1 ms counts all.")
          .atLeast("0 ms")
          .or("-1 ms");
  public static final Option<String> APPLICATION_ID =
      Option.text(
              "yarn.application.id",
              Pattern.compile("application_\\d+_\\d+"),
              "application_1700000000000_0001",
              "The running application that is meant.")
          .perCommand();

  // --- sizes
  public static final Option<Integer> MASTER_VCORES =
      Option.integer("yarn.appmaster.vcores", 1, "Virtual cores of the JobManager's container.")
          .atLeast(1);
  public static final Option<Integer> WORKER_VCORES =
      Option.integer(
              "yarn.containers.vcores",
              -1,
              "Virtual cores of a TaskManager's container; -1 takes one a slot.")
          .atLeast(1)
          .or(-1);
  public static final Option<Integer> MAX_WORKERS =
      Option.integer(
              "yarn.max-taskmanagers",
              -1,
              "TaskManagers at a time at most; -1 leaves it to the queue.")
          .atLeast(1)
          .or(-1);

  // --- files
  public static final Option<List<String>> PROVIDED_LIB_DIRS =
      Option.list(
          "yarn.provided.lib.dirs",
          "",
          "Directories on Hadoop's file system that the engine's libraries are kept in for all"
              + " applications. What is missing there is put into the first.");
  public static final Option<List<String>> SHIP_FILES =
      Option.list(
          "yarn.ship-files", "", "Files and directories that every container gets by their name.");
  public static final Option<List<String>> SHIP_ARCHIVES =
      Option.list(
          "yarn.ship-archives", "", "Archives that every container gets unpacked, by their name.");
  public static final Option<UserJars> USER_JARS =
      Option.choice(
          "yarn.classpath.include-user-jar",
          UserJars.class,
          UserJars.DISABLED,
          "Where the program's jars stand on the class path of the containers: FIRST, LAST, ORDER by"
              + " name, or DISABLED for not at all, which keeps them to the jobs' own class loaders.");
  public static final Option<String> STAGING_DIR =
      Option.text(
          "yarn.staging-directory",
          "Directory under which applications keep their files; by default the user's home.");
  public static final Option<Integer> FILE_REPLICATION =
      Option.integer(
              "yarn.file-replication",
              -1,
              "Replication of these files; -1 takes the file system's.")
          .between(1, 32767)
          .or(-1);
  public static final Option<String> PROPERTIES_FILE_DIR =
      Option.text(
              "yarn.properties-file.location",
              "Directory of the file that names the current session; by default .millrace at home.")
          .perCommand();

  // --- talking to YARN
  public static final Option<Duration> HEARTBEAT =
      Option.duration(
              "yarn.heartbeat.interval", "5 s", "How often the JobManager talks to YARN when idle.")
          .atLeast("1 ms");
  public static final Option<Duration> REQUEST_HEARTBEAT =
      Option.duration(
              "yarn.heartbeat.container-request-interval",
              "250 ms",
              "How often it does while it waits for containers.")
          .atLeast("1 ms");
  public static final Option<String> MASTER_ENVIRONMENT =
      Option.text(
          "containerized.master.env.<variable>",
          "Environment variable of the JobManager's container.");
  public static final Option<String> WORKER_ENVIRONMENT =
      Option.text(
          "containerized.taskmanager.env.<variable>",
          "Environment variable of TaskManagers' containers.");
  public static final Option<String> EXTERNAL_RESOURCE_KEY =
      Option.text(
          "external-resource.<name>.yarn.config-key",
          "What YARN calls the external resource, such as yarn.io/gpu.");

  private YarnOptions() {}

  /** Where a program's jars stand on the class path of containers. */
  public enum UserJars {
    FIRST,
    LAST,
    ORDER,
    DISABLED
  }
}
