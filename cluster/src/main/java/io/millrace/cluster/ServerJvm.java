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
import java.util.function.Function;

/** A kind of server process, and how its JVM is set up; the launcher does the same. */
public final class ServerJvm {
  /**
   * Takes little memory and no data: small and quick to start. It may run a program, whose shutdown
   * hooks may hang.
   */
  public static final ServerJvm JOB_MANAGER =
      new ServerJvm(
          JobManagerProcess.class,
          CoreOptions.JOB_MANAGER_JVM_OPTIONS,
          configuration -> JobManagerMemory.of(configuration).jvmArguments(),
          "-XX:+UseSerialGC",
          ShutdownHooks.OPTION);

  /**
   * Class loaders of ended jobs are kept by soft references of the serialiser; without the second
   * option they would stay until memory is short. The third has Netty allocate as everybody else
   * does, so that MaxDirectMemorySize counts it.
   */
  public static final ServerJvm TASK_MANAGER =
      new ServerJvm(
          TaskManagerProcess.class,
          CoreOptions.TASK_MANAGER_JVM_OPTIONS,
          configuration -> TaskManagerMemory.of(configuration).jvmArguments(),
          "-XX:+UseParallelGC",
          "-XX:SoftRefLRUPolicyMSPerMB=0",
          "-Dio.netty.maxDirectMemory=0");

  /** The system property that names the file a process logs to. */
  public static final String LOG_FILE = "millrace.log.file";

  /** The system property that says how many bytes that file has at most. */
  public static final String LOG_SIZE = "millrace.log.max-size";

  /** The system property that says how many older ones are kept. */
  public static final String LOG_FILES = "millrace.log.max";

  /**
   * Code runs interpreted for longer than by default before it is compiled, and longer again before
   * it is optimised: most of what a start compiles early is never hot, and what is hot gets there
   * soon. Netty would load the flight recorder into every process. Text is UTF-8 whatever the
   * locale, as on newer JVMs.
   */
  private static final List<String> QUICK_START =
      List.of(
          "-XX:Tier3InvocationThreshold=1000",
          "-XX:Tier3MinInvocationThreshold=500",
          "-XX:Tier3CompileThreshold=10000",
          "-XX:Tier3BackEdgeThreshold=300000",
          "-XX:Tier4InvocationThreshold=50000",
          "-XX:Tier4MinInvocationThreshold=6000",
          "-XX:Tier4CompileThreshold=150000",
          "-XX:Tier4BackEdgeThreshold=400000",
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
   * The command that starts such a process with the Java, the libraries and the archive of this
   * one; {@code key=value} pairs that override its configuration may follow. Sizes that contradict
   * each other are refused.
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
   * The JVM options of such a process wherever it runs, but for those that say where its libraries
   * are. Configured ones come last and so win over ours.
   *
   * @param log the file it logs to
   */
  public List<String> options(Configuration configuration, String log) {
    List<String> options = new ArrayList<>(own);
    options.addAll(QUICK_START);
    options.addAll(memory.apply(configuration));
    options.addAll(logging(configuration, log));
    options.addAll(words(configuration.get(CoreOptions.JVM_OPTIONS)));
    options.addAll(words(configuration.get(configured)));
    return options;
  }

  /** What the JVM writes when it crashes or runs out of memory goes where the log is. */
  private static List<String> logging(Configuration configuration, String log) {
    String directory = log.substring(0, log.lastIndexOf('/'));
    return List.of(
        "-D" + LOG_FILE + "=" + log,
        "-D" + LOG_SIZE + "=" + configuration.get(CoreOptions.LOG_MAX_SIZE).bytes(),
        "-D" + LOG_FILES + "=" + configuration.get(CoreOptions.LOG_MAX_FILES),
        "-XX:ErrorFile=" + directory + "/hs_err_pid%p.log",
        "-XX:HeapDumpPath=" + directory);
  }

  /** The class whose main is such a process. */
  public Class<?> mainClass() {
    return main;
  }

  /** JVM options as configured, separated by blanks. */
  public static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }
}
