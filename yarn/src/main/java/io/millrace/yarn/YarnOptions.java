package io.millrace.yarn;

import io.millrace.core.config.Option;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** Options of clusters on Hadoop YARN. */
public final class YarnOptions {
  // --- the application
  public static final Option<String> APPLICATION_NAME =
      Option.text(
          "yarn.application.name",
          "Name of the application; the name of its job or mode by default.");
  public static final Option<String> APPLICATION_TYPE =
      Option.text("yarn.application.type", "Millrace", "Type of the application.");
  public static final Option<String> QUEUE =
      Option.text("yarn.application.queue", "Queue of the application; chosen by YARN by default.");
  public static final Option<Integer> PRIORITY =
      Option.integer(
              "yarn.application.priority",
              -1,
              "Priority of the application in its queue; higher is first; -1 is"
                  + " YARN's default.")
          .atLeast(0)
          .or(-1);
  public static final Option<String> NODE_LABEL =
      Option.text(
          "yarn.application.node-label",
          "Label of the nodes for the containers of the application.");
  public static final Option<String> TASK_MANAGER_NODE_LABEL =
      Option.text(
          "yarn.taskmanager.node-label", "Label of the nodes for TaskManagers, if different.");
  public static final Option<List<String>> TAGS =
      Option.list("yarn.tags", "", "Tags of the application.");
  public static final Option<Integer> ATTEMPTS =
      Option.integer(
              "yarn.application-attempts",
              "Maximum number of attempts of YARN to start the JobManager; 1 by"
                  + " default, and with high availability the maximum of YARN.")
          .atLeast(1);
  public static final Option<Duration> ATTEMPT_WINDOW =
      Option.duration(
              "yarn.application-attempt-failures-validity-interval",
              "10 s",
              "Only failures of the JobManager within this time count as attempts; -1"
                  + " ms counts all.")
          .atLeast("0 ms")
          .or("-1 ms");
  public static final Option<String> APPLICATION_ID =
      Option.text(
              "yarn.application.id",
              Pattern.compile("application_\\d+_\\d+"),
              "application_1700000000000_0001",
              "Id of the running application that commands act on.")
          .perCommand();

  /** YARN takes a '*' beside other characters for a name that nobody has. */
  private static final Pattern ACL = Pattern.compile("\\*|[^*]*");

  private static final String ACL_EXAMPLE = "alice,bob operators";

  public static final Option<String> VIEW_ACLS =
      Option.text(
          "yarn.view.acls",
          ACL,
          ACL_EXAMPLE,
          "Users and groups who may view the application and its logs, as YARN's 'user1,user2"
              + " group1,group2', ', group1' without users; '*' is everybody. The submitting user"
              + " and administrators always may.");
  public static final Option<String> MODIFY_ACLS =
      Option.text(
          "yarn.modify.acls",
          ACL,
          ACL_EXAMPLE,
          "Users and groups who may kill and change the application, in the same form.");

  // --- logs
  public static final Option<Pattern> ROLLED_LOGS_INCLUDE =
      Option.regex(
          "yarn.rolled-logs.include-pattern",
          "Names of log files that YARN aggregates while the application runs, if the cluster does"
              + " that. YARN deletes them then, so the pattern must match rolled files only, such as"
              + " '.*[.]log[.][0-9]+'.");
  public static final Option<Pattern> ROLLED_LOGS_EXCLUDE =
      Option.regex(
          "yarn.rolled-logs.exclude-pattern",
          "Names of log files that YARN does not aggregate while the application runs, also if the"
              + " other pattern matches them.");

  // --- security
  public static final Option<Pattern> TOKENS_CONF =
      Option.regex(
          "yarn.tokens-conf.pattern",
          "Properties of the client's Hadoop configuration that YARN's ResourceManager gets to renew"
              + " delegation tokens, for nameservices that its own configuration does not have.");

