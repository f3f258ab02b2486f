package io.millrace.client.testing;

import io.millrace.api.execution.JobStatus;
import io.millrace.client.ClusterClient;
import io.millrace.client.UnreachableException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobType;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.reason.ErrorReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A cluster of scripted answers, for tests of the client and of commands. It accepts all jobs.
 * Without a script a job has finished at the first request for its result, and after {@link
 * #runJobs} it runs until it is ended or cancelled. Requests are recorded. Thread-safe.
 */
public final class FakeClusterClient implements ClusterClient {
  public static final String ADDRESS = "fake:8081";

  /** The runtime of each ended job. */
  public static final Duration RUNTIME = Duration.ofMillis(1234);

  private final BlockingQueue<JobId> heartbeats = new LinkedBlockingQueue<>();
  private final BlockingQueue<JobGraph> submissions = new LinkedBlockingQueue<>();
  private final Map<JobId, JobGraph> graphs = new LinkedHashMap<>();
  private final List<List<Path>> jars = new ArrayList<>();
  private final Deque<Function<JobId, Optional<JobResult>>> results = new ArrayDeque<>();
  private final Deque<JobOverview> overviews = new ArrayDeque<>();
  private final Deque<CollectedPage> pages = new ArrayDeque<>();
  private final List<Long> requestedBatches = new ArrayList<>();
  private final Map<DataSetId, CachedDataSet> dataSets = new LinkedHashMap<>();
  private final List<DataSetId> released = new ArrayList<>();
  private final List<JobId> cancelled = new ArrayList<>();
  private final Map<JobId, JobResult> ended = new LinkedHashMap<>();

  private Consumer<JobGraph> onSubmit = graph -> {};
  private Function<JobGraph, Optional<Failure>> failures = graph -> Optional.empty();
  private Function<JobGraph, JobStatus> outcomes = graph -> JobStatus.FINISHED;
  private CancelOutcome cancelOutcome = CancelOutcome.ACCEPTED;
  private Duration reconnectTimeout = Duration.ZERO;
  private int outages;
  private int lostHeartbeats;
  private int expectedHeartbeats = Integer.MAX_VALUE;
  private Optional<RuntimeException> heartbeatError = Optional.empty();
  private boolean jobsRun;
  private Consumer<JobId> onCancel = job -> {};
  private Runnable onClose = () -> {};
  private boolean closed;

  /** Lets jobs run until {@link #end} or {@link #cancel}. */
  public synchronized FakeClusterClient runJobs() {
    jobsRun = true;
    return this;
  }

  /** Ends all running jobs. */
  public synchronized void end(JobStatus status) {
    graphs.keySet().forEach(job -> ended.putIfAbsent(job, result(job, status)));
    notifyAll();
  }

  /** Calls this at each submission; it may throw to refuse the job. */
  public synchronized FakeClusterClient onSubmit(Consumer<JobGraph> action) {
    onSubmit = action;
    return this;
  }

  /** The state in which a job without a script ends. */
  public synchronized FakeClusterClient outcome(Function<JobGraph, JobStatus> statusOf) {
    outcomes = statusOf;
    return this;
  }

  /** The failure of jobs that end as FAILED. */
  public synchronized FakeClusterClient failure(Failure failure) {
    failures = graph -> Optional.of(failure);
    return this;
  }

  /** Answers the next request for a result that the job runs, and the next for its state so. */
  public synchronized FakeClusterClient thenRuns(JobOverview state) {
    results.add(job -> Optional.empty());
    overviews.add(state);
    return this;
  }

  /** Answers the next request for a result with this end of the job. */
  public synchronized FakeClusterClient thenEnds(JobStatus status) {
    results.add(job -> Optional.of(result(job, status)));
    return this;
  }

  /** Answers the next request for a result with this failure of the job. */
  public synchronized FakeClusterClient thenFails(Failure failure) {
    results.add(
        job ->
            Optional.of(
                new JobResult(job, JobStatus.FAILED, RUNTIME.toMillis(), Optional.of(failure))));
    return this;
  }

  /** Fails the next request for a result. */
  public synchronized FakeClusterClient thenThrows(RuntimeException error) {
    results.add(
        job -> {
          throw error;
        });
    return this;
  }

  /** Adds an answer to requests for collected records. */
  public synchronized FakeClusterClient thenCollects(CollectedPage page) {
    pages.add(page);
    return this;
  }

  /** Lets the next requests for results fail as those to a JobManager that does not run. */
  public synchronized FakeClusterClient unreachable(int requests, Duration timeout) {
    outages = requests;
    reconnectTimeout = timeout;
    return this;
  }

  /** Lets heartbeats be lost first, and then expects this number of them. */
  public synchronized FakeClusterClient expectHeartbeats(int lost, int expected) {
    lostHeartbeats = lost;
    expectedHeartbeats = expected;
    return this;
  }

  /** Fails the next heartbeat with this error. */
  public synchronized void failNextHeartbeat(RuntimeException error) {
    heartbeatError = Optional.of(error);
  }

  /** Removes all jobs from the list of jobs, as a restarted cluster has them only as results. */
  public synchronized void forgetJobs() {
    graphs.clear();
  }

  public synchronized FakeClusterClient answerCancel(CancelOutcome outcome) {
    cancelOutcome = outcome;
    return this;
  }

  /** Calls this at each cancellation; it may throw. */
  public synchronized FakeClusterClient onCancel(Consumer<JobId> action) {
    onCancel = action;
    return this;
  }

  /** Calls this at each call of {@link #close}. */
  public synchronized FakeClusterClient onClose(Runnable action) {
    onClose = action;
    return this;
  }

  /** Adds a complete cached data set. */
  public synchronized FakeClusterClient keep(CachedDataSet dataSet) {
    dataSets.put(dataSet.id(), dataSet);
    return this;
  }

  /** The state of a job of any id. */
  public static JobOverview overview(JobStatus status) {
    return overview(new JobId(new Id128(0, 0)), "job", status);
  }

  /** The state of a job of any id that waits for something. */
  public static JobOverview waiting(JobStatus status, String reason) {
    JobOverview job = overview(status);
    return new JobOverview(
        job.id(),
        job.name(),
        job.type(),
        status,
        job.startedAt(),
        job.endedAt(),
        job.changedAt(),
        job.tasks(),
        Optional.of(new ErrorReason(reason)));
  }

  private static JobOverview overview(JobId job, String name, JobStatus status) {
    return new JobOverview(
        job, name, JobType.BATCH, status, 1, -1, 1, new LinkedHashMap<>(), Optional.empty());
  }

  private JobResult result(JobId job, JobStatus status) {
    Optional<Failure> failure =
        status == JobStatus.FAILED
            ? failures
                .apply(graphs.get(job))
                .or(() -> Optional.of(Failure.of(ErrorKind.USER, "It failed.")))
            : Optional.empty();
    return new JobResult(job, status, RUNTIME.toMillis(), failure);
  }

  /** Waits for the next heartbeat. */
  public JobId nextHeartbeat() throws InterruptedException {
    return next(heartbeats, "heartbeat");
  }

  /** Waits for the next submitted job. */
  public JobGraph nextSubmission() throws InterruptedException {
    return next(submissions, "submission");
  }

  private static <T> T next(BlockingQueue<T> queue, String what) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("No " + what + " in 60 s");
    }
    return next;
  }

  /** The submitted jobs, in this order. */
  public synchronized List<JobGraph> submitted() {
    return new ArrayList<>(graphs.values());
  }

  /** The jars of each submission. */
  public synchronized List<List<Path>> submittedJars() {
    return new ArrayList<>(jars);
  }

  /** The first batch of each request for collected records. */
  public synchronized List<Long> requestedBatches() {
    return new ArrayList<>(requestedBatches);
  }

  public synchronized List<JobId> cancelled() {
    return new ArrayList<>(cancelled);
  }

  public synchronized List<DataSetId> released() {
    return new ArrayList<>(released);
  }

  public synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public String address() {
    return ADDRESS;
  }

  @Override
  public synchronized void submit(JobGraph graph, List<Path> files) {
    onSubmit.accept(graph);
    graphs.put(graph.id(), graph);
    jars.add(new ArrayList<>(files));
    submissions.add(graph);
  }

  @Override
  public synchronized List<JobOverview> jobs() {
    return graphs.values().stream().map(this::overview).toList();
  }

  private JobOverview overview(JobGraph graph) {
    JobStatus status =
        Optional.ofNullable(ended.get(graph.id())).map(JobResult::status).orElse(JobStatus.RUNNING);
    return overview(graph.id(), graph.name(), status);
  }

  @Override
  public synchronized Optional<JobOverview> job(JobId job) {
    return overviews.isEmpty() ? ClusterClient.super.job(job) : Optional.of(overviews.remove());
  }

  @Override
  public synchronized Optional<JobResult> awaitResult(JobId job, Duration maxWait) {
    if (outages > 0) {
      outages--;
      throw new UnreachableException("No JobManager answers.", null);
    }
    if (!results.isEmpty()) {
      return results.remove().apply(job);
    }
    if (!jobsRun) {
      return Optional.of(result(job, outcomes.apply(graphs.get(job))));
    }
    long deadline = System.nanoTime() + maxWait.toNanos();
    while (!ended.containsKey(job)) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        return Optional.empty();
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted", e);
      }
    }
    return Optional.of(ended.get(job));
  }

  @Override
  public synchronized CancelOutcome cancel(JobId job) {
    onCancel.accept(job);
    cancelled.add(job);
    if (jobsRun && cancelOutcome == CancelOutcome.ACCEPTED) {
      ended.putIfAbsent(job, result(job, JobStatus.CANCELED));
      notifyAll();
    }
    return cancelOutcome;
  }

  @Override
  public synchronized boolean heartbeat(JobId job, Duration timeout) {
    if (heartbeatError.isPresent()) {
      RuntimeException error = heartbeatError.get();
      heartbeatError = Optional.empty();
      heartbeats.add(job);
      throw error;
    }
    boolean lost = lostHeartbeats > 0;
    if (lost) {
      lostHeartbeats--;
    } else {
      expectedHeartbeats--;
    }
    heartbeats.add(job);
    if (lost) {
      throw new UnreachableException("No JobManager answers.", null);
    }
    return expectedHeartbeats > 0;
  }

  @Override
  public synchronized CollectedPage collected(JobId job, String name, long next, Duration maxWait) {
    requestedBatches.add(next);
    return pages.isEmpty() ? new CollectedPage(true, next, List.of(), true) : pages.remove();
  }

  @Override
  public synchronized Optional<CachedDataSet> dataSet(DataSetId id) {
    return Optional.ofNullable(dataSets.get(id));
  }

  @Override
  public synchronized void releaseDataSet(DataSetId id) {
    dataSets.remove(id);
    released.add(id);
  }

  @Override
  public synchronized Duration reconnectTimeout() {
    return reconnectTimeout;
  }

  @Override
  public synchronized void close() {
    onClose.run();
    closed = true;
  }
}
