package io.millrace.client;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A job that this client has submitted to a cluster. */
public final class SubmittedJob implements JobClient {
  // Most jobs that a user starts by hand end soon, so the first request asks for the result only.
  private static final Duration FIRST_WAIT = Duration.ofMillis(400);
  private static final Duration LATER_WAIT = Duration.ofSeconds(1);
  private static final Duration PAGE_WAIT = Duration.ofSeconds(10);

  private final ClusterClient cluster;
  private final JobId id;
  private final String name;
  private final Supplier<RecordDecoder> decoder;
  private final ClassLoader classes;
  private final Bytes serializers;
  private final JobListener listener;

  private CompletableFuture<JobExecutionResult> result;
  private volatile boolean cancelled;
  private volatile Optional<JobExecutionResult> ended = Optional.empty();

  SubmittedJob(
      ClusterClient cluster,
      JobGraph graph,
      Supplier<RecordDecoder> decoder,
      ClassLoader classes,
      JobListener listener) {
    this.cluster = cluster;
    this.id = graph.id();
    this.name = graph.name();
    this.decoder = decoder;
    this.classes = classes;
    this.serializers = graph.serializers();
    this.listener = listener;
  }

  @Override
  public JobId id() {
    return id;
  }

  public String name() {
    return name;
  }

  /** Whether the program itself has cancelled the job. */
  public boolean cancelledByProgram() {
    return cancelled;
  }

  /** How the job ended, if this client has waited for it and received the result. */
  public Optional<JobExecutionResult> ended() {
    return ended;
  }

  @Override
  public CompletableFuture<JobStatus> status() {
    return inBackground(
        "status",
        () ->
            cluster
                .job(id)
                .map(JobOverview::status)
                // Of a job that ended under an earlier leader, the cluster may know only the
                // result.
                .or(() -> cluster.awaitResult(id, Duration.ZERO).map(stored -> stored.status()))
                .orElseThrow(() -> unknown()));
  }

  @Override
  public CompletableFuture<Void> cancel() {
    cancelled = true;
    return inBackground(
        "cancel",
        () -> {
          if (cluster.cancel(id) == CancelOutcome.NOT_FOUND) {
            throw unknown();
          }
          return null;
        });
  }

  @Override
  public CompletableFuture<JobExecutionResult> result() {
    synchronized (this) {
      if (result == null) {
        result = inBackground("result", this::follow);
      }
      return result.copy();
    }
  }

  private JobExecutionResult follow() {
    ClusterReconnect reconnect = new ClusterReconnect(cluster, listener);
    Optional<JobOverview> seen = Optional.empty();
    Duration maxWait = FIRST_WAIT;
    while (true) {
      Duration wait = maxWait;
      Optional<io.millrace.protocol.JobResult> answer =
          reconnect.call(() -> cluster.awaitResult(id, wait));
      if (answer.isPresent()) {
        JobExecutionResult jobResult =
            new JobExecutionResult(
                id,
                name,
                answer.get().status(),
                Duration.ofMillis(answer.get().runtimeMillis()),
                answer.get().failure(),
                answer.get().accumulators());
        ended = Optional.of(jobResult);
        return jobResult;
      }
      Optional<JobOverview> now = reconnect.call(() -> cluster.job(id));
      if (now.isPresent() && !now.get().status().isTerminal()) {
        JobOverview current = now.get();
        if (seen.filter(before -> isSame(before, current)).isEmpty()) {
          listener.changed(current);
        }
      }
      seen = now;
      maxWait = LATER_WAIT;
    }
  }

  private static boolean isSame(JobOverview before, JobOverview now) {
    return before.status() == now.status() && before.waitingFor().equals(now.waitingFor());
  }

  @Override
  public Iterator<Object> collected(String collectName) {
    // While the program waits for records, the listener reports what the job waits for.
    result();
    return new Collected(collectName);
  }

  private MillraceException unknown() {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "The cluster at "
            + cluster.address()
            + " no longer knows job "
            + id
            + ": it was restarted without its jobs, or more jobs have ended since than"
            + " jobstore.max-capacity keeps.");
  }

  private <T> CompletableFuture<T> inBackground(String what, Callable<T> call) {
    CompletableFuture<T> future = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                future.complete(call.call());
              } catch (Exception e) {
                future.completeExceptionally(Failure.unwrap(e));
              }
            },
            "job-" + what + "-" + id);
    thread.setDaemon(true);
    thread.start();
    return future;
  }

  /** Fetches pages of batches when they are read. For use by one thread. */
  private final class Collected implements Iterator<Object> {
    private final String collectName;
    private final Queue<Object> records = new ArrayDeque<>();

    /** Without a listener, because the thread that waits for the result reports outages. */
    private final ClusterReconnect reconnect = new ClusterReconnect(cluster, JobListener.NONE);

    private Optional<RecordDecoder> opened = Optional.empty();
    private long next;
    private boolean complete;

    Collected(String collectName) {
      this.collectName = collectName;
    }

    @Override
    public boolean hasNext() {
      while (records.isEmpty() && !complete) {
        CollectedPage page =
            reconnect.call(() -> cluster.collected(id, collectName, next, PAGE_WAIT));
        if (!page.known()) {
          throw unknown();
        }
        for (Bytes batch : unread(page)) {
          records.addAll(opener().decode(batch, classes, serializers));
        }
        next = Math.max(next, page.first() + page.batches().size());
        complete = page.complete();
      }
      return !records.isEmpty();
    }

    private List<Bytes> unread(CollectedPage page) {
      // A page may begin before the requested batch if the answer to an earlier request was lost.
      long known = Math.min(Math.max(next - page.first(), 0), page.batches().size());
      return new ArrayList<>(page.batches().subList((int) known, page.batches().size()));
    }

    private RecordDecoder opener() {
      if (opened.isEmpty()) {
        opened = Optional.of(decoder.get());
      }
      return opened.get();
    }

    @Override
    public Object next() {
      if (!hasNext()) {
        throw new NoSuchElementException(
            "No more records were collected under the name '" + collectName + "'");
      }
      return records.remove();
    }
  }
}
