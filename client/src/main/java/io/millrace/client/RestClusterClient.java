package io.millrace.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Timeline;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** A client of a cluster that uses its REST address. Keeps no connection between calls. */
public final class RestClusterClient implements ClusterClient {
  /** Names the process of the leading JobManager. */
  public static final String JOB_MANAGER = "jobmanager";

  private static final int MAX_ATTEMPTS = 3;

  private final RestRequests rest;
  private final Duration timeout;

  /**
   * @param timeout how long to wait for the answer to a request, in addition to a wait that the
   *     request asks for
   */
  public RestClusterClient(HostPort address, Duration timeout) {
    this(ClusterAddress.plain(address), timeout);
  }

  RestClusterClient(ClusterAddress address, Duration timeout) {
    this.rest = new RestRequests(address, timeout);
    this.timeout = timeout;
  }

  /** With the timeout, the token and the TLS settings of a configuration. */
  public static RestClusterClient at(HostPort address, Configuration configuration) {
    return ClusterAddress.of(address, configuration)
        .connect(configuration.get(ClientOptions.CLIENT_TIMEOUT));
  }

  /** The JobManager that answered the last request: of several ones, the leading one. */
  public HostPort leader() {
    return rest.leader();
  }

  @Override
  public String address() {
    return rest.address().toString();
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    long since = System.nanoTime();
    // A small request first: without a JobManager at this address, the upload of jars is futile.
    rest.get("/overview");
    for (int attempt = 1; ; attempt++) {
      List<JarFile> stored = store(jars);
      try {
        submit(graph.withJars(stored), since);
        return;
      } catch (MillraceException refused) {
        // The cluster deletes a jar with the last job that uses it, possibly after isStored has
        // found it.
        if (attempt == MAX_ATTEMPTS || stored.stream().allMatch(jar -> rest.isStored(jar.blob()))) {
          throw refused;
        }
      }
    }
  }

  private List<JarFile> store(List<Path> jars) {
    List<JarFile> stored = new ArrayList<>();
    for (Path jar : jars) {
      BlobKey key = FileHashes.of(jar);
      rest.store(key, () -> RestHttpClient.Body.file(jar));
      stored.add(new JarFile(jar.getFileName().toString(), key));
    }
    return stored;
  }

  private void submit(JobGraph graph, long sinceNanos) {
    byte[] encoded = Messages.graphCodec().encode(graph);
    BlobKey key = BlobKey.of(Bytes.wrap(encoded));
    rest.store(key, () -> RestHttpClient.Body.bytes(encoded));
    rest.call(
        "POST",
        "/jobs",
        RestHttpClient.Body.json(
            "{\"jobId\":\""
                + graph.id()
                + "\",\"graph\":\""
                + key
                + "\",\"took\":"
                + Duration.ofNanos(System.nanoTime() - sinceNanos).toMillis()
                + "}"));
  }

  @Override
  public List<JobOverview> jobs() {
    String path = "/jobs/overview";
    List<JobOverview> jobs = new ArrayList<>();
    rest.get(path)
        .path("jobs")
        .forEach(job -> jobs.add(rest.read(path, job, RestClusterClient::overview)));
    return jobs;
  }

  private static JobOverview overview(JsonNode job) {
    Map<TaskState, Integer> tasks = new LinkedHashMap<>();
    for (TaskState state : TaskState.values()) {
      tasks.put(state, job.path("tasks").path(state.name().toLowerCase(Locale.ROOT)).asInt());
    }
    return new JobOverview(
        JobId.parse(job.path("jid").asText()),
        job.path("name").asText(),
        JobType.valueOf(job.path("jobType").asText(JobType.STREAMING.name())),
        JobStatus.valueOf(job.path("state").asText()),
        job.path("start-time").asLong(-1),
        job.path("end-time").asLong(-1),
        job.path("last-modification").asLong(-1),
        tasks,
        Optional.ofNullable(job.path("waiting-for").textValue()).map(ErrorReason::new));
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration maxWait) {
    String path = "/jobs/" + job + "/result?wait=" + maxWait.toMillis();
    return rest.read(path, rest.get(path, maxWait), answer -> result(job, answer));
  }

  private static Optional<JobResult> result(JobId job, JsonNode answer) {
    String status = answer.path("status").asText();
    if (status.equals("IN_PROGRESS")) {
      return Optional.empty();
    }
    JobStatus ended = JobStatus.valueOf(status);
    Optional<Failure> failure =
        ended == JobStatus.FAILED ? Optional.of(failure(answer.path("failure"))) : Optional.empty();
    return Optional.of(
        new JobResult(
            job, ended, answer.path("runtime").asLong(), failure, accumulators(job, answer)));
  }

  private static Map<String, AccumulatorValue> accumulators(JobId job, JsonNode answer) {
    String encoded = answer.path("accumulators").asText("");
    if (encoded.isEmpty()) {
      return new LinkedHashMap<>();
    }
    if (Messages.graphCodec().decode(Base64.getDecoder().decode(encoded))
        instanceof JobResult result) {
      return result.accumulators();
    }
    throw new IllegalArgumentException("The accumulators of job " + job + " are not readable");
  }

