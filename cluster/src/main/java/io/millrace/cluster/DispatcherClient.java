package io.millrace.cluster;

import io.millrace.client.ClusterClient;
import io.millrace.control.blob.BlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.VertexId;
import io.millrace.graph.CachedDataSet;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.CancelOutcome;
import io.millrace.protocol.DispatcherGateway.CollectedPage;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.FetchCollected;
import io.millrace.protocol.DispatcherGateway.JobMetrics;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJobMetrics;
import io.millrace.protocol.DispatcherGateway.ResultAnswer;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.StartOutcome;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.Messages;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DescribeDataSet;
import io.millrace.protocol.ResourceManagerGateway.ReleaseDataSet;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** A client in the process of the JobManager. It calls the current leaders, like other clients. */
class DispatcherClient implements ClusterClient {
  private static final int MAX_UPLOADS = 3;

  private final RecordCodec codec = Messages.graphCodec();
  private final BlobStore blobs;
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final LeaderGateway<ResourceManagerGateway> resourceManager;
  private final Duration longestWait;

  /**
   * @param blobs the blobs of the JobManager
   */
  DispatcherClient(Rpc rpc, LeaderRetrieval leaders, BlobStore blobs, Configuration configuration) {
    this.blobs = blobs;
    this.dispatcher =
        new LeaderGateway<>(
            rpc,
            leaders,
            DispatcherGateway.class,
            ComponentNames.DISPATCHER,
            rpc.env().mailbox("client"));
    this.resourceManager =
        new LeaderGateway<>(
            rpc,
            leaders,
            ResourceManagerGateway.class,
            ComponentNames.RESOURCE_MANAGER,
            rpc.env().mailbox("client-resources"));
    this.longestWait = configuration.get(RpcOptions.ASK_TIMEOUT).dividedBy(2);
  }

  @Override
  public final String address() {
    return "this process";
  }

  @Override
  public void submit(JobGraph graph, List<Path> jars) {
    for (int attempt = 1; ; attempt++) {
      List<JarFile> files = store(jars);
      BlobKey key = store(Bytes.wrap(codec.encode(graph.withJars(files))));
      try {
        call(gateway -> gateway.submitJob(new SubmitJob(graph.id(), key)));
        return;
      } catch (MillraceException refused) {
        // A jar is deleted with the last job that uses it, which may happen after this upload.
        if (attempt == MAX_UPLOADS || files.stream().allMatch(file -> isStored(file.blob()))) {
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

  private BlobKey store(Bytes content) {
    try {
      return blobs.put(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the cluster runs this job or has its result. */
  final boolean isKnown(JobId job) {
    return result(job, Duration.ZERO).known();
  }

  @Override
  public final List<JobOverview> jobs() {
    return call(gateway -> gateway.listJobs(new ListJobs())).jobs();
  }

  @Override
  public final Optional<JobResult> awaitResult(JobId job, Duration timeout) {
    ResultAnswer answer = result(job, shorterThanCall(timeout));
    if (!answer.known()) {
      throw new MillraceException(ErrorKind.USER, "There is no job " + job + ".");
    }
    return answer.result();
  }

  private ResultAnswer result(JobId job, Duration timeout) {
    return call(gateway -> gateway.awaitResult(new AwaitResult(job, timeout)));
  }

  @Override
  public final CancelOutcome cancel(JobId job) {
    return call(gateway -> gateway.cancelJob(new CancelJob(job))).outcome();
  }

  @Override
  public final CollectedPage collected(JobId job, String name, long next, Duration timeout) {
    Duration wait = shorterThanCall(timeout);
    return call(gateway -> gateway.fetchCollected(new FetchCollected(job, name, next, wait)));
  }

  /** The tasks of a job; empty if the cluster does not know the job. */
  final Optional<JobDetails> describe(JobId job) {
    return call(gateway -> gateway.describeJob(new DescribeJob(job))).job();
  }

  /** The metrics that functions and operators of a vertex have registered. */
  final JobMetrics metrics(JobId job, VertexId vertex) {
    return call(gateway -> gateway.readJobMetrics(new ReadJobMetrics(job, vertex)));
  }

  /** Starts a checkpoint or a savepoint. */
  final StartOutcome startCheckpoint(StartJobCheckpoint request) {
    return call(gateway -> gateway.startCheckpoint(request)).outcome();
  }

  /** The checkpoints of a job; empty if the cluster does not know the job. */
  final Optional<CheckpointStatistics> checkpoints(JobId job) {
    return call(gateway -> gateway.listCheckpoints(new ListJobCheckpoints(job))).statistics();
  }

  @Override
  public final Optional<CachedDataSet> dataSet(DataSetId id) {
    return await(
            resourceManager
                .find()
                .thenCompose(gateway -> gateway.describeDataSet(new DescribeDataSet(id))))
        .dataSet()
        .filter(DataSetInfo::isComplete)
        .map(
            known ->
                new CachedDataSet(
                    id,
                    known.producer(),
                    known.term(),
                    known.partitions().stream().map(DataSetInfo.Placed::dataAddress).toList()));
  }

  @Override
  public final void releaseDataSet(DataSetId id) {
    await(
        resourceManager
            .find()
            .thenCompose(gateway -> gateway.releaseDataSet(new ReleaseDataSet(id))));
  }

  @Override
  public final void close() {
    dispatcher.close();
    resourceManager.close();
  }

  private Duration shorterThanCall(Duration timeout) {
    return timeout.compareTo(longestWait) < 0 ? timeout : longestWait;
  }

  private <T> T call(Function<DispatcherGateway, CompletableFuture<T>> action) {
    return await(dispatcher.find().thenCompose(action));
  }

  private static <T> T await(CompletableFuture<T> result) {
    try {
      return result.get();
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
}
