package io.millrace.control.resourcemanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.DataSetInfo;
import io.millrace.protocol.DataSetInfo.Placed;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway;
import io.millrace.protocol.ResourceManagerGateway.DataSetEntry;
import io.millrace.protocol.ResourceManagerGateway.DescribeDataSet;
import io.millrace.protocol.ResourceManagerGateway.ListDataSets;
import io.millrace.protocol.ResourceManagerGateway.ReleaseDataSet;
import io.millrace.protocol.ResourceManagerGateway.ReportPartitions;
import io.millrace.rpc.Acknowledge;
import io.millrace.task.ClusterPartition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Cached data sets that workers report to the ResourceManager. */
class ClusterDataSetsTest extends ResourceManagerTestBase {
  private static final DataSetId WORDS = new DataSetId(new Id128(5, 1));
  private static final JobId FIRST = new JobId(new Id128(6, 1));
  private static final JobId SECOND = new JobId(new Id128(6, 2));
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final Duration LOST = Duration.ofSeconds(50);

  private long version;

  @Test
  @Behaviour(
      "D10: the ResourceManager tracks the cached partitions that TaskManagers report, and a new"
          + " term learns them")
  void dataSetIsCompleteWhenAllPartitionsAreReported() {
    start();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    assertThat(list()).isEmpty();
    reportPartitions(one, part(FIRST, 0, 2));
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, false));
    assertThat(describe().orElseThrow().isComplete()).isFalse();
    reportPartitions(two, part(FIRST, 1, 2));
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, true));
    DataSetInfo info = describe().orElseThrow();
    assertThat(info.producer()).isEqualTo(FIRST);
    assertThat(info.partitions())
        .extracting(Placed::index, Placed::worker, Placed::dataAddress)
        .containsExactly(
            tuple(0, new WorkerId("one"), "host:1"), tuple(1, new WorkerId("two"), "host:1"));
  }

  /** A new leader learns the data sets in the same way. */
  @Test
  @Behaviour(
      "D10: the ResourceManager tracks the cached partitions that TaskManagers report, and a new"
          + " term learns them")
  void learnsPartitionsFromHeartbeats() {
    start();
    FakeTaskManager worker = taskManager("one", 1);
    worker.partitions = report(part(FIRST, 0, 1));
    register(worker, 1);
    worker.report(leader());
    env.settle();
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, true));

    worker.partitions = report();
    env.advance(HEARTBEAT);
    assertThat(list()).isEmpty();
  }

  @Test
  @Behaviour(
      "D10: the ResourceManager tracks the cached partitions that TaskManagers report, and a new"
          + " term learns them")
  void ignoresAnOlderReport() {
    start();
    FakeTaskManager worker = registered("one", 1);
    PartitionReport before = report();
    reportPartitions(worker, part(FIRST, 0, 1));
    reportPartitions(worker, before);
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, true));
  }

  @Test
  @Behaviour(
      "D10: partitions lost with a TaskManager make their data set incomplete; the rest is"
          + " released and a later job computes it again")
  void releasesAnIncompleteDataSetAfterTheHeartbeatTimeout() {
    start();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    one.partitions = reportPartitions(one, part(FIRST, 0, 2));
    reportPartitions(two, part(FIRST, 1, 2));
    processes.get("two").close();
    env.settle();
    assertThat(list()).as("incomplete").containsExactly(new DataSetEntry(WORDS, false));
    assertThat(one.releases).as("before the heartbeat timeout").isEmpty();

    env.advance(LOST);
    assertThat(one.releases)
        .singleElement()
        .satisfies(
            release -> {
              assertThat(release.partitions()).containsExactly(part(FIRST, 0, 2));
              assertThat(release.resourceManager()).isEqualTo(leader().token());
            });
    assertThat(list()).isEmpty();
  }

  @Test
  @Behaviour(
      "D10: partitions lost with a TaskManager make their data set incomplete; the rest is"
          + " released and a later job computes it again")
  void workerThatRegistersAgainCompletesItsDataSet() {
    start();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    one.partitions = reportPartitions(one, part(FIRST, 0, 2));
    two.partitions = reportPartitions(two, part(FIRST, 1, 2));
    assertThat(register(two, 2).success()).isPresent();
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, false));
    two.report(leader());
    env.settle();
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, true));
    env.advance(LOST);
    assertThat(one.releases).isEmpty();
  }

  @Test
  @Behaviour("D10: cached partitions are released on request of the leader at every TaskManager")
  void releaseCompletesWhenAllWorkersHaveDeletedTheirPartitions() {
    start();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    one.partitions = reportPartitions(one, part(FIRST, 0, 2));
    reportPartitions(two, part(FIRST, 1, 2));
    one.answersReleases = false;
    CompletableFuture<Acknowledge> released = gateway().releaseDataSet(new ReleaseDataSet(WORDS));
    env.settle();
    assertThat(two.releases).hasSize(1);
    assertThat(released).isNotDone();
    assertThat(list()).isEmpty();
    assertThat(describe()).isEmpty();

    one.partitions = report(part(FIRST, 0, 2));
    env.advance(HEARTBEAT);
    assertThat(one.releases).as("repeated release").hasSize(2);
    assertThat(released).isCompletedExceptionally();
    reportPartitions(one);
    reportPartitions(two);
    env.answer(gateway().releaseDataSet(new ReleaseDataSet(WORDS)));
    assertThat(two.releases).as("no partition is left").hasSize(1);
  }

  /** A worker with other partitions may report during the release. */
  @Test
  void laterReportsDoNotRestoreAReleasedDataSet() {
    start();
    FakeTaskManager one = registered("one", 1);
    reportPartitions(one, part(FIRST, 0, 1));
    env.answer(gateway().releaseDataSet(new ReleaseDataSet(WORDS)));
    ClusterPartition other = new ClusterPartition(new DataSetId(new Id128(5, 2)), FIRST, 1, 0, 1);
    reportPartitions(one, part(FIRST, 0, 1), other);
    assertThat(list()).containsExactly(new DataSetEntry(other.dataSet(), true));
    assertThat(one.releases).as("repeated release").hasSize(2);
    PartitionReport stale = report(part(FIRST, 0, 1));
    reportPartitions(one);
    reportPartitions(one, new PartitionReport(stale.version() - 1, stale.kept(), false));
    assertThat(list()).isEmpty();
  }

  /** Another leader of a job produces all partitions again. */
  @Test
  void doesNotCombinePartitionsOfDifferentLeaders() {
    start();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    reportPartitions(one, part(FIRST, 0, 2));
    reportPartitions(two, part(FIRST, 1, 2).finishedIn(2));
    assertThat(list()).containsExactly(new DataSetEntry(WORDS, false));
    reportPartitions(two, part(FIRST, 1, 2).finishedIn(2), part(FIRST, 0, 2).finishedIn(2));
    DataSetInfo info = describe().orElseThrow();
    assertThat(info.term()).isEqualTo(2);
    assertThat(info.partitions()).extracting(Placed::worker).containsOnly(two.id);
  }

  /** A job may read the first data set. */
  @Test
  void releasesTheDuplicateThatIsCompletedLater() {
    start();
    FakeTaskManager one = registered("one", 1);
    reportPartitions(one, part(SECOND, 0, 1));
    reportPartitions(one, part(SECOND, 0, 1), part(FIRST, 0, 1));
    assertThat(one.releases)
        .singleElement()
        .satisfies(release -> assertThat(release.partitions()).containsExactly(part(FIRST, 0, 1)));
    assertThat(describe().orElseThrow().producer()).isEqualTo(SECOND);
  }

  /** The second one was complete while the first one missed a part, which then came back. */
  @Test
  void secondResultGoesAlsoWhereTheFirstIsCompleteAgainOnlyLater() {
    start();
    FakeTaskManager one = registered("one", 1);
    FakeTaskManager two = registered("two", 1);
    one.partitions = reportPartitions(one, part(FIRST, 0, 2));
    two.partitions = reportPartitions(two, part(FIRST, 1, 2));
    assertThat(register(two, 2).success()).isPresent();
    one.partitions = reportPartitions(one, part(FIRST, 0, 2), part(SECOND, 0, 1));
    assertThat(one.releases).as("only the second one is complete").isEmpty();
    two.report(leader());
    env.settle();
    assertThat(one.releases)
        .singleElement()
        .satisfies(release -> assertThat(release.partitions()).containsExactly(part(SECOND, 0, 1)));
    assertThat(describe().orElseThrow().producer()).isEqualTo(FIRST);
  }

  private ClusterPartition part(JobId producer, int index, int total) {
    return new ClusterPartition(WORDS, producer, 1, index, total);
  }

  private PartitionReport report(ClusterPartition... kept) {
    return new PartitionReport(++version, List.of(kept), false);
  }

  private PartitionReport reportPartitions(FakeTaskManager worker, ClusterPartition... kept) {
    return reportPartitions(worker, report(kept));
  }

  private PartitionReport reportPartitions(FakeTaskManager worker, PartitionReport report) {
    worker.partitions = report;
    env.answer(
        worker
            .at(leader())
            .reportPartitions(
                new ReportPartitions(worker.id, worker.instance.orElseThrow(), report)));
    env.settle();
    return report;
  }

  private List<DataSetEntry> list() {
    return env.answer(gateway().listDataSets(new ListDataSets())).dataSets();
  }

  private Optional<DataSetInfo> describe() {
    return env.answer(gateway().describeDataSet(new DescribeDataSet(WORDS))).dataSet();
  }

  private ResourceManagerGateway gateway() {
    return rpc.gateway(
        ResourceManagerGateway.class, leader().address(), Optional.of(leader().token()), mailbox);
  }
}