  private static Failure failure(JsonNode failure) {
    return new Failure(
        ErrorKind.valueOf(failure.path("kind").asText(ErrorKind.BUG.name())),
        failure.path("type").asText(MillraceException.class.getName()),
        failure.path("message").asText("The cluster has reported no reason."),
        failure.path("stack").asText(""));
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    RestHttpClient.Response answer =
        rest.send(
            "PATCH", "/jobs/" + job + "?mode=cancel", RestHttpClient.Body.NONE, Duration.ZERO);
    if (answer.status() == 404) {
      return CancelOutcome.NOT_FOUND;
    }
    if (answer.status() == 409) {
      return CancelOutcome.ENDED;
    }
    rest.check(answer);
    return CancelOutcome.ACCEPTED;
  }

  @Override
  public boolean heartbeat(JobId job, Duration timeout) {
    RestHttpClient.Response answer =
        rest.send(
            "PATCH",
            "/jobs/" + job + "/clientHeartbeat",
            RestHttpClient.Body.json(
                "{\"expiredTimestamp\":" + (System.currentTimeMillis() + timeout.toMillis()) + "}"),
            Duration.ZERO);
    return answer.status() != 404 && rest.json(rest.check(answer)).path("expected").asBoolean();
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration maxWait) {
    RestHttpClient.Response answer =
        rest.check(
            rest.send(
                "GET",
                "/jobs/"
                    + job
                    + "/collected/"
                    + encoded(name)
                    + "?next="
                    + next
                    + "&wait="
                    + maxWait.toMillis(),
                RestHttpClient.Body.NONE,
                maxWait));
    try {
      int count = Integer.parseInt(answer.header("Millrace-Count"));
      return new CollectedPage(
          true,
          Long.parseLong(answer.header("Millrace-First")),
          batches(ByteBuffer.wrap(answer.body()), count),
          Boolean.parseBoolean(answer.header("Millrace-Complete")));
    } catch (NumberFormatException | BufferUnderflowException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The answer of "
              + address()
              + " is not a page of collected records. Check that the JobManager has the version of"
              + " this client.",
          e);
    }
  }

  private static List<Bytes> batches(ByteBuffer page, int count) {
    List<Bytes> batches = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int length = page.getInt();
      if (length < 0 || length > page.remaining()) {
        throw new BufferUnderflowException();
      }
      byte[] batch = new byte[length];
      page.get(batch);
      batches.add(Bytes.wrap(batch));
    }
    return batches;
  }

  /** The numbers of TaskManagers, slots and running jobs. */
  public ClusterOverview overview() {
    JsonNode answer = rest.get("/overview");
    return new ClusterOverview(
        answer.path("taskmanagers").asInt(),
        answer.path("slots-total").asInt(),
        answer.path("slots-available").asInt(),
        answer.path("jobs-running").asInt());
  }

  /** The registered TaskManagers. */
  public List<Worker> workers() {
    List<Worker> workers = new ArrayList<>();
    rest.get("/taskmanagers")
        .path("taskmanagers")
        .forEach(
            worker ->
                workers.add(
                    new Worker(
                        worker.path("id").asText(),
                        worker.path("slotsNumber").asInt(),
                        worker.path("freeSlots").asInt())));
    return workers;
  }

  /** Why a job is in its state; empty if the cluster does not know the job. */
  public Optional<Explanation> explain(JobId job) {
    return find("/jobs/" + job + "/explain", ExplanationJsonReader::explanation);
  }

  /** The steps of a job from submission to end; empty if the cluster does not know the job. */
  public Optional<Timeline> timeline(JobId job) {
    return find("/jobs/" + job + "/timeline", ExplanationJsonReader::timeline);
  }

  /** The answer to a GET request as formatted JSON; empty for status 404. */
  public Optional<String> json(String path) {
    return find(path, JsonNode::toPrettyString);
  }

  private <T> Optional<T> find(String path, Function<JsonNode, T> reader) {
    RestHttpClient.Response answer =
        rest.send("GET", path, RestHttpClient.Body.NONE, Duration.ZERO);
    return answer.status() == 404
        ? Optional.empty()
        : Optional.of(rest.read(path, rest.json(rest.check(answer)), reader));
  }

  /** Changes the maximum number of TaskManagers of an elastic cluster. */
  public void limitWorkers(int most) {
    rest.call("PATCH", "/taskmanagers?most=" + most, RestHttpClient.Body.NONE);
  }

  /**
   * Blocks a TaskManager or node for some time: it gets no new slots or containers.
   *
   * @param future whether the name may be that of a TaskManager or node that does not exist yet
   */
  public void block(String target, Duration time, String cause, boolean future) {
    rest.call(
        "POST",
        "/blocklist?target="
            + encoded(target)
            + "&seconds="
            + time.toSeconds()
            + "&cause="
            + encoded(cause)
            + (future ? "&future=true" : ""),
        RestHttpClient.Body.NONE);
  }

  /**
   * Creates a link to the web page that works for one browser, once.
   *
   * @param readOnly whether the browser may read only
   */
  public String webLink(boolean readOnly) {
    String path =
        rest.call(
                "POST",
                "/web/links?role=" + (readOnly ? "reader" : "operator"),
                RestHttpClient.Body.NONE)
            .path("path")
            .asText();
    // Only the JobManager that created the link knows it.
    return rest.leaderUrl() + path;
  }

  public void unblock(String target) {
    rest.call("DELETE", "/blocklist/" + encoded(target), RestHttpClient.Body.NONE);
  }

  /**
   * The loggers of a process that have a level of their own.
   *
   * @param process {@link #JOB_MANAGER} or the id of a TaskManager
   */
  public List<LoggerLevel> logLevels(String process) {
    List<LoggerLevel> levels = new ArrayList<>();
    rest.get(logLevelsPath(process))
        .path("levels")
        .forEach(
            one ->
                levels.add(
                    new LoggerLevel(one.path("logger").asText(), one.path("level").asText())));
    return levels;
  }

  /**
   * Changes the level of a logger until its process ends.
   *
   * @param process {@link #JOB_MANAGER} or the id of a TaskManager
   */
  public void setLogLevel(String process, LoggerLevel wanted) {
    rest.call(
        "PUT",
        logLevelsPath(process)
            + "/"
            + encoded(wanted.logger())
            + "?level="
            + encoded(wanted.level()),
        RestHttpClient.Body.NONE);
  }

  /** Restores the level that a logger had at the start of its process. */
  public void restoreLogLevel(String process, String logger) {
    rest.call("DELETE", logLevelsPath(process) + "/" + encoded(logger), RestHttpClient.Body.NONE);
  }

  private static String logLevelsPath(String process) {
    return (process.equals(JOB_MANAGER) ? "/jobmanager" : "/taskmanagers/" + encoded(process))
        + "/log-levels";
  }

  /** The current entries of the blocklist. */
  public List<Blocked> blocklist() {
    List<Blocked> blocked = new ArrayList<>();
    rest.call("GET", "/blocklist", RestHttpClient.Body.NONE)
        .path("blocked")
        .forEach(
            one ->
                blocked.add(
                    new Blocked(
                        one.path("target").asText(),
                        Duration.ofSeconds(one.path("seconds-left").asLong()),
                        one.path("cause").asText())));
    return blocked;
  }

  @Override
  public Optional<CachedDataSet> dataSet(DataSetId id) {
    return find("/datasets/" + id, answer -> dataSet(id, answer)).flatMap(Function.identity());
  }

  private static Optional<CachedDataSet> dataSet(DataSetId id, JsonNode answer) {
    if (!answer.path("isComplete").asBoolean()) {
      return Optional.empty();
    }
    List<String> places = new ArrayList<>();
    answer
        .path("partitions")
        .forEach(partition -> places.add(partition.path("dataAddress").asText()));
    return Optional.of(
        new CachedDataSet(
            id,
            JobId.parse(answer.path("producer").asText()),
            answer.path("term").asLong(),
            places));
  }

  @Override
  public void releaseDataSet(DataSetId id) {
    JsonNode triggered =
        rest.json(
            rest.check(
                rest.send(
                    "DELETE",
                    "/datasets/" + id + "?wait=" + timeout.toMillis(),
                    RestHttpClient.Body.NONE,
                    timeout)));
    JsonNode outcome = rest.get("/datasets/delete/" + triggered.path("request-id").asText());
    JsonNode failure = outcome.path("operation").path("failure-cause");
    if (!outcome.path("status").path("id").asText().equals("COMPLETED") || failure.isObject()) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "Data set "
              + id
              + " may still be in the cluster: "
              + failure.path("stack-trace").asText("the TaskManagers did not answer in time")
              + ". Release it again, or send DELETE /datasets/"
              + id
              + ".");
    }
  }

  /** Checkpoints, savepoints and stops of the cluster's jobs. */
  public CheckpointClient checkpoints() {
    return new CheckpointClient(rest);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Shuts the cluster down: it cancels its jobs and ends its processes. */
  public void shutDownCluster() {
    rest.call("DELETE", "/cluster", RestHttpClient.Body.NONE);
  }

  @Override
  public Duration reconnectTimeout() {
    return timeout;
  }

  @Override
  public void close() {}

  /** An entry of the blocklist. */
  public record Blocked(String target, Duration left, String cause) {}

  /** The level of a logger, such as {@code DEBUG}. */
  public record LoggerLevel(String logger, String level) {}

  /** Numbers of a cluster. */
  public record ClusterOverview(int workers, int slots, int freeSlots, int runningJobs) {}

  /** Numbers of a TaskManager. */
  public record Worker(String id, int slots, int freeSlots) {}

  /** Opens the body of an upload, once per attempt. */
  interface BodySource {
    RestHttpClient.Body open() throws IOException;
  }
}
