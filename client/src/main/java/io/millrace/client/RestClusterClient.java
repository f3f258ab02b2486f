package io.millrace.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A cluster behind its REST address. Holds no connection between calls. */
public final class RestClusterClient implements ClusterClient {
  private static final int UPLOADS = 3;

  private final RestRequests rest;
  private final Duration timeout;

  /**
   * @param timeout how long the cluster may take to answer a request that asks for no wait
   */
  public RestClusterClient(HostPort address, Duration timeout) {
    this(new ClusterAddress(address, Optional.empty()), timeout);
  }

  RestClusterClient(ClusterAddress address, Duration timeout) {
    this.rest = new RestRequests(address, timeout);
    this.timeout = timeout;
  }

  /** With the patience, the token and the keys that a configuration gives. */
  public static RestClusterClient at(HostPort address, Configuration configuration) {
    return ClusterAddress.of(address, configuration)
        .connect(configuration.get(ClientOptions.CLIENT_TIMEOUT));
  }

  @Override
  public String address() {
    return rest.address().toString();
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    long since = System.nanoTime();
    // Whoever is at this address is asked something cheap before megabytes are sent there.
    rest.get("/overview");
    for (int attempt = 1; ; attempt++) {
      List<JarFile> stored = store(jars);
      try {
        submit(graph.withJars(stored), since);
        return;
      } catch (MillraceException refused) {
        // A jar goes with the last job that uses it, also when this client just found it there.
        if (attempt == UPLOADS || stored.stream().allMatch(jar -> rest.isStored(jar.blob()))) {
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
    List<JobOverview> jobs = new ArrayList<>();
    rest.get("/jobs/overview").path("jobs").forEach(job -> jobs.add(overview(job)));
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
  public Optional<JobResult> awaitResult(JobId job, Duration patience) {
    JsonNode answer = rest.get("/jobs/" + job + "/result?wait=" + patience.toMillis(), patience);
    String status = answer.path("status").asText();
    if (status.equals("IN_PROGRESS")) {
      return Optional.empty();
    }
    JobStatus ended = JobStatus.valueOf(status);
    Optional<Failure> failure =
        ended == JobStatus.FAILED ? Optional.of(failure(answer.path("failure"))) : Optional.empty();
    return Optional.of(new JobResult(job, ended, answer.path("runtime").asLong(), failure));
  }

  private static Failure failure(JsonNode failure) {
    return new Failure(
        ErrorKind.valueOf(failure.path("kind").asText(ErrorKind.BUG.name())),
        failure.path("type").asText(MillraceException.class.getName()),
        failure.path("message").asText("The cluster gave no reason."),
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
  public CollectedPage collected(JobId job, String name, long next, Duration patience) {
    RestHttpClient.Response answer =
        rest.check(
            rest.send(
                "GET",
                "/jobs/"
                    + job
                    + "/collected/"
                    + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20")
                    + "?next="
                    + next
                    + "&wait="
                    + patience.toMillis(),
                RestHttpClient.Body.NONE,
                patience));
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
          "What "
              + address()
              + " answered is not a page of collected records. Is it a JobManager of this version?",
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

  /** What the cluster says of itself in a few numbers. */
  public ClusterOverview overview() {
    JsonNode answer = rest.get("/overview");
    return new ClusterOverview(
        answer.path("taskmanagers").asInt(),
        answer.path("slots-total").asInt(),
        answer.path("slots-available").asInt(),
        answer.path("jobs-running").asInt());
  }

  /** The TaskManagers that are registered. */
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

  /** Why a job is where it is; nothing where the cluster knows no such job. */
  public Optional<Explanation> explain(JobId job) {
    return find("/jobs/" + job + "/explain").map(ExplanationJsonReader::explanation);
  }

  /** The steps of a job's life; nothing where the cluster knows no such job. */
  public Optional<Timeline> timeline(JobId job) {
    return find("/jobs/" + job + "/timeline").map(ExplanationJsonReader::timeline);
  }

  /** What a path answers with, as text; nothing where there is nothing. */
  public Optional<String> json(String path) {
    return find(path).map(JsonNode::toPrettyString);
  }

  private Optional<JsonNode> find(String path) {
    RestHttpClient.Response answer =
        rest.send("GET", path, RestHttpClient.Body.NONE, Duration.ZERO);
    return answer.status() == 404 ? Optional.empty() : Optional.of(rest.json(rest.check(answer)));
  }

  /** Changes how many TaskManagers a cluster may have that starts them itself. */
  public void limitWorkers(int most) {
    rest.call("PATCH", "/taskmanagers?most=" + most, RestHttpClient.Body.NONE);
  }

  /**
   * Lets a TaskManager or a node get nothing new for a while.
   *
   * @param future whether there need not be one of that name yet
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

  public void unblock(String target) {
    rest.call("DELETE", "/blocklist/" + encoded(target), RestHttpClient.Body.NONE);
  }

  /** Who gets nothing new at present. */
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
    return find("/datasets/" + id)
        .filter(answer -> answer.path("isComplete").asBoolean())
        .map(
            answer -> {
              List<String> places = new ArrayList<>();
              answer
                  .path("partitions")
                  .forEach(partition -> places.add(partition.path("dataAddress").asText()));
              return new CachedDataSet(
                  id,
                  JobId.parse(answer.path("producer").asText()),
                  answer.path("term").asLong(),
                  places);
            });
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
              + failure.path("stack-trace").asText("the TaskManagers have not answered in time")
              + ". Release it again, or with DELETE /datasets/"
              + id
              + ".");
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Asks the cluster to end: its jobs are cancelled and its processes exit. */
  public void shutDownCluster() {
    rest.call("DELETE", "/cluster", RestHttpClient.Body.NONE);
  }

  @Override
  public Duration reconnectTimeout() {
    return timeout;
  }

  @Override
  public void close() {}

  /** A TaskManager or node that gets nothing new. */
  public record Blocked(String target, Duration left, String cause) {}

  /** A cluster in a few numbers. */
  public record ClusterOverview(int workers, int slots, int freeSlots, int runningJobs) {}

  /** A TaskManager in a few numbers. */
  public record Worker(String id, int slots, int freeSlots) {}

  /** Something that yields a body each time it is sent. */
  interface BodySource {
    RestHttpClient.Body open() throws IOException;
  }
}
