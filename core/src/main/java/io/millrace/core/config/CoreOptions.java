package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.util.List;

/** Options about class loading, temporary files, JVMs and logs of every process. */
public final class CoreOptions {
  public static final Option<Integer> DEFAULT_PARALLELISM =
      Option.integer(
              "parallelism.default", 1, "Parallelism of operators for which the program sets none.")
          .between(1, 32768)
          .perJob();
  public static final Option<String> TMP_DIRS =
      Option.text(
              "io.tmp.dirs", System.getProperty("java.io.tmpdir"), "Directory for temporary files.")
          .perCommand();
  public static final Option<List<String>> PARENT_FIRST_PATTERNS =
      Option.list(
              "classloader.parent-first-patterns.default",
              "java.;javax.;jdk.;sun.;io.millrace.;org.slf4j;ch.qos.logback",
              "Prefixes of classes a program never loads from its own jar.")
          .perCommand();
  public static final Option<List<String>> PARENT_FIRST_PATTERNS_ADDITIONAL =
      Option.list(
              "classloader.parent-first-patterns.additional",
              "",
              "Further such prefixes. One that names a library of the engine makes it visible.")
          .perCommand();
  public static final Option<List<String>> PLUGIN_PARENT_FIRST_PATTERNS =
      Option.list(
              "plugin.classloader.parent-first-patterns.default",
              "java.;io.millrace.;org.slf4j;ch.qos.logback",
              "Prefixes of classes that plugins share with the engine; it hides all others from them.")
          .perCommand();
  public static final Option<List<String>> PLUGIN_PARENT_FIRST_PATTERNS_ADDITIONAL =
      Option.list(
              "plugin.classloader.parent-first-patterns.additional",
              "",
              "Further prefixes of classes that plugins share with the engine.")
          .perCommand();
  public static final Option<String> JVM_OPTIONS =
      Option.text("env.java.opts.all", "", "JVM options for every process.").perCommand();
  public static final Option<String> JOB_MANAGER_JVM_OPTIONS =
      Option.text("env.java.opts.jobmanager", "", "JVM options for the JobManager.");
  public static final Option<String> TASK_MANAGER_JVM_OPTIONS =
      Option.text("env.java.opts.taskmanager", "", "JVM options for TaskManagers.");
  public static final Option<String> CLIENT_JVM_OPTIONS =
      Option.text("env.java.opts.client", "", "JVM options for the command line.").perCommand();
  public static final Option<MemorySize> LOG_MAX_SIZE =
      Option.memory(
              "env.log.max-size",
              "32mb",
              "Size at which the log file of a process is renamed and a new one begun.")
          .atLeast("64kb");
  public static final Option<Integer> LOG_MAX_FILES =
      Option.integer("env.log.max", 5, "How many renamed log files of a process are kept.")
          .between(1, 20);

  private CoreOptions() {}
}
