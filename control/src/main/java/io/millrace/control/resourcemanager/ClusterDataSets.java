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
 * The results that workers keep for later jobs, as the workers report them: nothing of this is
 * stored, so a new term knows as much as soon as they have registered. Lives in the
 * ResourceManager's mailbox.
 *
 * <p>A data set of which some partition is missing is of no use. It may be on its way, with a
 * worker that has yet to report; after the time in which a silent worker counts as lost, what is
 * there of it is released.
 */
final class ClusterDataSets implements TaskManagerRegistry.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterDataSets.class);

  private final ResourceManagerContext term;
  private final Releaser releaser;
  private final Map<WorkerId, Held> workers = new TreeMap<>();
  private final Map<Production, DataSet> dataSets = new TreeMap<>();
  private long nextCompletion = 1;

  /** Has a registered worker delete partitions. */
  interface Releaser {
    CompletableFuture<Acknowledge> release(
        WorkerId worker, InstanceId instance, List<ClusterPartition> partitions);
  }

  /** A data set as one run of a job has computed it. */
  private record Production(DataSetId id, JobId producer, long term)
      implements Comparable<Production> {
    private static final Comparator<Production> ORDER =
        Comparator.comparing(Production::id)
            .thenComparing(Production::producer)
            .thenComparing(Production::term);

    static Production of(ClusterPartition partition) {
      return new Production(partition.dataSet(), partition.producer(), partition.term());
    }

    @Override
    public int compareTo(Production other) {
      return ORDER.compare(this, other);
    }
  }

  /** What a worker's last report says. */
  private static final class Held {
    private final InstanceId instance;
    private List<ClusterPartition> partitions = new ArrayList<>();
    private long version;
    private boolean told;

    Held(InstanceId instance) {
      this.instance = instance;
    }
  }

  private static final class DataSet {
    private final int total;
    private final Map<Integer, WorkerId> places = new TreeMap<>();
    private Mailbox.Timer patience = () -> {};

    /** When it was first complete, among all that ever were; 0 before. */
    private long completion;

    /** Nobody is told of it any more; who still has some of it is to delete that. */
    private boolean released;

    DataSet(int total) {
      this.total = total;
    }

    boolean isComplete() {
      return !released && places.size() == total;
    }

    long rank() {
      return isComplete() ? completion : Long.MAX_VALUE;
    }
  }

  ClusterDataSets(ResourceManagerContext term, Releaser releaser) {
    this.term = term;
    this.releaser = releaser;
  }

  @Override
  public void reported(WorkerId worker, InstanceId instance, PartitionReport report) {
    Held held = workers.get(worker);
    if (held == null || !held.instance.equals(instance)) {
      if (!report.isHeld()) {
        return;
      }
      held = new Held(instance);
      workers.put(worker, held);
    } else if (report.version() <= held.version) {
      return;
    }
    held.version = report.version();
    List<ClusterPartition> before = held.partitions;
    held.partitions = report.kept();
    remove(worker, without(before, report.kept()));
    add(worker, without(report.kept(), before));
    // Also those it was told of before: it may not have heard.
    List<ClusterPartition> unwanted =
        held.partitions.stream()
            .filter(partition -> dataSets.get(Production.of(partition)).released)
            .toList();
    if (!unwanted.isEmpty()) {
      release(worker, instance, unwanted);
    }
    if (report.isHeld() != held.told) {
      held.told = report.isHeld();
      tell(worker, held, report);
    }
  }

  private static List<ClusterPartition> without(
      List<ClusterPartition> partitions, List<ClusterPartition> others) {
    List<ClusterPartition> left = new ArrayList<>(partitions);
    left.removeAll(new HashSet<>(others));
    return left;
  }

  private void tell(WorkerId worker, Held held, PartitionReport report) {
    ResultsHeld results =
        new ResultsHeld(report.isHeld(), report.kept().size(), report.undecided());
    LOG.info("Worker {}: {}", worker, JournalText.of(results));
    term.record(results, worker);
    term.apply().accept(new DataHeld(worker, held.instance, held.told));
  }

  @Override
  public void lost(WorkerId worker) {
    Held held = workers.remove(worker);
    if (held != null) {
      remove(worker, held.partitions);
    }
  }

  /** Every data set that somebody could ask for, each once. */
  List<DataSetEntry> list() {
    Map<DataSetId, Boolean> complete = new TreeMap<>();
    dataSets.forEach(
        (which, dataSet) -> {
          if (!dataSet.released) {
            complete.merge(which.id(), dataSet.isComplete(), Boolean::logicalOr);
          }
        });
    List<DataSetEntry> entries = new ArrayList<>();
    complete.forEach((id, whole) -> entries.add(new DataSetEntry(id, whole)));
    return entries;
  }

  /** The data set, as the job computed it that completed it first. */
  Optional<DataSetInfo> describe(DataSetId id, Function<WorkerId, String> dataAddress) {
    return dataSets.entrySet().stream()
        .filter(entry -> entry.getKey().id().equals(id) && !entry.getValue().released)
        .min(Comparator.comparingLong(entry -> entry.getValue().rank()))
        .map(entry -> info(entry.getKey(), entry.getValue(), dataAddress));
  }

  private static DataSetInfo info(
      Production which, DataSet dataSet, Function<WorkerId, String> dataAddress) {
    List<Placed> placed = new ArrayList<>();
    dataSet.places.forEach(
        (index, worker) -> placed.add(new Placed(index, worker, dataAddress.apply(worker))));
    return new DataSetInfo(which.id(), which.producer(), which.term(), dataSet.total, placed);
  }

  /** Completes when the workers have deleted it. */
  CompletableFuture<Void> release(DataSetId id) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Production which : new ArrayList<>(dataSets.keySet())) {
      if (which.id().equals(id)) {
        all = all.thenCombine(release(which, DataSetRelease.BY_USER), (x, y) -> null);
      }
    }
    return all;
  }

  void close() {
    dataSets.values().forEach(dataSet -> dataSet.patience.cancel());
  }

  private void remove(WorkerId worker, List<ClusterPartition> partitions) {
    for (ClusterPartition partition : partitions) {
      Production which = Production.of(partition);
      DataSet dataSet = dataSets.get(which);
      if (dataSet == null || !dataSet.places.remove(partition.index(), worker)) {
        continue;
      }
      if (dataSet.places.isEmpty()) {
        dataSet.patience.cancel();
        dataSets.remove(which);
        LOG.info("Data set {} of job {} is gone", which.id(), which.producer());
      } else {
        awaitRest(which, dataSet);
      }
    }
  }

  private void add(WorkerId worker, List<ClusterPartition> partitions) {
    for (ClusterPartition partition : partitions) {
      Production which = Production.of(partition);
      DataSet dataSet = dataSets.computeIfAbsent(which, x -> new DataSet(partition.total()));
      dataSet.places.putIfAbsent(partition.index(), worker);
      if (dataSet.isComplete()) {
        completed(which, dataSet);
      } else {
        awaitRest(which, dataSet);
      }
    }
  }

  private void completed(Production which, DataSet dataSet) {
    dataSet.patience.cancel();
    if (dataSet.completion == 0) {
      dataSet.completion = nextCompletion++;
      LOG.info(
          "Data set {} is complete: {} partitions of job {}",
          which.id(),
          dataSet.total,
          which.producer());
      term.record(new DataSetKept(which.id(), dataSet.total), which.producer());
    }
    // A job may read the one that was complete first, and nobody would ever read another.
    dataSets.entrySet().stream()
        .filter(entry -> entry.getKey().id().equals(which.id()) && entry.getValue().isComplete())
        .sorted(Comparator.comparingLong(entry -> entry.getValue().completion))
        .skip(1)
        .map(Map.Entry::getKey)
        .forEach(another -> term.mailbox().post(() -> release(another, DataSetRelease.DUPLICATE)));
  }

  private void awaitRest(Production which, DataSet dataSet) {
    dataSet.patience.cancel();
    if (!dataSet.released) {
      dataSet.patience =
          term.mailbox()
              .after(
                  term.configuration().get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT),
                  () -> release(which, DataSetRelease.INCOMPLETE));
    }
  }

  private CompletableFuture<Void> release(Production which, DataSetRelease cause) {
    DataSet dataSet = dataSets.get(which);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    if (dataSet == null || dataSet.released) {
      return all;
    }
    dataSet.patience.cancel();
    dataSet.released = true;
    DataSetReleased released = new DataSetReleased(which.id(), cause);
    LOG.info("Job {}: {}", which.producer(), JournalText.of(released));
    term.record(released, which.producer());
    for (Map.Entry<WorkerId, Held> entry : new TreeMap<>(workers).entrySet()) {
      List<ClusterPartition> there =
          entry.getValue().partitions.stream()
              .filter(partition -> Production.of(partition).equals(which))
              .toList();
      if (!there.isEmpty()) {
        all =
            all.thenCombine(
                release(entry.getKey(), entry.getValue().instance, there), (x, y) -> null);
      }
    }
    return all;
  }

  /** One that does not answer is told again when it reports them again. */
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
