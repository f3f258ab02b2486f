package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.util.List;

/** Options about class loading, temporary files, JVMs and logs of every process. */
public final class CoreOptions {
  public static final Option<Integer> DEFAULT_PARALLELISM =
      Option.integer("parallelism.default", 1, "Default parallelism of operators.")
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
              "Prefixes of classes that a program never loads from its own jar.")
          .perCommand();
  public static final Option<List<String>> PARENT_FIRST_PATTERNS_ADDITIONAL =
      Option.list(
              "classloader.parent-first-patterns.additional",
              "",
              "Additional parent-first prefixes. A prefix of a library of the engine"
                  + " makes the library visible.")
          .perCommand();
  public static final Option<List<String>> PLUGIN_PARENT_FIRST_PATTERNS =
      Option.list(
              "plugin.classloader.parent-first-patterns.default",
              "java.;io.millrace.;org.slf4j;ch.qos.logback",
              "Prefixes of classes that plugins share with the engine; all other"
                  + " classes of the engine are hidden.")
          .perCommand();
  public static final Option<List<String>> PLUGIN_PARENT_FIRST_PATTERNS_ADDITIONAL =
      Option.list(
              "plugin.classloader.parent-first-patterns.additional",
              "",
              "Additional prefixes of classes that plugins share with the engine.")
          .perCommand();
  public static final Option<String> JVM_OPTIONS =
      Option.text("env.java.opts.all", "", "JVM options of all processes.").perCommand();
  public static final Option<String> JOB_MANAGER_JVM_OPTIONS =
      Option.text("env.java.opts.jobmanager", "", "JVM options of the JobManager.");
  public static final Option<String> TASK_MANAGER_JVM_OPTIONS =
      Option.text("env.java.opts.taskmanager", "", "JVM options of TaskManagers.");
  public static final Option<String> CLIENT_JVM_OPTIONS =
      Option.text("env.java.opts.client", "", "JVM options of the command line.").perCommand();
  public static final Option<MemorySize> LOG_MAX_SIZE =
      Option.memory(
              "env.log.max-size",
              "32mb",
              "Maximum size of a log file; a larger one is renamed and a new one is" + " created.")
          .atLeast("64kb");
  public static final Option<Integer> LOG_MAX_FILES =
      Option.integer("env.log.max", 5, "Number of renamed log files that a process keeps.")
          .between(1, 20);
  public static final Option<LogFormat> LOG_FORMAT =
      Option.choice(
          "env.log.format",
          LogFormat.class,
          LogFormat.TEXT,
          "Form of the lines in the log files of the processes of a cluster: text, or one JSON"
              + " object per line.");

  public static final Option<String> HADOOP_SETTING =
      Option.text(
              "flink.hadoop.<key>",
              "Sets this key in the configuration of Hadoop, over the files in HADOOP_CONF_DIR.")
          .perCommand();

  private CoreOptions() {}
}
