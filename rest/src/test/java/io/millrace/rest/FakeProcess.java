package io.millrace.rest;

import io.millrace.core.Bytes;
import io.millrace.protocol.ProcessGateway;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.Rpc;
import io.millrace.task.TaskStack.Activity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A process with log files that a test sets. */
final class FakeProcess extends Endpoint implements ProcessGateway {
  static final String LOG = "server.log";

  /** The identity of each file is that of its content. */
  final Map<String, Bytes> files = new ConcurrentHashMap<>();

  final List<Integer> partLengths = new CopyOnWriteArrayList<>();
  final List<SampleStacks> samplings = new CopyOnWriteArrayList<>();
  final Map<String, LogLevel> levels = new ConcurrentHashMap<>();
  volatile boolean locks;

  /** The number of the part at which another file gets the name; 0 for none. */
  volatile int replaceAtPart;

  FakeProcess(Rpc rpc) {
    super(rpc, NAME, Optional.empty());
  }

  @Override
  public CompletableFuture<ProcessDescription> describeProcess(DescribeProcess request) {
    return CompletableFuture.completedFuture(
        new ProcessDescription(
            List.of(new ConfiguredValue("rest.port", "8081")),
            "OpenJDK - 17",
            "amd64",
            List.of("-Xmx1g"),
            List.of("a.jar", "b.jar")));
  }

  @Override
  public CompletableFuture<LogFiles> listLogs(ListLogs request) {
    return CompletableFuture.completedFuture(
        new LogFiles(
            files.entrySet().stream()
                .map(file -> new LogFile(file.getKey(), file.getValue().length(), 1000))
                .toList(),
            Optional.of(LOG).filter(files::containsKey),
            Optional.empty()));
  }

  @Override
  public CompletableFuture<LogPart> readLog(ReadLog request) {
    partLengths.add(request.length());
    if (partLengths.size() == replaceAtPart) {
      files.computeIfPresent(request.name(), (name, file) -> Bytes.utf8("another file"));
    }
    return CompletableFuture.completedFuture(
        new LogPart(
            Optional.ofNullable(files.get(request.name()))
                .map(
                    file -> {
                      int from = (int) Math.min(request.offset(), file.length());
                      int to = (int) Math.min(request.offset() + request.length(), file.length());
                      return new LogContent(
                          file.slice(from, to), String.valueOf(file.hashCode()), file.length());
                    })));
  }

  @Override
  public CompletableFuture<ThreadDump> dumpThreads(DumpThreads request) {
    locks = request.locks();
    return CompletableFuture.completedFuture(
        new ThreadDump(List.of(new ThreadText("main", "\"main\" Id=1 RUNNABLE\n\n"))));
  }

  @Override
  public CompletableFuture<LogLevels> listLogLevels(ListLogLevels request) {
    return CompletableFuture.completedFuture(
        new LogLevels(
            levels.entrySet().stream()
                .map(level -> new LoggerLevel(level.getKey(), level.getValue()))
                .toList()));
  }

  @Override
  public CompletableFuture<LogLevels> setLogLevel(SetLogLevel request) {
    if (request.level().isPresent()) {
      levels.put(request.logger(), request.level().get());
    } else {
      levels.remove(request.logger());
    }
    return listLogLevels(new ListLogLevels());
  }

  @Override
  public CompletableFuture<StackSamples> sampleStacks(SampleStacks request) {
    samplings.add(request);
    return CompletableFuture.completedFuture(
        new StackSamples(
            List.of("Task.step:1", "com.example.Count.map:12", "Thread.sleep:-2"),
            List.of(
                new SampledStack(request.tasks().get(0), Activity.ON_CPU, List.of(0, 1), 70),
                new SampledStack(request.tasks().get(0), Activity.OFF_CPU, List.of(0, 1, 2), 20),
                new SampledStack(request.tasks().get(0), Activity.AWAITS_INPUT, List.of(), 10)),
            0));
  }
}
