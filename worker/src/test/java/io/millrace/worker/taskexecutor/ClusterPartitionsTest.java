package io.millrace.worker.taskexecutor;

import static io.millrace.worker.Reasons.words;
import static io.millrace.worker.taskexecutor.World.JOB;
import static io.millrace.worker.taskexecutor.World.WORKER;
import static io.millrace.worker.taskexecutor.World.allocation;
import static io.millrace.worker.taskexecutor.World.execution;
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

/** What finished tasks leave on a worker for later jobs. */
class ClusterPartitionsTest {
  private static final ClusterPartition LEFT =
      new ClusterPartition(new DataSetId(new Id128(5, 5)), JOB, 0, 0, 1);

  /** The leader's first term. */
  private static final ClusterPartition PARTITION = LEFT.finishedIn(1);

  private final World world = new World().registered();

  @Test
  @Behaviour(
      "D10: the ResourceManager knows cached partitions before the end of their job is reported")
  void resourceManagerKnowsWhatIsKeptBeforeTheJobHears() {
    FakeJobMaster jobMaster = finished();
    world.env.answer(world.gateway().keepPartitions(keep(jobMaster)));

    assertThat(world.host.keptOf).containsExactly(execution(1));
    assertThat(lastReport().kept()).containsExactly(PARTITION);
    assertThat(lastReport().undecided()).isFalse();
    assertThat(heartbeat().kept()).containsExactly(PARTITION);
    assertThat(heartbeat().version()).isGreaterThan(lastReport().version());

    world.gateway().disconnectJobMaster(ends(jobMaster));
    world.env.settle();
    assertThat(world.host.released).containsExactly(JOB);
    assertThat(heartbeat().kept()).as("it outlives its job").containsExactly(PARTITION);
  }

  /** The slot may be given back long before the job ends. */
  @Test
  @Behaviour(
      "D7: a worker that holds data that a job needs is not idle, also before its job has ended")
  void jobWithResultsStaysWithoutASlotUntilItIsKnownWhetherTheyAreKept() {
    FakeJobMaster jobMaster = finished();
    world.env.answer(
        world
            .gateway()
            .freeSlot(new FreeSlot(JOB, jobMaster.leaderToken(), allocation(10), words("idle"))));
    world.env.settle();
    assertThat(world.resourceManager.available).hasSize(1);
    assertThat(lastReport().undecided()).as("told before the slot was free").isTrue();
    assertThat(world.host.released).isEmpty();

    world.env.answer(world.gateway().keepPartitions(keep(jobMaster)));
    assertThat(lastReport().undecided()).isFalse();
    assertThat(lastReport().kept()).containsExactly(PARTITION);
  }

  @Test
  void resultsOfAJobThatDoesNotFinishGoWithIt() {
    FakeJobMaster jobMaster = finished();
    world.env.answer(
        world
            .gateway()
            .freeSlot(new FreeSlot(JOB, jobMaster.leaderToken(), allocation(10), words("idle"))));
    world.gateway().disconnectJobMaster(ends(jobMaster));
    world.env.settle();
    assertThat(world.host.results).isEmpty();
    assertThat(world.host.released).containsExactly(JOB);
    assertThat(lastReport().isHeld()).isFalse();
  }

  /** The next leader runs all tasks anew. */
  @Test
  @Behaviour("H2: only a finished job keeps cached partitions, each from its last attempt")
  void resultsGoWithTheLeaderUnderWhichTheyWereComputed() {
    FakeJobMaster jobMaster = finished();
    world.env.answer(
        world
            .gateway()
            .freeSlot(new FreeSlot(JOB, jobMaster.leaderToken(), allocation(10), words("idle"))));
    world.leadJob(2);
    assertThat(world.host.results).isEmpty();
    assertThat(world.failureOf(world.gateway().keepPartitions(keep(jobMaster))))
        .contains("follows no leader of it");
  }

  @Test
  @Behaviour("D10: cached partitions are released on request of the leader at every TaskManager")
  void onlyTheResourceManagerItIsRegisteredAtHasPartitionsDeleted() {
    FakeJobMaster jobMaster = finished();
    world.env.answer(world.gateway().keepPartitions(keep(jobMaster)));
    ReleasePartitions stranger =
        new ReleasePartitions(
            World.token(77), world.resourceManager.instance(), List.of(PARTITION));
    assertThat(world.failureOf(world.gateway().releasePartitions(stranger))).contains("carries");
    assertThat(world.host.kept).containsExactly(PARTITION);

    world.env.answer(
        world
            .gateway()
            .releasePartitions(
                new ReleasePartitions(
                    world.resourceManager.leaderToken(),
                    world.resourceManager.instance(),
                    List.of(PARTITION))));
    world.env.settle();
    assertThat(world.host.kept).isEmpty();
    assertThat(lastReport().isHeld()).isFalse();
  }

  /** A job whose one task has finished and left a partition. */
  private FakeJobMaster finished() {
    FakeJobMaster jobMaster = world.running(1);
    world.host.results.put(JOB, new ArrayList<>(List.of(LEFT)));
    world.host.report(execution(1), TaskState.FINISHED);
    world.env.settle();
    return jobMaster;
  }

  private static KeepPartitions keep(FakeJobMaster from) {
    return new KeepPartitions(JOB, from.leaderToken(), List.of(execution(1)));
  }

  private static JobMasterDrops ends(FakeJobMaster from) {
    return new JobMasterDrops(JOB, from.leaderToken(), true, words("it has ended"));
  }

  private PartitionReport lastReport() {
    List<ReportPartitions> reports = world.resourceManager.partitionReports;
    assertThat(reports).isNotEmpty();
    ReportPartitions last = reports.get(reports.size() - 1);
    assertThat(last.worker()).isEqualTo(WORKER);
    return last.report();
  }

  private PartitionReport heartbeat() {
    return world
        .env
        .answer(
            world
                .gateway()
                .heartbeatFromResourceManager(
                    new AskWorker(
                        world.resourceManager.leaderToken(), world.resourceManager.instance())))
        .partitions();
  }
}