  // --- sizes
  public static final Option<Integer> MASTER_VCORES =
      Option.integer("yarn.appmaster.vcores", 1, "Virtual cores of the JobManager's container.")
          .atLeast(1);
  public static final Option<Integer> WORKER_VCORES =
      Option.integer(
              "yarn.containers.vcores",
              -1,
              "Virtual cores of a TaskManager's container; -1 is one per slot.")
          .atLeast(1)
          .or(-1);
  public static final Option<Integer> MAX_WORKERS =
      Option.integer(
              "yarn.max-taskmanagers",
              -1,
              "Maximum number of TaskManagers; -1 is the limit of the queue.")
          .atLeast(1)
          .or(-1);

  // --- files
  public static final Option<List<String>> PROVIDED_LIB_DIRS =
      Option.list(
          "yarn.provided.lib.dirs",
          "",
          "Directories on Hadoop's file system with the engine's libraries, shared by"
              + " all applications. Missing libraries are uploaded to the first one.");
  public static final Option<List<String>> SHIP_FILES =
      Option.list(
          "yarn.ship-files",
          "",
          "Files and directories that every container gets, by their names.");
  public static final Option<List<String>> SHIP_ARCHIVES =
      Option.list(
          "yarn.ship-archives", "", "Archives that every container gets unpacked, by their names.");
  public static final Option<UserJars> USER_JARS =
      Option.choice(
          "yarn.classpath.include-user-jar",
          UserJars.class,
          UserJars.DISABLED,
          "Position of the program's jars on the class path of containers: FIRST,"
              + " LAST, ORDER (by name), or DISABLED, which loads them only in the class"
              + " loaders of jobs.");
  public static final Option<String> STAGING_DIR =
      Option.text(
          "yarn.staging-directory",
          "Directory for the files of applications; the user's home directory by" + " default.");
  public static final Option<Integer> FILE_REPLICATION =
      Option.integer(
              "yarn.file-replication",
              -1,
              "Replication factor of the application's files; -1 is the file system's"
                  + " default.")
          .between(1, 32767)
          .or(-1);
  public static final Option<String> PROPERTIES_FILE_DIR =
      Option.text(
              "yarn.properties-file.location",
              "Directory of the file that names the current session; .millrace in the"
                  + " home directory by default.")
          .perCommand();

  // --- communication with YARN
  public static final Option<Duration> HEARTBEAT =
      Option.duration(
              "yarn.heartbeat.interval", "5 s", "Interval of heartbeats of the JobManager to YARN.")
          .atLeast("1 ms");
  public static final Option<Duration> REQUEST_HEARTBEAT =
      Option.duration(
              "yarn.heartbeat.container-request-interval",
              "250 ms",
              "Longest interval of heartbeats of the JobManager to YARN while it waits for"
                  + " containers. After a new request it begins with a fifth of it.")
          .atLeast("1 ms");
  public static final Option<Integer> NODE_EXCLUSION_FAILURES =
      Option.integer(
              "yarn.node-exclusion.failures",
              3,
              "Number of TaskManagers that may fail on a node within yarn.node-exclusion.window"
                  + " before the node is blocked; -1 blocks none. At most a third of the nodes is"
                  + " blocked so.")
          .atLeast(1)
          .or(-1);
  public static final Option<Duration> NODE_EXCLUSION_WINDOW =
      Option.duration(
              "yarn.node-exclusion.window",
              "10 min",
              "Time in which failures on a node are counted.")
          .atLeast("1 s");
  public static final Option<Duration> NODE_EXCLUSION_TIME =
      Option.duration(
              "yarn.node-exclusion.time",
              "1 h",
              "Time for which a node is blocked after failures of TaskManagers.")
          .atLeast("1 s");
  public static final Option<String> MASTER_ENVIRONMENT =
      Option.text(
          "containerized.master.env.<variable>",
          "Environment variable of the JobManager's container.");
  public static final Option<String> WORKER_ENVIRONMENT =
      Option.text(
          "containerized.taskmanager.env.<variable>",
          "Environment variable of the containers of TaskManagers.");
  public static final Option<String> EXTERNAL_RESOURCE_KEY =
      Option.text(
          "external-resource.<name>.yarn.config-key",
          "Name of the external resource in YARN, such as yarn.io/gpu.");

  private YarnOptions() {}

  /** Position of a program's jars on the class path of containers. */
  public enum UserJars {
    FIRST,
    LAST,
    ORDER,
    DISABLED
  }
}
