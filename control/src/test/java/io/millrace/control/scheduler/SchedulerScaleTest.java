package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.control.slotpool.SlotPool;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.ResourceProfile;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.JobMasterGateway.SlotOffer;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.Messages;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.rpc.LeaderToken;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SchedulerScaleTest {
  private static final int PARALLELISM = 4_000;
  private static final ClockReading NOW = new ClockReading(1, 1);

  /** A job with two restarts; quadratic work would exceed the time-out. */
  @Test
  @Timeout(20)
  void runsRestartsAndCancelsFourThousandSubtasksOfAHashJob() {
    runRestartAndCancel(Graphs.pair(PARALLELISM).restarts(5, Duration.ZERO).build(), 4);
  }

  @Test
  @Timeout(20)
  void runsRestartsAndCancelsFourThousandIndependentRegions() {
    runRestartAndCancel(Graphs.lanes(PARALLELISM).restarts(5, Duration.ZERO).build(), 4);
  }

  @Test
  @Timeout(20)
  void runsOnFourThousandWorkers() {
    runRestartAndCancel(Graphs.pair(PARALLELISM).restarts(5, Duration.ZERO).build(), PARALLELISM);
  }

  @Test
  void fitsTheDeploymentOfFourThousandSubtasksToOneWorkerIntoAMessage() {
    SlotPool pool = new SlotPool(Duration.ofSeconds(50));
    JobGraph graph = Graphs.pair(PARALLELISM).build();
    Scheduler scheduler =
        new Scheduler(graph, graph.configuration(), pool, 1L << 60, new Random(1), NOW);
    scheduler.start(NOW);
    SchedulerAction.Deploy deploy = deployment(offer(scheduler, new WorkerId("w"), 0, PARALLELISM));

    byte[] message =
        RecordCodec.of(Messages.table())
            .encode(
                new DeployTasks(
                    graph.id(),
                    new LeaderToken(1L << 40, new Id128(1, 2)),
                    BlobKey.of(Bytes.EMPTY),
                    deploy.number(),
                    deploy.shares().get(0).tasks(),
                    deploy.shares().get(0).placement()));

    assertThat(message.length).isLessThan(RecordCodec.DEFAULT_MAX_BYTES);
  }

  private static void runRestartAndCancel(JobGraph graph, int workers) {
    SlotPool pool = new SlotPool(Duration.ofSeconds(50));
    Scheduler scheduler = new Scheduler(graph, graph.configuration(), pool, 0, new Random(1), NOW);
    List<SchedulerAction> actions = new ArrayList<>(scheduler.start(NOW));
    int each = PARALLELISM / workers;
    for (int w = 0; w < workers; w++) {
      actions.addAll(offer(scheduler, new WorkerId("w" + w), (long) w * each, each));
    }
    runAll(scheduler, actions);
    assertThat(scheduler.overview().tasks().get(TaskState.RUNNING)).isEqualTo(2 * PARALLELISM);

    WorkerId lost = new WorkerId("w0");
    actions = scheduler.workerLost(lost, Failure.of(ErrorKind.EXTERNAL, "died"), NOW);
    List<SchedulerAction> restarted = new ArrayList<>(endAll(scheduler, actions));
    for (SchedulerAction action : actions) {
      if (action instanceof SchedulerAction.Restart restart) {
        restarted.addAll(scheduler.restartDue(restart.failover(), NOW));
      }
    }
    restarted.addAll(offer(scheduler, lost, 1_000_000, each));
    runAll(scheduler, restarted);
    assertThat(scheduler.status()).isEqualTo(JobStatus.RUNNING);
    assertThat(scheduler.overview().tasks().get(TaskState.RUNNING)).isEqualTo(2 * PARALLELISM);

    endAll(scheduler, scheduler.cancel(NOW));
    assertThat(scheduler.status()).isEqualTo(JobStatus.CANCELED);
  }

  private static List<SchedulerAction> offer(
      Scheduler scheduler, WorkerId worker, long first, int count) {
    scheduler.workerRegistered(worker, worker + ":1");
    List<SlotOffer> offers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      offers.add(
          new SlotOffer(new AllocationId(new Id128(3, first + i)), ResourceProfile.UNSPECIFIED));
    }
    return scheduler.offer(worker, offers, new ArrayList<>(), NOW);
  }

  private static SchedulerAction.Deploy deployment(List<SchedulerAction> actions) {
    return actions.stream()
        .filter(SchedulerAction.Deploy.class::isInstance)
        .map(SchedulerAction.Deploy.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private static void runAll(Scheduler scheduler, List<SchedulerAction> actions) {
    for (SchedulerAction action : actions) {
      if (action instanceof SchedulerAction.Deploy deploy) {
        for (SchedulerAction.Share share : deploy.shares()) {
          scheduler.deployed(share);
          // One message per task is the worst case.
          share
              .tasks()
              .forEach(
                  task ->
                      scheduler.tasksUpdated(
                          share.worker(),
                          List.of(TaskUpdate.of(task.task().execution(), TaskState.RUNNING)),
                          NOW));
        }
      }
    }
  }

  private static List<SchedulerAction> endAll(Scheduler scheduler, List<SchedulerAction> actions) {
    List<SchedulerAction> next = new ArrayList<>();
    for (SchedulerAction action : actions) {
      if (action instanceof SchedulerAction.Cancel cancel) {
        List<TaskUpdate> updates = new ArrayList<>();
        cancel.executions().forEach(id -> updates.add(TaskUpdate.of(id, TaskState.CANCELED)));
        next.addAll(scheduler.tasksUpdated(cancel.worker(), updates, NOW));
      }
    }
    return next;
  }
}
