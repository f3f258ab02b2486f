package io.millrace.control.resourcemanager;

import io.millrace.control.slotmanager.SlotEvent.DataHeld;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DataSetInfo.Placed;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway.DataSetEntry;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetKept;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetRelease;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetReleased;
import io.millrace.protocol.journal.ResourceManagerEvent.ResultsHeld;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Mailbox;
import io.millrace.task.ClusterPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cached data sets of the cluster, from the reports of workers. They are not stored: a new
 * leader knows them as soon as the workers have registered. Lives in the mailbox of the
 * ResourceManager.
 *
 * <p>An incomplete data set cannot be read. Its missing partitions may be on a worker that has not
 * reported yet. After the heartbeat timeout the partitions of an incomplete data set are released.
 */
final class ClusterDataSets implements TaskManagerRegistry.PartitionListener {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterDataSets.class);

  private final ResourceManagerContext context;
  private final Releaser releaser;
  private final Map<WorkerId, ReportedPartitions> workers = new TreeMap<>();
  private final Map<ProducedDataSet, DataSet> dataSets = new TreeMap<>();
  private long nextCompletion = 1;

  /** Tells a registered worker to delete partitions. */
  interface Releaser {
    CompletableFuture<Acknowledge> release(
        WorkerId worker, InstanceId instance, List<ClusterPartition> partitions);
  }

  /** Identifies the data set that one leader of a job has produced. */
  private record ProducedDataSet(DataSetId id, JobId producer, long term)
      implements Comparable<ProducedDataSet> {
    private static final Comparator<ProducedDataSet> ORDER =
        Comparator.comparing(ProducedDataSet::id)
            .thenComparing(ProducedDataSet::producer)
            .thenComparing(ProducedDataSet::term);

    static ProducedDataSet of(ClusterPartition partition) {
      return new ProducedDataSet(partition.dataSet(), partition.producer(), partition.term());
    }

    @Override
    public int compareTo(ProducedDataSet other) {
      return ORDER.compare(this, other);
    }
  }

  /** The last report of a worker. */
  private static final class ReportedPartitions {
    private final InstanceId instance;
    private List<ClusterPartition> partitions = new ArrayList<>();
    private long version;

    /** Whether the SlotManager was told that the worker holds data. */
    private boolean holdsData;

    ReportedPartitions(InstanceId instance) {
      this.instance = instance;
    }
  }

  private static final class DataSet {
    private final int total;
    private final Map<Integer, WorkerId> locations = new TreeMap<>();
    private Mailbox.Timer completionTimeout = () -> {};

    /** The position in the order in which data sets became complete; 0 if it never was complete. */
    private long completion;

    /** Not listed any more. Workers that report partitions of it are told to delete them. */
    private boolean released;

    DataSet(int total) {
      this.total = total;
    }

    boolean isComplete() {
      return !released && locations.size() == total;
    }

    long rank() {
      return isComplete() ? completion : Long.MAX_VALUE;
    }
  }

  ClusterDataSets(ResourceManagerContext context, Releaser releaser) {
    this.context = context;
    this.releaser = releaser;
  }

  @Override
  public void reported(WorkerId worker, InstanceId instance, PartitionReport report) {
    ReportedPartitions reported = workers.get(worker);
    if (reported == null || !reported.instance.equals(instance)) {
      if (!report.isHeld()) {
        return;
      }
      reported = new ReportedPartitions(instance);
      workers.put(worker, reported);
    } else if (report.version() <= reported.version) {
      return;
    }
    reported.version = report.version();
    List<ClusterPartition> before = reported.partitions;
    reported.partitions = report.kept();
    remove(worker, without(before, report.kept()));
    add(worker, without(report.kept(), before));
    // Includes partitions of earlier release messages, which may have been lost.
    List<ClusterPartition> unwanted =
        reported.partitions.stream()
            .filter(partition -> dataSets.get(ProducedDataSet.of(partition)).released)
            .toList();
    if (!unwanted.isEmpty()) {
      release(worker, instance, unwanted);
    }
    if (report.isHeld() != reported.holdsData) {
      reported.holdsData = report.isHeld();
      dataHeldChanged(worker, reported, report);
    }
  }

  private static List<ClusterPartition> without(
      List<ClusterPartition> partitions, List<ClusterPartition> others) {
    List<ClusterPartition> left = new ArrayList<>(partitions);
    left.removeAll(new HashSet<>(others));
    return left;
  }

  private void dataHeldChanged(
      WorkerId worker, ReportedPartitions reported, PartitionReport report) {
    ResultsHeld results =
        new ResultsHeld(report.isHeld(), report.kept().size(), report.undecided());
    LOG.info("Worker {}: {}", worker, JournalText.of(results));
    context.record(results, worker);
    context.apply().accept(new DataHeld(worker, reported.instance, reported.holdsData));
  }

  @Override
  public void lost(WorkerId worker) {
    ReportedPartitions reported = workers.remove(worker);
    if (reported != null) {
      remove(worker, reported.partitions);
    }
  }

  /** The data sets that are not released, each once. */
  List<DataSetEntry> list() {
    Map<DataSetId, Boolean> complete = new TreeMap<>();
    dataSets.forEach(
        (produced, dataSet) -> {
          if (!dataSet.released) {
            complete.merge(produced.id(), dataSet.isComplete(), Boolean::logicalOr);
          }
        });
    List<DataSetEntry> entries = new ArrayList<>();
    complete.forEach((id, whole) -> entries.add(new DataSetEntry(id, whole)));
    return entries;
  }

  /** The data set of the job that completed it first. */
  Optional<DataSetInfo> describe(DataSetId id, Function<WorkerId, String> dataAddress) {
    return dataSets.entrySet().stream()
        .filter(entry -> entry.getKey().id().equals(id) && !entry.getValue().released)
        .min(Comparator.comparingLong(entry -> entry.getValue().rank()))
        .map(entry -> info(entry.getKey(), entry.getValue(), dataAddress));
  }

  private static DataSetInfo info(
      ProducedDataSet produced, DataSet dataSet, Function<WorkerId, String> dataAddress) {
    List<Placed> placed = new ArrayList<>();
    dataSet.locations.forEach(
        (index, worker) -> placed.add(new Placed(index, worker, dataAddress.apply(worker))));
    return new DataSetInfo(
        produced.id(), produced.producer(), produced.term(), dataSet.total, placed);
  }

  /** Releases a data set. Completes when the workers have deleted it. */
  CompletableFuture<Void> release(DataSetId id) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (ProducedDataSet produced : new ArrayList<>(dataSets.keySet())) {
      if (produced.id().equals(id)) {
        all = all.thenCombine(release(produced, DataSetRelease.BY_USER), (first, second) -> null);
      }
    }
    return all;
  }

  void close() {
    dataSets.values().forEach(dataSet -> dataSet.completionTimeout.cancel());
  }

  private void remove(WorkerId worker, List<ClusterPartition> partitions) {
    for (ClusterPartition partition : partitions) {
      ProducedDataSet produced = ProducedDataSet.of(partition);
      DataSet dataSet = dataSets.get(produced);
      if (dataSet == null || !dataSet.locations.remove(partition.index(), worker)) {
        continue;
      }
      if (dataSet.locations.isEmpty()) {
        dataSet.completionTimeout.cancel();
        dataSets.remove(produced);
        LOG.info(
            "Data set {} of job {} has no partitions any more", produced.id(), produced.producer());
      } else {
        awaitCompletion(produced, dataSet);
      }
    }
  }

  private void add(WorkerId worker, List<ClusterPartition> partitions) {
    for (ClusterPartition partition : partitions) {
      ProducedDataSet produced = ProducedDataSet.of(partition);
      DataSet dataSet = dataSets.computeIfAbsent(produced, key -> new DataSet(partition.total()));
      dataSet.locations.putIfAbsent(partition.index(), worker);
      if (dataSet.isComplete()) {
        completed(produced, dataSet);
      } else {
        awaitCompletion(produced, dataSet);
      }
    }
  }

  private void completed(ProducedDataSet produced, DataSet dataSet) {
    dataSet.completionTimeout.cancel();
    if (dataSet.completion == 0) {
      dataSet.completion = nextCompletion++;
      LOG.info(
          "Data set {} is complete: {} partitions of job {}",
          produced.id(),
          dataSet.total,
          produced.producer());
      context.record(new DataSetKept(produced.id(), dataSet.total), produced.producer());
    }
    // Jobs read the data set that became complete first, so a duplicate is never read.
    dataSets.entrySet().stream()
        .filter(entry -> entry.getKey().id().equals(produced.id()) && entry.getValue().isComplete())
        .sorted(Comparator.comparingLong(entry -> entry.getValue().completion))
        .skip(1)
        .map(Map.Entry::getKey)
        .forEach(
            another -> context.mailbox().post(() -> release(another, DataSetRelease.DUPLICATE)));
  }

  private void awaitCompletion(ProducedDataSet produced, DataSet dataSet) {
    dataSet.completionTimeout.cancel();
    if (!dataSet.released) {
      dataSet.completionTimeout =
          context
              .mailbox()
              .after(
                  context.configuration().get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT),
                  () -> release(produced, DataSetRelease.INCOMPLETE));
    }
  }

  private CompletableFuture<Void> release(ProducedDataSet produced, DataSetRelease cause) {
    DataSet dataSet = dataSets.get(produced);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    if (dataSet == null || dataSet.released) {
      return all;
    }
    dataSet.completionTimeout.cancel();
    dataSet.released = true;
    DataSetReleased released = new DataSetReleased(produced.id(), cause);
    LOG.info("Job {}: {}", produced.producer(), JournalText.of(released));
    context.record(released, produced.producer());
    for (Map.Entry<WorkerId, ReportedPartitions> entry : new TreeMap<>(workers).entrySet()) {
      List<ClusterPartition> partitions =
          entry.getValue().partitions.stream()
              .filter(partition -> ProducedDataSet.of(partition).equals(produced))
              .toList();
      if (!partitions.isEmpty()) {
        all =
            all.thenCombine(
                release(entry.getKey(), entry.getValue().instance, partitions),
                (first, second) -> null);
      }
    }
    return all;
  }

  /** A worker that does not answer is told again when it reports the partitions again. */
  private CompletableFuture<Acknowledge> release(
      WorkerId worker, InstanceId instance, List<ClusterPartition> partitions) {
    return releaser
        .release(worker, instance, partitions)
        .whenComplete(
            (done, failure) -> {
              if (failure != null) {
                LOG.info(
                    "Worker {} does not confirm that it has deleted {} partitions: {}",
                    worker,
                    partitions.size(),
                    Failure.sentence(Failure.unwrap(failure)));
              }
            });
  }
}
