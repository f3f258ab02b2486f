package io.millrace.sim.cluster;

import io.millrace.control.blob.BlobStore;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.JobId;
import io.millrace.graph.JarFile;
import io.millrace.protocol.ComponentNames;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DispatcherGateway;
import io.millrace.protocol.DispatcherGateway.AwaitResult;
import io.millrace.protocol.DispatcherGateway.CancelJob;
import io.millrace.protocol.DispatcherGateway.ClientHeartbeat;
import io.millrace.protocol.DispatcherGateway.DescribeJob;
import io.millrace.protocol.DispatcherGateway.ListJobs;
import io.millrace.protocol.DispatcherGateway.ReadJournal;
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
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A client that tries again, over changes of leaders and broken connections, until it has an
 * answer. It is told a job's result once and remembers it.
 */
final class SimClient {
  private static final Duration PAUSE = Duration.ofSeconds(1);
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
   * @param blobsAt the blobs of the JobManager at an address, where it lives
   */
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

  /** Whether an answer to some submission is still to come. */
  boolean isSubmitting() {
    return !submitting.isEmpty();
  }

  /** The jobs that the cluster has taken. */
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
              if (failure == null || (isFinal(failure) && hasJarsOf(job))) {
                // What is refused for good is there already: it was submitted twice.
                submitted.add(job.id());
                submitting.remove(job.id());
                if (job.graph().clientTimeout().isPresent() && beating.add(job.id())) {
                  mailbox.after(BEAT, () -> beat(job.id()));
                }
              } else {
                mailbox.after(PAUSE, () -> submitNow(job));
              }
            });
  }

  /**
   * A job that ended between upload and submission may have taken a jar with it that both have: the
   * submission is refused then, and the user has to upload the jar again.
   */
  private boolean hasJarsOf(SimJob job) {
    Optional<BlobStore> blobs = leader.flatMap(known -> blobsAt.apply(known.address().process()));
    try {
      for (JarFile jar : job.graph().jars()) {
        if (blobs.isEmpty() || !blobs.get().contains(jar.blob())) {
          return false;
        }
      }
      return true;
    } catch (IOException | MillraceException | SimProcess.Killed e) {
      return false;
    }
  }

  void cancel(JobId job) {
    untilAnswered(dispatcher, gateway -> gateway.cancelJob(new CancelJob(job)), done -> {});
  }

  /** For a job that ends with its client this one is dead from now on. */
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

  /** Asks for the journal along with it. */
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

  void limit(int most) {
    untilAnswered(
        resourceManager, gateway -> gateway.limitWorkers(new LimitWorkers(most)), done -> {});
  }

  /** All results that are kept for later jobs. */
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

  /**
   * Asks for a job's result until it is told, or until the cluster says that it has no such job.
   */
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
            // What is told now has to be told by every leader to come.
            describe(job);
          } else {
            mailbox.after(answer.known() ? Duration.ZERO : PATIENCE, () -> ask(job));
          }
        });
  }

  private <G extends Gateway, T> void untilAnswered(
      LeaderGateway<G> target, Function<G, CompletableFuture<T>> call, Consumer<T> then) {
    target
        .find()
        .thenCompose(call)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                then.accept(answer);
              } else if (!isFinal(failure)) {
                mailbox.after(PAUSE, () -> untilAnswered(target, call, then));
              }
            });
  }

  /** Whether asking again would not help. */
  private static boolean isFinal(Throwable failure) {
    Throwable cause = Failure.unwrap(failure);
    return cause instanceof RpcException call && call.failure().kind() == ErrorKind.USER;
  }
}
