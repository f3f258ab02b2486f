package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.JOB;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.WORKER;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.allocation;
import static io.millrace.worker.taskexecutor.TaskManagerFixture.execution;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.PartitionReport;
import io.millrace.protocol.ResourceManagerGateway.ReportPartitions;
import io.millrace.protocol.TaskManagerGateway.AskWorker;
import io.millrace.protocol.TaskManagerGateway.FreeSlot;
import io.millrace.protocol.TaskManagerGateway.JobMasterDrops;
import io.millrace.protocol.TaskManagerGateway.KeepPartitions;
import io.millrace.protocol.TaskManagerGateway.ReleasePartitions;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of cluster partitions on a worker. */
class ClusterPartitionsTest {
  private static final ClusterPartition UNDECIDED =
      new ClusterPartition(new DataSetId(new Id128(5, 5)), JOB, 0, 0, 1);

  /** Finished in the first term of the leader. */
  private static final ClusterPartition PARTITION = UNDECIDED.finishedIn(1);

  private final TaskManagerFixture fixture = new TaskManagerFixture().registered();

  @Test
  @Behaviour(
      "D10: the ResourceManager knows cached partitions before the end of their job is reported")
  void resourceManagerKnowsKeptPartitionsBeforeTheAcknowledgement() {
    FakeJobMaster jobMaster = finished();
    fixture.env.answer(fixture.gateway().keepPartitions(keep(jobMaster)));

    assertThat(fixture.host.keptOf).containsExactly(execution(1));
    assertThat(lastReport().kept()).containsExactly(PARTITION);
    assertThat(lastReport().undecided()).isFalse();
    assertThat(heartbeat().kept()).containsExactly(PARTITION);
    assertThat(heartbeat().version()).isGreaterThan(lastReport().version());

    fixture.gateway().disconnectJobMaster(ends(jobMaster));
    fixture.env.settle();
    assertThat(fixture.host.released).containsExactly(JOB);
    assertThat(heartbeat().kept()).as("outlives its job").containsExactly(PARTITION);
  }

  /** The slot may be freed long before the job ends. */
  @Test
  @Behaviour(
      "D7: a worker that holds data that a job needs is not idle, also before its job has ended")
  void jobWithPartitionsStaysWithoutASlotUntilTheyAreKept() {
    FakeJobMaster jobMaster = finished();
    fixture.env.answer(
        fixture
            .gateway()
            .freeSlot(new FreeSlot(JOB, jobMaster.leaderToken(), allocation(10), words("idle"))));
    fixture.env.settle();
    assertThat(fixture.resourceManager.available).hasSize(1);
    assertThat(lastReport().undecided()).as("reported before the slot was free").isTrue();
    assertThat(fixture.host.released).isEmpty();

    fixture.env.answer(fixture.gateway().keepPartitions(keep(jobMaster)));
    assertThat(lastReport().undecided()).isFalse();
    assertThat(lastReport().kept()).containsExactly(PARTITION);
  }

  @Test
  void discardsPartitionsOfAJobThatDoesNotFinish() {
    FakeJobMaster jobMaster = finished();
    fixture.env.answer(
        fixture
            .gateway()
            .freeSlot(new FreeSlot(JOB, jobMaster.leaderToken(), allocation(10), words("idle"))));
    fixture.gateway().disconnectJobMaster(ends(jobMaster));
    fixture.env.settle();
    assertThat(fixture.host.results).isEmpty();
    assertThat(fixture.host.released).containsExactly(JOB);
    assertThat(lastReport().isHeld()).isFalse();
  }

  /** The next leader runs all tasks again. */
  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void discardsPartitionsWithTheLeaderOfTheirTerm() {
    FakeJobMaster jobMaster = finished();
    fixture.env.answer(
        fixture
            .gateway()
            .freeSlot(new FreeSlot(JOB, jobMaster.leaderToken(), allocation(10), words("idle"))));
    fixture.leadJob(2);
    assertThat(fixture.host.results).isEmpty();
    assertThat(fixture.failureOf(fixture.gateway().keepPartitions(keep(jobMaster))))
        .contains("follows no leader of it");
  }

  @Test
  @Behaviour("D10: cached partitions are released on request of the leader at every TaskManager")
  void onlyTheRegisteredResourceManagerDeletesPartitions() {
    FakeJobMaster jobMaster = finished();
    fixture.env.answer(fixture.gateway().keepPartitions(keep(jobMaster)));
    ReleasePartitions otherLeader =
        new ReleasePartitions(
            TaskManagerFixture.token(77), fixture.resourceManager.instance(), List.of(PARTITION));
    assertThat(fixture.failureOf(fixture.gateway().releasePartitions(otherLeader)))
        .contains("carries");
    assertThat(fixture.host.kept).containsExactly(PARTITION);

    fixture.env.answer(
        fixture
            .gateway()
            .releasePartitions(
                new ReleasePartitions(
                    fixture.resourceManager.leaderToken(),
                    fixture.resourceManager.instance(),
                    List.of(PARTITION))));
    fixture.env.settle();
    assertThat(fixture.host.kept).isEmpty();
    assertThat(lastReport().isHeld()).isFalse();
  }

  /** A job whose only task has finished with a partition. */
  private FakeJobMaster finished() {
    FakeJobMaster jobMaster = fixture.running(1);
    fixture.host.results.put(JOB, new ArrayList<>(List.of(UNDECIDED)));
    fixture.host.report(execution(1), TaskState.FINISHED);
    fixture.env.settle();
    return jobMaster;
  }

  private static KeepPartitions keep(FakeJobMaster from) {
    return new KeepPartitions(JOB, from.leaderToken(), List.of(execution(1)));
  }

  private static JobMasterDrops ends(FakeJobMaster from) {
    return new JobMasterDrops(JOB, from.leaderToken(), true, words("it has ended"));
  }

  private PartitionReport lastReport() {
    List<ReportPartitions> reports = fixture.resourceManager.partitionReports;
    assertThat(reports).isNotEmpty();
    ReportPartitions last = reports.get(reports.size() - 1);
    assertThat(last.worker()).isEqualTo(WORKER);
    return last.report();
  }

  private PartitionReport heartbeat() {
    return fixture
        .env
        .answer(
            fixture
                .gateway()
                .heartbeatFromResourceManager(
                    new AskWorker(
                        fixture.resourceManager.leaderToken(), fixture.resourceManager.instance())))
        .partitions();
  }
}
