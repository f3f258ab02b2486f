package io.millrace.sim.cluster;

import io.millrace.control.blob.BlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.ListJobCheckpoints;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.StartOutcome;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobResult;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.Block;
import io.millrace.protocol.ResourceManagerGateway.DataSetEntry;
import io.millrace.protocol.ResourceManagerGateway.DescribeDataSet;
import io.millrace.protocol.ResourceManagerGateway.LimitWorkers;
import io.millrace.protocol.ResourceManagerGateway.ListDataSets;
import io.millrace.protocol.ResourceManagerGateway.ListWorkers;
import io.millrace.protocol.ResourceManagerGateway.ReleaseDataSet;
import io.millrace.protocol.ResourceManagerGateway.Unblock;
import io.millrace.protocol.WorkerInfo;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderGateway;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.sim.SimProcess;
import io.millrace.sim.scenario.SimJob;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A client that repeats requests until it has an answer, across leader changes and broken
 * connections. It keeps the results of jobs.
 */
final class SimClient {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final String SAVEPOINTS = "/savepoints";
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration BEAT = Duration.ofSeconds(3);

  private final Mailbox mailbox;
  private final RecordCodec codec;
  private final Function<String, Optional<BlobStore>> blobsAt;
  private final LeaderGateway<DispatcherGateway> dispatcher;
  private final LeaderGateway<ResourceManagerGateway> resourceManager;
  private final Map<JobId, JobResult> results = new LinkedHashMap<>();
  private final Set<JobId> submitting = new LinkedHashSet<>();
  private final Set<JobId> submitted = new LinkedHashSet<>();
  private final Set<JobId> awaiting = new LinkedHashSet<>();
  private final Set<JobId> beating = new LinkedHashSet<>();
  private final Set<JobId> dead = new LinkedHashSet<>();
  private Optional<Leader> leader = Optional.empty();

  /**
   * @param blobsAt the blobs of the JobManager at an address, if it lives
   */
  private final Map<JobId, List<String>> savepoints = new LinkedHashMap<>();

  private long requests;
  private long limits;

  SimClient(
      Rpc rpc,
      LeaderRetrieval leaders,
      RecordCodec codec,
      Function<String, Optional<BlobStore>> blobsAt) {
    this.mailbox = rpc.env().mailbox("client");
    this.codec = codec;
    this.blobsAt = blobsAt;
    this.dispatcher =
        new LeaderGateway<>(
            rpc, leaders, DispatcherGateway.class, ComponentNames.DISPATCHER, mailbox);
    this.resourceManager =
        new LeaderGateway<>(
            rpc, leaders, ResourceManagerGateway.class, ComponentNames.RESOURCE_MANAGER, mailbox);
    leaders.follow(ComponentNames.DISPATCHER, mailbox, now -> leader = now);
  }

  /** Whether a submission is not answered yet. */
  boolean isSubmitting() {
    return !submitting.isEmpty();
  }

  /** The jobs that the cluster has accepted. */
  Set<JobId> submitted() {
    return submitted;
  }

  Optional<JobResult> result(JobId job) {
    return Optional.ofNullable(results.get(job));
  }

  void submit(SimJob job) {
    submitting.add(job.id());
    mailbox.post(() -> submitNow(job));
  }

