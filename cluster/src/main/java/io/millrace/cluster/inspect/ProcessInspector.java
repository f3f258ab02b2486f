package io.millrace.cluster.inspect;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SensitiveValues;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.protocol.ProcessGateway;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.task.TaskStack;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks into this process. Any thread may call it; its work runs on io threads. */
public final class ProcessInspector implements ProcessGateway {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessInspector.class);
  private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");

  /** More samplings at once would disturb the tasks that they look at. */
  private static final int MAX_SAMPLINGS = 4;

  private final Env env;
  private final Mailbox mailbox;
  private final Configuration configuration;
  private final Optional<LogDirectory> logs;
  private final TaskStacks stacks;

  private final LogLevelControl levels = new LogLevelControl(LoggerFactory.getILoggerFactory());

  /** Confined to the mailbox. */
  private int samplings;

  /** Reads the stacks of tasks of this process. */
  @FunctionalInterface
  public interface TaskStacks {
    /** Of a process without tasks. */
    TaskStacks NONE = (tasks, depth) -> List.of();

    /**
     * @param depth how many frames of a stack are kept, from its outer end on
     */
    List<TaskStack> of(List<ExecutionId> tasks, int depth);
  }

  ProcessInspector(
      Env env,
      Mailbox mailbox,
      Configuration configuration,
      Optional<LogDirectory> logs,
      TaskStacks stacks) {
    this.env = env;
    this.mailbox = mailbox;
    this.configuration = configuration;
    this.logs = logs;
    this.stacks = stacks;
  }

  /**
   * Of the JobManager, which runs no tasks.
   *
   * @param logFile the file that the process logs to; empty if it logs to none
   */
  public static ProcessInspector ofJobManager(
      Env env, Configuration configuration, Optional<Path> logFile) {
    return new ProcessInspector(
        env, env.mailbox(NAME), configuration, directory(logFile), TaskStacks.NONE);
  }

  static Optional<LogDirectory> directory(Optional<Path> logFile) {
    return logFile.map(file -> new LogDirectory(file, standardOutput()));
  }

  /** The file to which the standard output of this process goes; if it is none, a name of none. */
  private static Path standardOutput() {
    try {
      return Files.readSymbolicLink(STANDARD_OUTPUT);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("It is not known where the standard output of this process goes", e);
      return STANDARD_OUTPUT;
    }
  }

  @Override
  public CompletableFuture<ProcessDescription> describeProcess(DescribeProcess request) {
    return env.io().call(mailbox, this::description);
  }

  private ProcessDescription description() {
    RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
    List<ConfiguredValue> values = new ArrayList<>();
    SensitiveValues.shown(configuration)
        .forEach((key, value) -> values.add(new ConfiguredValue(key, value)));
    return new ProcessDescription(
        values,
        runtime.getVmName()
            + " - "
            + runtime.getVmVendor()
            + " - "
            + runtime.getSpecVersion()
            + "/"
            + runtime.getVmVersion(),
        System.getProperty("os.arch"),
        SensitiveValues.shown(runtime.getInputArguments()),
        List.of(runtime.getClassPath().split(File.pathSeparator)));
  }

  @Override
  public CompletableFuture<LogFiles> listLogs(ListLogs request) {
    return env.io()
        .call(
            mailbox,
            () ->
                logs.isPresent()
                    ? logs.get().list()
                    : new LogFiles(List.of(), Optional.empty(), Optional.empty()));
  }

  @Override
  public CompletableFuture<LogPart> readLog(ReadLog request) {
    return env.io()
        .call(
            mailbox,
            () ->
                new LogPart(
                    logs.isPresent()
                        ? logs.get().read(request.name(), request.offset(), request.length())
                        : Optional.empty()));
  }

  @Override
  public CompletableFuture<ThreadDump> dumpThreads(DumpThreads request) {
    int depth = configuration.get(ClusterOptions.THREAD_DUMP_DEPTH);
    return env.io().call(mailbox, () -> ThreadTexts.dump(request.locks(), depth));
  }

  @Override
  public CompletableFuture<LogLevels> listLogLevels(ListLogLevels request) {
    return inMailbox(levels::list);
  }

  @Override
  public CompletableFuture<LogLevels> setLogLevel(SetLogLevel request) {
    return inMailbox(() -> levels.set(request.logger(), request.level()));
  }

  private <T> CompletableFuture<T> inMailbox(Supplier<T> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    mailbox.post(
        () -> {
          try {
            result.complete(action.get());
          } catch (MillraceException e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  @Override
  public CompletableFuture<StackSamples> sampleStacks(SampleStacks request) {
    CompletableFuture<StackSamples> result = new CompletableFuture<>();
    mailbox.post(
        () -> {
          if (samplings == MAX_SAMPLINGS) {
            result.completeExceptionally(
                new MillraceException(
                    ErrorKind.RESOURCE,
                    "The process already takes "
                        + MAX_SAMPLINGS
                        + " flame graphs at the same time. Try again in some seconds."));
            return;
          }
          samplings++;
          result.whenComplete((done, failure) -> samplings--);
          sample(request, new StackSampling(), 1, result);
        });
    return result;
  }

  private void sample(
      SampleStacks request,
      StackSampling sampling,
      int number,
      CompletableFuture<StackSamples> result) {
    env.io()
        .call(mailbox, () -> stacks.of(request.tasks(), request.depth()))
        .whenComplete(
            (sample, failure) -> {
              if (failure != null) {
                result.completeExceptionally(failure);
                return;
              }
              sampling.add(sample);
              if (number == request.samples()) {
                result.complete(sampling.result());
              } else {
                mailbox.after(
                    request.interval(), () -> sample(request, sampling, number + 1, result));
              }
            });
  }
}
