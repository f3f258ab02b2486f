package io.millrace.cluster.inspect;

import io.millrace.core.config.Configuration;
import io.millrace.protocol.ProcessGateway;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Lets the JobManager look into the process of a TaskManager. */
public final class ProcessEndpoint extends Endpoint implements ProcessGateway {
  private final ProcessInspector inspector;

  /**
   * @param logFile the file that the process logs to; empty if it logs to none
   */
  public ProcessEndpoint(
      Rpc rpc,
      Configuration configuration,
      Optional<Path> logFile,
      ProcessInspector.TaskStacks stacks) {
    super(rpc, NAME, Optional.empty());
    this.inspector =
        new ProcessInspector(
            env, mailbox, configuration, ProcessInspector.directory(logFile), stacks);
  }

  @Override
  public CompletableFuture<ProcessDescription> describeProcess(DescribeProcess request) {
    return inspector.describeProcess(request);
  }

  @Override
  public CompletableFuture<LogFiles> listLogs(ListLogs request) {
    return inspector.listLogs(request);
  }

  @Override
  public CompletableFuture<LogPart> readLog(ReadLog request) {
    return inspector.readLog(request);
  }

  @Override
  public CompletableFuture<ThreadDump> dumpThreads(DumpThreads request) {
    return inspector.dumpThreads(request);
  }

  @Override
  public CompletableFuture<LogLevels> listLogLevels(ListLogLevels request) {
    return inspector.listLogLevels(request);
  }

  @Override
  public CompletableFuture<LogLevels> setLogLevel(SetLogLevel request) {
    return inspector.setLogLevel(request);
  }

  @Override
  public CompletableFuture<StackSamples> sampleStacks(SampleStacks request) {
    return inspector.sampleStacks(request);
  }
}
