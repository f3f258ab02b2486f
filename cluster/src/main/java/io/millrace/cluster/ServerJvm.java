package io.millrace.cluster;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.Option;
import io.millrace.core.memory.JobManagerMemory;
import io.millrace.core.memory.TaskManagerMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The JVM of a kind of server process: main class and options. The launcher uses the same. */
public final class ServerJvm {
  /**
   * The JobManager needs little memory and processes no records, so its JVM is small and starts
   * fast. It may run a program, whose shutdown hooks may hang.
   */
  public static final ServerJvm JOB_MANAGER =
      new ServerJvm(
          JobManagerProcess.class,
          CoreOptions.JOB_MANAGER_JVM_OPTIONS,
          configuration -> JobManagerMemory.of(configuration).jvmArguments(),
          "-XX:+UseSerialGC",
          ShutdownHooks.OPTION);

  /**
   * The serialiser keeps class loaders of ended jobs with soft references; without the second
   * option they would stay until memory is short. With the third, Netty allocates direct memory
   * through the JDK, so that MaxDirectMemorySize limits it.
   */
  public static final ServerJvm TASK_MANAGER =
      new ServerJvm(
          TaskManagerProcess.class,
          CoreOptions.TASK_MANAGER_JVM_OPTIONS,
          configuration -> TaskManagerMemory.of(configuration).jvmArguments(),
          "-XX:+UseParallelGC",
          "-XX:SoftRefLRUPolicyMSPerMB=0",
          "-Dio.netty.maxDirectMemory=0");

  /** The system property with the name of the log file. */
  public static final String LOG_FILE = "millrace.log.file";

  /** The system property with the maximum number of bytes of the log file. */
  public static final String LOG_SIZE = "millrace.log.max-size";

  /** The system property with the number of older log files that are kept. */
  public static final String LOG_FILES = "millrace.log.max";

  /** The system property with the form of log lines: {@code TEXT} or {@code JSON}. */
  public static final String LOG_FORMAT = "millrace.log.format";

  /**
   * Higher compilation thresholds than the defaults: most methods that a start would compile early
   * are not hot, and hot methods reach the thresholds soon. The archive of classes is mapped at the
   * address for which it was made, if that is free: at another one the JVM would first change all
   * pointers in its 50 to 90 MB. Netty must not load the flight recorder. Text is UTF-8 in all
   * locales, as on newer JVMs.
   */
  private static final List<String> START_UP_OPTIONS =
      List.of(
          "-XX:Tier3InvocationThreshold=1000",
          "-XX:Tier3MinInvocationThreshold=500",
          "-XX:Tier3CompileThreshold=10000",
          "-XX:Tier3BackEdgeThreshold=300000",
          "-XX:Tier4InvocationThreshold=50000",
          "-XX:Tier4MinInvocationThreshold=6000",
          "-XX:Tier4CompileThreshold=150000",
          "-XX:Tier4BackEdgeThreshold=400000",
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:ArchiveRelocationMode=0",
          "-Dio.netty.jfr.enabled=false",
          "-Dfile.encoding=UTF-8");

  private final Class<?> main;
  private final Option<String> configured;
  private final Function<Configuration, List<String>> memory;
  private final List<String> own;

  private ServerJvm(
      Class<?> main,
      Option<String> configured,
      Function<Configuration, List<String>> memory,
      String... own) {
    this.main = main;
    this.configured = configured;
    this.memory = memory;
    this.own = List.of(own);
  }

  /**
   * The command of such a process with the Java, the libraries and the shared archive of this
   * process. {@code key=value} pairs that override the configuration may follow. Throws if memory
   * sizes contradict each other.
   */
  public List<String> command(Configuration configuration, Distribution distribution, Path log)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options(configuration, log.toString()));
    command.addAll(distribution.serverLibraries());
    command.add(main.getName());
    return command;
  }

  /**
   * The JVM options of such a process on any machine, without those for its libraries. Configured
   * options are last, so they take precedence.
   *
   * @param log the log file
   */
  public List<String> options(Configuration configuration, String log) {
    List<String> options = new ArrayList<>(own);
    options.addAll(START_UP_OPTIONS);
    options.addAll(memory.apply(configuration));
    options.addAll(logging(configuration, log));
    options.addAll(words(configuration.get(CoreOptions.JVM_OPTIONS)));
    options.addAll(words(configuration.get(configured)));
    return options;
  }

  /** Crash reports and heap dumps are written beside the log. */
  private static List<String> logging(Configuration configuration, String log) {
    String directory = log.substring(0, log.lastIndexOf('/'));
    return List.of(
        "-D" + LOG_FILE + "=" + log,
        "-D" + LOG_SIZE + "=" + configuration.get(CoreOptions.LOG_MAX_SIZE).bytes(),
        "-D" + LOG_FORMAT + "=" + configuration.get(CoreOptions.LOG_FORMAT),
        "-D" + LOG_FILES + "=" + configuration.get(CoreOptions.LOG_MAX_FILES),
        "-XX:ErrorFile=" + directory + "/hs_err_pid%p.log",
        "-XX:HeapDumpPath=" + directory);
  }

  /** The file that this process logs to; empty if it logs to none. */
  static Optional<Path> logFile() {
    return Optional.ofNullable(System.getProperty(LOG_FILE)).map(Path::of);
  }

  /** The main class of such a process. */
  public Class<?> mainClass() {
    return main;
  }

  /** Splits configured JVM options at blanks. */
  public static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }
}