  private void submitNow(SimJob job) {
    Optional<BlobStore> blobs = leader.flatMap(known -> blobsAt.apply(known.address().process()));
    if (blobs.isEmpty()) {
      mailbox.after(PAUSE, () -> submitNow(job));
      return;
    }
    BlobKey key;
    try {
      for (Bytes jar : job.jars()) {
        blobs.get().put(jar);
      }
      key = blobs.get().put(Bytes.wrap(codec.encode(job.graph())));
    } catch (IOException | MillraceException | SimProcess.Killed e) {
      mailbox.after(PAUSE, () -> submitNow(job));
      return;
    }
    dispatcher
        .find()
        .thenCompose(gateway -> gateway.submitJob(new SubmitJob(job.id(), key)))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                accepted(job);
              } else if (isFinal(failure)) {
                rejected(job);
              } else {
                mailbox.after(PAUSE, () -> submitNow(job));
              }
            });
  }

  private void accepted(SimJob job) {
    submitted.add(job.id());
    submitting.remove(job.id());
    if (job.graph().clientTimeout().isPresent() && beating.add(job.id())) {
      mailbox.after(BEAT, () -> beat(job.id()));
    }
  }

  /**
   * A job is rejected if it was submitted before, or if another job ended between the upload and
   * the submission and a jar was deleted that both have. In the second case the cluster does not
   * know the job, and the user has to upload the jar again.
   */
  private void rejected(SimJob job) {
    untilAnswered(
        dispatcher,
        gateway -> gateway.awaitResult(new AwaitResult(job.id(), Duration.ofMillis(1))),
        answer -> {
          if (answer.known()) {
            accepted(job);
          } else {
            mailbox.after(PAUSE, () -> submitNow(job));
          }
        });
  }

  /** Submits a job with the state of a checkpoint or savepoint. */
  void resume(SimJob job, String path) {
    submit(
        new SimJob(
            job.graph()
                .withConfiguration(
                    job.graph().configuration().with(StateRecoveryOptions.PATH, path)),
            job.behaviour(),
            job.jars()));
  }

  /** Requests a savepoint, perhaps one that stops the job, and asks for its outcome. */
  void savepoint(JobId job, CheckpointRequest.Type type) {
    Id128 operation = new Id128(7, ++requests);
    untilAnswered(
        dispatcher,
        gateway ->
            gateway.startCheckpoint(
                new StartJobCheckpoint(job, operation, type, Optional.of(SAVEPOINTS))),
        reply -> {
          if (reply.outcome() == StartOutcome.ACCEPTED) {
            askSavepoint(job, operation, 20);
          }
        });
  }

  private void askSavepoint(JobId job, Id128 operation, int times) {
    untilAnswered(
        dispatcher,
        gateway -> gateway.listCheckpoints(new ListJobCheckpoints(job)),
        answer -> {
          Optional<CheckpointOperation> found =
              answer.statistics().flatMap(known -> known.operation(operation));
          found
              .flatMap(CheckpointOperation::completed)
              .ifPresent(
                  completed ->
                      savepoints
                          .computeIfAbsent(job, id -> new ArrayList<>())
                          .add(completed.directory()));
          if (found.filter(CheckpointOperation::isDone).isEmpty() && times > 0) {
            mailbox.after(PAUSE, () -> askSavepoint(job, operation, times - 1));
          }
        });
  }

  /** The directories of the completed savepoints of a job. */
  List<String> savepoints(JobId job) {
    return savepoints.getOrDefault(job, List.of());
  }

  void cancel(JobId job) {
    untilAnswered(dispatcher, gateway -> gateway.cancelJob(new CancelJob(job)), done -> {});
  }

  /** From now on the client of this job sends no heartbeats. */
  void dies(JobId job) {
    dead.add(job);
  }

  private void beat(JobId job) {
    if (dead.contains(job)) {
      return;
    }
    dispatcher
        .find()
        .thenCompose(gateway -> gateway.hearClient(new ClientHeartbeat(job)))
        .whenComplete(
            (answer, failure) -> {
              if (failure != null || answer.expected()) {
                mailbox.after(BEAT, () -> beat(job));
              }
            });
  }

  void list() {
    untilAnswered(dispatcher, gateway -> gateway.listJobs(new ListJobs()), done -> {});
  }

  /** Also requests the journal. */
  CompletableFuture<Optional<JobDetails>> describe(JobId job) {
    CompletableFuture<Optional<JobDetails>> details = new CompletableFuture<>();
    untilAnswered(dispatcher, gateway -> gateway.readJournal(new ReadJournal(job)), done -> {});
    untilAnswered(
        dispatcher,
        gateway -> gateway.describeJob(new DescribeJob(job)),
        answer -> details.complete(answer.job()));
    return details;
  }

  CompletableFuture<List<WorkerInfo>> workers() {
    CompletableFuture<List<WorkerInfo>> workers = new CompletableFuture<>();
    untilAnswered(
        resourceManager,
        gateway -> gateway.listWorkers(new ListWorkers()),
        answer -> workers.complete(answer.workers()));
    return workers;
  }

  /** Gives up an earlier limit that is not answered: repeated later, it would replace this one. */
  void limit(int most) {
    long own = ++limits;
    untilAnswered(
        resourceManager,
        gateway -> gateway.limitWorkers(new LimitWorkers(most)),
        done -> {},
        () -> own == limits);
  }

  /** All cached data sets. */
  CompletableFuture<List<DataSetInfo>> dataSets() {
    CompletableFuture<List<DataSetInfo>> all = new CompletableFuture<>();
    untilAnswered(
        resourceManager,
        gateway -> gateway.listDataSets(new ListDataSets()),
        answer -> describe(answer.dataSets(), new ArrayList<>(), all));
    return all;
  }

  private void describe(
      List<DataSetEntry> left, List<DataSetInfo> found, CompletableFuture<List<DataSetInfo>> all) {
    if (left.isEmpty()) {
      all.complete(found);
      return;
    }
    untilAnswered(
        resourceManager,
        gateway -> gateway.describeDataSet(new DescribeDataSet(left.get(0).id())),
        answer -> {
          answer.dataSet().ifPresent(found::add);
          describe(left.subList(1, left.size()), found, all);
        });
  }

  void delete(DataSetId dataSet) {
    untilAnswered(
        resourceManager,
        gateway -> gateway.releaseDataSet(new ReleaseDataSet(dataSet)),
        done -> {});
  }

  void block(String worker, Duration time) {
    untilAnswered(
        resourceManager,
        gateway -> gateway.block(new Block(worker, time, "It looks ill.")),
        done -> {});
  }

  void unblock(String worker) {
    untilAnswered(resourceManager, gateway -> gateway.unblock(new Unblock(worker)), done -> {});
  }

  /** Requests the result of a job until it is there or until the cluster does not know the job. */
  void awaitResult(JobId job) {
    if (awaiting.add(job)) {
      mailbox.post(() -> ask(job));
    }
  }

  private void ask(JobId job) {
    untilAnswered(
        dispatcher,
        gateway -> gateway.awaitResult(new AwaitResult(job, PATIENCE)),
        answer -> {
          if (answer.result().isPresent()) {
            results.put(job, answer.result().get());
            // All later leaders have to give the same answers.
            describe(job);
          } else {
            mailbox.after(answer.known() ? Duration.ZERO : PATIENCE, () -> ask(job));
          }
        });
  }

  private <G extends Gateway, T> void untilAnswered(
      LeaderGateway<G> target, Function<G, CompletableFuture<T>> call, Consumer<T> then) {
    untilAnswered(target, call, then, () -> true);
  }

  private <G extends Gateway, T> void untilAnswered(
      LeaderGateway<G> target,
      Function<G, CompletableFuture<T>> call,
      Consumer<T> then,
      BooleanSupplier isWanted) {
    target
        .find()
        .thenCompose(call)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                then.accept(answer);
              } else if (!isFinal(failure)) {
                mailbox.after(
                    PAUSE,
                    () -> {
                      if (isWanted.getAsBoolean()) {
                        untilAnswered(target, call, then, isWanted);
                      }
                    });
              }
            });
  }

  /** Whether a repeated request would not help. */
  private static boolean isFinal(Throwable failure) {
    Throwable cause = Failure.unwrap(failure);
    return cause instanceof RpcException call && call.failure().kind() == ErrorKind.USER;
  }
}
