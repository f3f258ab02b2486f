package io.millrace.cluster;

import io.millrace.client.ClusterClient;
import io.millrace.control.JobManager;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobs;
import io.millrace.control.driver.StandaloneDriver;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.dataplane.DataPlaneSettings;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.Components;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.live.LiveEnv;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * A whole cluster in this process: a JobManager and a TaskManager that speak the real protocol over
 * an in-process transport. It opens no port.
 */
public final class EmbeddedCluster implements ClusterClient {
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);
  private static final int STORES = 3;
  private static final int MANY_SLOTS = 512;

  private final Configuration configuration;
  private final LiveEnv env = new LiveEnv("embedded");
  private final InProcessNetwork network = new InProcessNetwork();
  private final RecordCodec codec = Messages.graphCodec();
  private final BlobStore blobs = new MemoryBlobs();
  private final Rpc rpc;
  private final JobManager jobManager;
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final ProcessDirectory directory;
  private Optional<Worker> worker = Optional.empty();
  private volatile Optional<Throwable> dead = Optional.empty();

  public EmbeddedCluster(Configuration configuration) {
    this.configuration = configuration;
    directory = ProcessDirectory.create(configuration, "embedded");
    directory.deleteOnExit();
    rpc = new Rpc(env, network.join("jobmanager"), configuration.get(Options.ASK_TIMEOUT));
    jobManager =
        new JobManager(
            rpc,
            configuration,
            new JobManager.Backing(blobs, new MemoryHaStore(), new StandaloneDriver()),
            new JobManager.Signals(() -> {}, this::died));
    Mailbox mailbox = env.mailbox("client");
    dispatcher =
        new LeaderGateway<>(
            rpc, jobManager.leaders(), DispatcherGateway.class, Components.DISPATCHER, mailbox);
    jobManager.start();
  }

  @Override
  public String address() {
    return "this process";
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    provide(slotsOf(graph));
    for (int attempt = 1; ; attempt++) {
      List<JarFile> files = store(jars);
      BlobKey key = stored(Bytes.wrap(codec.encode(graph.withJars(files))));
      try {
        call(gateway -> gateway.submitJob(new DispatcherGateway.SubmitJob(graph.id(), key)));
        return;
      } catch (MillraceException refused) {
        // A jar goes with the last job that uses it, also when it was just put there again.
        if (attempt == STORES || files.stream().allMatch(file -> isStored(file.blob()))) {
          throw refused;
        }
      }
    }
  }

  private List<JarFile> store(List<Path> jars) {
    List<JarFile> files = new ArrayList<>();
    for (Path jar : jars) {
      try (InputStream content = Files.newInputStream(jar)) {
        files.add(new JarFile(jar.getFileName().toString(), blobs.put(content)));
      } catch (IOException e) {
        throw new MillraceException(
            ErrorKind.USER, "Cannot read jar " + jar + ": " + e.getMessage(), e);
      }
    }
    return files;
  }

  private boolean isStored(BlobKey key) {
    try {
      return blobs.contains(key);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private BlobKey stored(Bytes content) {
    try {
      return blobs.put(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<JobOverview> jobs() {
    return call(gateway -> gateway.listJobs(new DispatcherGateway.ListJobs())).jobs();
  }

  @Override
  public Optional<JobResult> awaitResult(JobId job, Duration patience) {
    Duration held = shorterThanCall(patience);
    var answer = call(gateway -> gateway.awaitResult(new DispatcherGateway.AwaitResult(job, held)));
    if (!answer.known()) {
      throw new MillraceException(ErrorKind.USER, "There is no job " + job + ".");
    }
    return answer.result();
  }

  @Override
  public CancelOutcome cancel(JobId job) {
    return call(gateway -> gateway.cancelJob(new DispatcherGateway.CancelJob(job))).outcome();
  }

  @Override
  public CollectedPage collected(JobId job, String name, long next, Duration patience) {
    Duration held = shorterThanCall(patience);
    return call(
        gateway ->
            gateway.fetchCollected(new DispatcherGateway.FetchCollected(job, name, next, held)));
  }

  @Override
  public synchronized void close() {
    dispatcher.close();
    worker.ifPresent(started -> within(started.stop()));
    within(jobManager.stop());
    rpc.close();
    env.close();
    directory.delete();
  }

  /**
   * Starts the TaskManager with the first job. Slots cost next to nothing here, so it has more than
   * that job needs, for those that the program may run later. All tasks run in one data plane,
   * which is why there is no second TaskManager.
   */
  private synchronized void provide(int needed) {
    if (worker.isEmpty()) {
      int slots =
          configuration.contains(Options.SLOTS)
              ? configuration.get(Options.SLOTS)
              : Math.max(needed, MANY_SLOTS);
      worker =
          Optional.of(
              new Worker(
                  new Rpc(env, network.join("taskmanager"), configuration.get(Options.ASK_TIMEOUT)),
                  jobManager.leaders(),
                  configuration,
                  new Worker.Identity(
                      new WorkerId("taskmanager"),
                      slots,
                      Machine.shared(),
                      directory.path().resolve("blobs")),
                  DataPlaneSettings.inProcess(Worker.cores(configuration)),
                  this::died));
    } else if (!configuration.contains(Options.SLOTS) && worker.get().slots() < needed) {
      throw new MillraceException(
          ErrorKind.USER,
          "This job needs "
              + needed
              + " slots; the embedded cluster was started with "
              + worker.get().slots()
              + " for the program's first job. Set "
              + Options.SLOTS.key()
              + " to at least "
              + needed
              + ".");
    }
  }

  /** One slot takes one subtask of each vertex of a group. */
  static int slotsOf(JobGraph graph) {
    Map<String, Integer> widest = new LinkedHashMap<>();
    for (JobVertex vertex : graph.vertices()) {
      widest.merge(vertex.slotSharingGroup(), vertex.parallelism(), Math::max);
    }
    return widest.values().stream().mapToInt(Integer::intValue).sum();
  }

  private void died(Throwable cause) {
    dead = Optional.of(cause);
  }

  private Duration shorterThanCall(Duration patience) {
    Duration limit = configuration.get(Options.ASK_TIMEOUT).dividedBy(2);
    return patience.compareTo(limit) < 0 ? patience : limit;
  }

  private <T> T call(Function<DispatcherGateway, CompletableFuture<T>> action) {
    if (dead.isPresent()) {
      throw new MillraceException(
          ErrorKind.BUG,
          "The embedded cluster has died: " + Failure.sentence(dead.get()),
          dead.get());
    }
    try {
      return dispatcher.find().thenCompose(action).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MillraceException(ErrorKind.USER, "Interrupted", e);
    } catch (ExecutionException e) {
      Throwable cause = Failure.unwrap(e);
      if (cause instanceof MillraceException known) {
        throw known;
      }
      throw new MillraceException(ErrorKind.BUG, Failure.sentence(cause), cause);
    }
  }

  private static void within(CompletableFuture<Void> stopped) {
    try {
      stopped.get(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new MillraceException(
          ErrorKind.BUG, "The embedded cluster did not stop cleanly: " + e.getMessage(), e);
    }
  }
}
