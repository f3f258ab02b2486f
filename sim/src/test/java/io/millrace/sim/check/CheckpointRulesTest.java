package io.millrace.sim.check;

import static io.millrace.sim.check.Samples.EMPTY_REPORT;
import static io.millrace.sim.check.Samples.JOB;
import static io.millrace.sim.check.Samples.JOB_MANAGER;
import static io.millrace.sim.check.Samples.OTHER_JOB_MANAGER;
import static io.millrace.sim.check.Samples.WORKER;
import static io.millrace.sim.check.Samples.deployment;
import static io.millrace.sim.check.Samples.ended;
import static io.millrace.sim.check.Samples.graph;
import static io.millrace.sim.check.Samples.job;
import static io.millrace.sim.check.Samples.task;
import static io.millrace.sim.check.Samples.token;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.ClaimMode;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.CompletedCheckpoint;
import io.millrace.protocol.StoredCheckpoints;
import io.millrace.protocol.TaskManagerGateway.CheckpointCompleted;
import io.millrace.protocol.TaskManagerGateway.DeployTasks;
import io.millrace.protocol.TaskManagerGateway.RestoredCheckpoint;
import io.millrace.protocol.TaskManagerGateway.TaskInSlot;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.TasksRunning;
import io.millrace.sim.SimCheckpointStorage;
import io.millrace.task.checkpoint.CheckpointMetadata;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckpointRulesTest {
  private static final String KEY = "checkpoints/" + JOB;

  private static String directory(JobId job, long number) {
    return "/cp/" + job + "/chk-" + number;
  }

  private static CompletedCheckpoint checkpoint(long number) {
    return new CompletedCheckpoint(
        number, 100 + number, CheckpointRequest.Type.CHECKPOINT, directory(JOB, number), 10);
  }

  private static StoredCheckpoints stored(long last, CompletedCheckpoint... completed) {
    return new StoredCheckpoints(
        last,
        "/cp/" + JOB,
        CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS,
        List.of(completed),
        List.of());
  }

  /** The files of a checkpoint exist. */
  private static void writes(RuleTrace trace, JobId job, long number, CheckpointRequest.Type type) {
    SimCheckpointStorage.View view = trace.checkpoints().of(trace.process(JOB_MANAGER));
    view.createDirectory(directory(job, number));
    view.writeMetadata(
        directory(job, number), new CheckpointMetadata(job, number, 1, type, List.of()));
  }

  private static void deletes(RuleTrace trace, String path) {
    trace.checkpoints().of(trace.process(JOB_MANAGER)).delete(path);
  }

  private static RuleTrace storing() {
    RuleTrace trace =
        new RuleTrace(new CheckpointRules.StoredCheckpointsNeverRegress()).plan(graph(1, 1));
    for (int number = 1; number <= 3; number++) {
      writes(trace, JOB, number, CheckpointRequest.Type.CHECKPOINT);
    }
    return trace;
  }

  @Test
  void storedCheckpointsGrow() {
    RuleTrace trace = storing();
    trace.stores(KEY, stored(1));
    trace.stores(KEY, stored(2, checkpoint(1), checkpoint(2)));
    trace.stores(KEY, stored(3, checkpoint(2)));
    trace.stores(KEY, stored(4, checkpoint(2)));
    trace
        .isBrokenBy(() -> trace.stores(KEY, stored(3, checkpoint(2))))
        .hasMessageContaining("lastNumber=4");
  }

  @Test
  void latestCheckpointIsNotLost() {
    RuleTrace trace = storing();
    trace.stores(KEY, stored(2, checkpoint(1), checkpoint(2)));
    trace.isBrokenBy(() -> trace.stores(KEY, stored(2, checkpoint(1))));

    RuleTrace damaged = storing();
    damaged.stores(KEY, stored(2, checkpoint(1), checkpoint(2)));
    damaged.checkpoints().damage(directory(JOB, 2), false);
    damaged.stores(KEY, stored(2, checkpoint(1)));
    damaged.isBrokenBy(() -> damaged.stores(KEY, stored(2)));
  }

  @Test
  void numberBelongsToOneCheckpoint() {
    RuleTrace trace = storing();
    trace.stores(KEY, stored(1, checkpoint(1)));
    CompletedCheckpoint other =
        new CompletedCheckpoint(1, 999, CheckpointRequest.Type.CHECKPOINT, directory(JOB, 1), 10);
    trace.isBrokenBy(() -> trace.stores(KEY, stored(1, other))).hasMessageContaining("and had");
  }

  @Test
  void storedCheckpointHasMetadata() {
    RuleTrace trace = storing();
    trace
        .isBrokenBy(() -> trace.stores(KEY, stored(9, checkpoint(9))))
        .hasMessageContaining("which has no metadata");
  }

  @Test
  void checkpointsAreRemovedWithTheResultOfTheirJob() {
    RuleTrace trace = storing();
    trace.stores(KEY, stored(1));
    trace.isBrokenBy(() -> trace.removes(KEY)).hasMessageContaining("which has not ended");

    RuleTrace ended = storing();
    ended.stores(KEY, stored(1));
    ended.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    ended.removes(KEY);
  }

  private static RuleTrace needing() {
    RuleTrace trace =
        new RuleTrace(new CheckpointRules.NeededCheckpointsAreNotDeleted()).plan(graph(1, 1));
    writes(trace, JOB, 1, CheckpointRequest.Type.CHECKPOINT);
    writes(trace, JOB, 2, CheckpointRequest.Type.CHECKPOINT);
    trace.stores(KEY, stored(2, checkpoint(2)));
    return trace;
  }

  @Test
  void neededCheckpointIsNotDeleted() {
    RuleTrace trace = needing();
    deletes(trace, directory(JOB, 1));
    trace
        .isBrokenBy(() -> deletes(trace, directory(JOB, 2)))
        .hasMessageContaining("which is deleted");
    trace.isBrokenBy(() -> deletes(trace, "/cp/" + JOB));
    trace.isBrokenBy(() -> deletes(trace, "/cp"));
    // A name that only begins like the directory.
    deletes(trace, "/cp/" + JOB + "/chk-20");
    trace.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    deletes(trace, directory(JOB, 2));
  }

  @Test
  void checkpointIsNotDeletedWhileTasksRestoreIt() {
    RuleTrace trace = needing();
    trace.decides(JOB_MANAGER, JOB, new StateRestored(1, directory(JOB, 1)));
    trace
        .isBrokenBy(() -> deletes(trace, directory(JOB, 1)))
        .hasMessageContaining("restore " + directory(JOB, 1));
    trace.decides(JOB_MANAGER, JOB, new TasksRunning(1));
    deletes(trace, directory(JOB, 1));

    RuleTrace replaced = needing();
    replaced.decides(JOB_MANAGER, JOB, new StateRestored(1, directory(JOB, 1)));
    replaced.decides(OTHER_JOB_MANAGER, JOB, new JobMasterStarted(2));
    deletes(replaced, directory(JOB, 1));
  }

  private static RuleTrace notified(long term, long checkpoint) {
    RuleTrace trace =
        new RuleTrace(new CheckpointRules.LatestCheckpointIsRestored()).plan(graph(1, 1));
    trace.sends(JOB_MANAGER, WORKER, new CheckpointCompleted(JOB, token(term), checkpoint));
    return trace;
  }

  private static void deploys(RuleTrace trace, long term, Optional<Long> restored) {
    trace.sends(
        JOB_MANAGER,
        WORKER,
        new DeployTasks(
            JOB,
            token(term),
            BlobKey.of(Bytes.utf8("graph")),
            deployment(term, 1),
            List.of(new TaskInSlot(task(0, 0, 1), Samples.slot(1))),
            List.of(),
            restored.map(
                number -> new RestoredCheckpoint(number, directory(JOB, number), "/cp/shared"))));
  }

  @Test
  void tasksStartFromTheLatestNotifiedCheckpoint() {
    RuleTrace trace = notified(1, 5);
    deploys(trace, 1, Optional.of(5L));
    deploys(trace, 2, Optional.of(6L));
    trace
        .isBrokenBy(() -> deploys(trace, 1, Optional.of(4L)))
        .hasMessageContaining("restores checkpoint 4 after 5 completed");
    trace.isBrokenBy(() -> deploys(trace, 2, Optional.empty()));
    // A late notice of an earlier checkpoint changes nothing.
    trace.sends(JOB_MANAGER, WORKER, new CheckpointCompleted(JOB, token(1), 3));
    trace.isBrokenBy(() -> deploys(trace, 1, Optional.of(4L)));
  }

  @Test
  void replacedLeaderMayKnowLess() {
    deploys(notified(2, 5), 1, Optional.of(4L));
  }

  @Test
  void tasksMayStartFromTheCheckpointBeforeADamagedOne() {
    RuleTrace trace = notified(1, 2);
    writes(trace, JOB, 1, CheckpointRequest.Type.CHECKPOINT);
    writes(trace, JOB, 2, CheckpointRequest.Type.CHECKPOINT);
    trace.stores(KEY, stored(2, checkpoint(1), checkpoint(2)));
    trace.isBrokenBy(() -> deploys(trace, 1, Optional.of(1L)));
    trace.checkpoints().damage(directory(JOB, 2), false);
    deploys(trace, 1, Optional.of(1L));
    trace.isBrokenBy(() -> deploys(trace, 1, Optional.empty()));
  }

  private static RuleTrace ending(CheckpointRetention retention, JobStatus status) {
    JobGraph graph =
        graph(1, 1)
            .withConfiguration(
                Configuration.EMPTY.with(CheckpointingOptions.EXTERNALIZED_RETENTION, retention));
    RuleTrace trace =
        new RuleTrace(new CheckpointRules.CheckpointsOfEndedJobsAreDeleted()).plan(graph);
    writes(trace, JOB, 1, CheckpointRequest.Type.CHECKPOINT);
    trace.stores(KEY, stored(1, checkpoint(1)));
    trace.stores("results/" + JOB, ended(JOB, status));
    return trace;
  }

  @Test
  void recoveryStoreHasNoCheckpointsAtTheEnd() {
    RuleTrace trace = ending(CheckpointRetention.RETAIN_ON_CANCELLATION, JobStatus.CANCELED);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("are stored");
    trace.removes(KEY);
    trace.isOver(EMPTY_REPORT);
  }

  @ParameterizedTest
  @CsvSource({
    "NO_EXTERNALIZED_CHECKPOINTS, FINISHED, false",
    "NO_EXTERNALIZED_CHECKPOINTS, FAILED, false",
    "NO_EXTERNALIZED_CHECKPOINTS, CANCELED, false",
    "DELETE_ON_CANCELLATION, FINISHED, false",
    "DELETE_ON_CANCELLATION, FAILED, true",
    "DELETE_ON_CANCELLATION, CANCELED, false",
    "RETAIN_ON_CANCELLATION, FINISHED, false",
    "RETAIN_ON_CANCELLATION, FAILED, true",
    "RETAIN_ON_CANCELLATION, CANCELED, true"
  })
  void filesStayOnlyWhereTheyAreRetained(
      CheckpointRetention retention, JobStatus status, boolean retained) {
    RuleTrace trace = ending(retention, status);
    trace.removes(KEY);
    if (retained) {
      trace.isOver(EMPTY_REPORT);
    } else {
      trace
          .isBrokenBy(() -> trace.isOver(EMPTY_REPORT))
          .hasMessageContaining("is " + status + " and has left");
      deletes(trace, "/cp/" + JOB);
      trace.isOver(EMPTY_REPORT);
    }
  }

  @Test
  void retainedJobLeavesExactlyItsCompletedCheckpoints() {
    RuleTrace trace = ending(CheckpointRetention.RETAIN_ON_CANCELLATION, JobStatus.CANCELED);
    trace.removes(KEY);
    writes(trace, JOB, 3, CheckpointRequest.Type.SAVEPOINT);
    trace.isOver(EMPTY_REPORT);
    writes(trace, JOB, 2, CheckpointRequest.Type.CHECKPOINT);
    trace
        .isBrokenBy(() -> trace.isOver(EMPTY_REPORT))
        .hasMessageContaining("has left " + directory(JOB, 2));
  }

  @Test
  void abandonedCheckpointOfARetainedJobStays() {
    RuleTrace trace = ending(CheckpointRetention.RETAIN_ON_CANCELLATION, JobStatus.CANCELED);
    trace.stores(
        KEY,
        new StoredCheckpoints(
            2,
            "/cp/" + JOB,
            CheckpointRetention.RETAIN_ON_CANCELLATION,
            List.of(checkpoint(1)),
            List.of(checkpoint(2))));
    trace.removes(KEY);
    trace.isBrokenBy(() -> trace.isOver(EMPTY_REPORT)).hasMessageContaining("has not left");
    writes(trace, JOB, 2, CheckpointRequest.Type.CHECKPOINT);
    trace.isOver(EMPTY_REPORT);
  }

  private static final JobId BEFORE = job(7);

  private static RuleTrace claiming(ClaimMode mode) {
    JobGraph graph =
        graph(1, 1)
            .withConfiguration(Configuration.EMPTY.with(StateRecoveryOptions.CLAIM_MODE, mode));
    RuleTrace trace =
        new RuleTrace(new StopAndClaimRules.ClaimedStateIsDeletedInTime()).plan(graph);
    writes(trace, BEFORE, 4, CheckpointRequest.Type.SAVEPOINT);
    writes(trace, JOB, 1, CheckpointRequest.Type.CHECKPOINT);
    trace.decides(JOB_MANAGER, JOB, new StateRestored(4, directory(BEFORE, 4)));
    return trace;
  }

  @Test
  void claimedStateIsKeptUntilItIsRestoredAndReplaced() {
    RuleTrace trace = claiming(ClaimMode.CLAIM);
    trace
        .isBrokenBy(() -> deletes(trace, directory(BEFORE, 4)))
        .hasMessageContaining("while tasks of job " + JOB + " restore it");
    trace.decides(JOB_MANAGER, JOB, new TasksRunning(1));
    trace
        .isBrokenBy(() -> deletes(trace, directory(BEFORE, 4)))
        .hasMessageContaining("has no checkpoint of its own");
    trace.isBrokenBy(() -> deletes(trace, "/cp/" + BEFORE));
    trace.stores(KEY, stored(1, checkpoint(1)));
    deletes(trace, directory(BEFORE, 4));
  }

  /** TaskManagers refuse what it deploys, and its successor may have tasks that run. */
  @Test
  void replacedLeaderRestoresNoClaimedState() {
    RuleTrace trace = claiming(ClaimMode.CLAIM);
    String former = "jobmanager-2";
    trace.stores(KEY, stored(1, checkpoint(1)));
    trace.decides(former, JOB, new JobMasterStarted(1));
    trace.decides(JOB_MANAGER, JOB, new JobMasterStarted(2));
    trace.decides(JOB_MANAGER, JOB, new StateRestored(4, directory(BEFORE, 4)));
    trace.decides(former, JOB, new TasksRunning(1));
    trace
        .isBrokenBy(() -> deletes(trace, directory(BEFORE, 4)))
        .hasMessageContaining("while tasks of job " + JOB + " restore it");
    trace.decides(JOB_MANAGER, JOB, new TasksRunning(1));
    trace.decides(former, JOB, new StateRestored(4, directory(BEFORE, 4)));
    deletes(trace, directory(BEFORE, 4));
  }

  @Test
  void stateThatIsNotClaimedIsNotConcerned() {
    for (ClaimMode mode : ClaimMode.values()) {
      if (mode != ClaimMode.CLAIM) {
        deletes(claiming(mode), directory(BEFORE, 4));
      }
    }
    deletes(claiming(ClaimMode.CLAIM), directory(job(8), 1));
  }

  @Test
  void endedJobNeedsNoClaimedState() {
    RuleTrace trace = claiming(ClaimMode.CLAIM);
    trace.stores("results/" + JOB, ended(JOB, JobStatus.FINISHED));
    deletes(trace, directory(BEFORE, 4));
  }

  @Test
  void claimedStateIsDeletedOnceTheJobHasACheckpoint() {
    RuleTrace trace = claiming(ClaimMode.CLAIM);
    trace.decides(JOB_MANAGER, JOB, new TasksRunning(1));
    trace.isOver(EMPTY_REPORT);
    trace.stores(KEY, stored(1, checkpoint(1)));
    trace.sends(JOB_MANAGER, WORKER, new CheckpointCompleted(JOB, token(1), 1));
    trace
        .isBrokenBy(() -> trace.isOver(EMPTY_REPORT))
        .hasMessageContaining("and has not deleted it");
    deletes(trace, directory(BEFORE, 4));
    trace.isOver(EMPTY_REPORT);
  }

  /** All types, so that a new one is not forgotten in the rules about savepoints. */
  @Test
  void onlyPlainCheckpointsCountAsCheckpoints() {
    List<CheckpointRequest.Type> savepoints =
        new ArrayList<>(List.of(CheckpointRequest.Type.values()));
    savepoints.remove(CheckpointRequest.Type.CHECKPOINT);
    for (CheckpointRequest.Type type : savepoints) {
      RuleTrace trace = ending(CheckpointRetention.RETAIN_ON_CANCELLATION, JobStatus.CANCELED);
      trace.removes(KEY);
      writes(trace, JOB, 2, type);
      trace.isOver(EMPTY_REPORT);
    }
  }
}
