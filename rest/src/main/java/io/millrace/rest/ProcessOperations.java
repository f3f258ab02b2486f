package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.PUT;

import io.millrace.core.config.ThreadDumpMode;
import io.millrace.protocol.ProcessGateway;
import io.millrace.protocol.ProcessGateway.DescribeProcess;
import io.millrace.protocol.ProcessGateway.DumpThreads;
import io.millrace.protocol.ProcessGateway.ListLogLevels;
import io.millrace.protocol.ProcessGateway.ListLogs;
import io.millrace.protocol.ProcessGateway.LogFiles;
import io.millrace.protocol.ProcessGateway.LogLevel;
import io.millrace.protocol.ProcessGateway.LogLevels;
import io.millrace.protocol.ProcessGateway.ProcessDescription;
import io.millrace.protocol.ProcessGateway.SetLogLevel;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Operations that look into the processes of the JobManager and of TaskManagers. */
final class ProcessOperations {
  private static final String JOB_MANAGER = "/jobmanager";
  private static final String TASK_MANAGER = "/taskmanagers/:taskmanagerid";
  private static final String RANGE =
      " As text; `?tail=n` for the last n bytes, `?start=n&size=m` or the header `Range` for a part.";

  /** Downloads, by the last part of their paths. */
  private static final List<String> FILES = List.of("/logs/:filename", "/log", "/stdout");

  /** A thread dump of a busy process takes some time. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final Inspection inspection;
  private final Supplier<String> url;

  /**
   * @param url the start of the URLs of this server
   */
  ProcessOperations(Inspection inspection, Supplier<String> url) {
    this.inspection = inspection;
    this.url = url;
  }

  /** The paths of operations whose answers are files. */
  static List<String> downloads() {
    List<String> paths = new ArrayList<>();
    for (String process : List.of(JOB_MANAGER, TASK_MANAGER)) {
      FILES.forEach(file -> paths.add(process + file));
    }
    return paths;
  }

  List<Operation> table() {
    List<Operation> all = new ArrayList<>();
    all.add(
        Operation.flink(
            GET,
            "/jobmanager/config",
            "The configuration of the JobManager, without secrets.",
            call -> configuration(call)));
    all.add(
        Operation.flink(
            GET,
            "/jobmanager/environment",
            "The JVM of the JobManager and its class path.",
            call -> environment(call)));
    Function<RestRequest, CompletableFuture<ProcessGateway>> jobManager =
        call -> done(inspection.jobManager());
    Function<RestRequest, CompletableFuture<ProcessGateway>> taskManager =
        call -> ClusterOperations.worker(call).thenApply(worker -> call.process(worker, TIMEOUT));
    addAll(all, JOB_MANAGER, "the JobManager", jobManager);
    addLevels(all, JOB_MANAGER, "the JobManager", jobManager);
    addAll(all, TASK_MANAGER, "a TaskManager", taskManager);
    addLevels(all, TASK_MANAGER, "a TaskManager", taskManager);
    all.add(
        Operation.flink(
            GET,
            "/jobs/:jobid/jobmanager/config",
            "The configuration of the JobManager of a job, without secrets.",
            call -> known(call).thenCompose(job -> configuration(call))));
    all.add(
        Operation.flink(
            GET,
            "/jobs/:jobid/jobmanager/environment",
            "The JVM of the JobManager of a job and its class path.",
            call -> known(call).thenCompose(job -> environment(call))));
    all.add(
        Operation.flink(
            GET,
            "/applications/:applicationid/jobmanager/config",
            "The configuration of the JobManager of an application, without secrets.",
            call ->
                ApplicationOperations.describe(call, call.application())
                    .thenCompose(job -> configuration(call))));
    all.add(
        Operation.flink(
            GET,
            "/jobs/:jobid/jobmanager/log-url",
            "Where the web page shows the logs of the JobManager of a job.",
            call -> known(call).thenApply(job -> logUrl("/#/jobmanager/logs"))));
    all.add(
        Operation.flink(
            GET,
            "/jobs/:jobid/taskmanagers/:taskmanagerid/log-url",
            "Where the web page shows the logs of a TaskManager.",
            call ->
                known(call)
                    .thenApply(
                        job ->
                            logUrl(
                                "/#/taskmanagers/"
                                    + URLEncoder.encode(
                                        call.path("taskmanagerid"), StandardCharsets.UTF_8)
                                    + "/logs"))));
    return all;
  }

  /** What can be seen of each process. */
  private void addAll(
      List<Operation> all,
      String path,
      String what,
      Function<RestRequest, CompletableFuture<ProcessGateway>> find) {
    all.add(
        Operation.flink(
            GET,
            path + "/logs",
            "The log files of " + what + ".",
            call ->
                find.apply(call)
                    .thenCompose(process -> logs(call, process))
                    .thenApply(logs -> RestResponse.ok(ProcessViews.logs(logs)))));
    all.add(
        Operation.flink(
            GET,
            path + "/logs/:filename",
            "A log file of " + what + "." + RANGE,
            call ->
                find.apply(call)
                    .thenCompose(
                        process -> LogDownload.start(call, process, call.path("filename")))));
    all.add(
        Operation.flink(
            GET,
            path + "/log",
            "The log of " + what + "." + RANGE,
            call -> find.apply(call).thenCompose(process -> own(call, process, LogFiles::log))));
    all.add(
        Operation.flink(
            GET,
            path + "/stdout",
            "The standard output of " + what + "." + RANGE,
            call -> find.apply(call).thenCompose(process -> own(call, process, LogFiles::output))));
    all.add(
        Operation.flink(
            GET,
            path + "/thread-dump",
            "The threads of "
                + what
                + " with their stacks, with `?mode=full` also the locks that they hold.",
            call -> {
              DumpThreads request = new DumpThreads(mode(call) == ThreadDumpMode.FULL);
              return find.apply(call)
                  .thenCompose(process -> call.onEventLoop(process.dumpThreads(request)))
                  .thenApply(dump -> RestResponse.ok(ProcessViews.threads(dump)));
            }));
  }

  /** The levels of the log of each process. */
  private static void addLevels(
      List<Operation> all,
      String path,
      String what,
      Function<RestRequest, CompletableFuture<ProcessGateway>> find) {
    all.add(
        Operation.extension(
            GET,
            path + "/log-levels",
            "The loggers of " + what + " that have a level of their own.",
            call -> levels(call, find, process -> process.listLogLevels(new ListLogLevels()))));
    all.add(
        Operation.extension(
            PUT,
            path + "/log-levels/:logger",
            "Changes the level of a logger of "
                + what
                + " (`?level=debug`) until its process ends; `ROOT` is the logger of all.",
            call -> {
              String level =
                  call.query("level")
                      .orElseThrow(() -> new RestError(400, "Give a level, such as ?level=debug."));
              SetLogLevel request =
                  new SetLogLevel(
                      call.path("logger"),
                      Optional.of(call.choice("level", level, LogLevel.class)));
              return levels(call, find, process -> process.setLogLevel(request));
            }));
    all.add(
        Operation.extension(
            DELETE,
            path + "/log-levels/:logger",
            "Restores the level that a logger of " + what + " had at the start of its process.",
            call -> {
              SetLogLevel request = new SetLogLevel(call.path("logger"), Optional.empty());
              return levels(call, find, process -> process.setLogLevel(request));
            }));
  }

  private static CompletableFuture<RestResponse> levels(
      RestRequest call,
      Function<RestRequest, CompletableFuture<ProcessGateway>> find,
      Function<ProcessGateway, CompletableFuture<LogLevels>> ask) {
    return find.apply(call)
        .thenCompose(process -> call.onEventLoop(ask.apply(process)))
        .thenApply(levels -> RestResponse.ok(ProcessViews.levels(levels)));
  }

  private ThreadDumpMode mode(RestRequest call) {
    Optional<String> mode = call.query("mode");
    return mode.isEmpty()
        ? inspection.threadDumps()
        : call.choice("mode", mode.get(), ThreadDumpMode.class);
  }

  private static CompletableFuture<LogFiles> logs(RestRequest call, ProcessGateway process) {
    return call.onEventLoop(process.listLogs(new ListLogs()));
  }

  /** Downloads the log or the output of a process. */
  private static CompletableFuture<RestResponse> own(
      RestRequest call, ProcessGateway process, Function<LogFiles, Optional<String>> which) {
    return logs(call, process)
        .thenCompose(
            files ->
                LogDownload.start(
                    call,
                    process,
                    which
                        .apply(files)
                        .orElseThrow(
                            () ->
                                new RestError(
                                    404,
                                    "The process writes no such file. Its log files are in"
                                        + " …/logs."))));
  }

  private CompletableFuture<RestResponse> configuration(RestRequest call) {
    return described(call, process -> RestResponse.ok(ProcessViews.configuration(process)));
  }

  private CompletableFuture<RestResponse> environment(RestRequest call) {
    return described(call, process -> RestResponse.ok(ProcessViews.environment(process)));
  }

  private CompletableFuture<RestResponse> described(
      RestRequest call, Function<ProcessDescription, RestResponse> view) {
    return call.onEventLoop(inspection.jobManager().describeProcess(new DescribeProcess()))
        .thenApply(view);
  }

  private static CompletableFuture<?> known(RestRequest call) {
    return JobOperations.describe(call, call.job());
  }

  private RestResponse logUrl(String path) {
    return RestResponse.ok(new JsonObject().put("url", url.get() + path));
  }

  private static <T> CompletableFuture<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }
}
