package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.BlobGateway.BlobPart;
import io.millrace.protocol.DataSetInfo.Placed;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.JobMasterGateway.CheckpointNotice;
import io.millrace.protocol.JobMasterGateway.TaskUpdate;
import io.millrace.protocol.SlotReport.Occupant;
import io.millrace.protocol.TaskManagerGateway.SlotReply;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.WorkerInfo.ProcessMetrics;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.text.TaskText;
import io.millrace.task.ClusterPartition;
import io.millrace.task.TaskCounters;
import io.millrace.task.TaskState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages compute from their components, and what their short constructors leave out. */
class MessageValuesTest {
  private final RecordGenerator generator = RecordGenerator.filled();

  @Test
  void workerWithKeptOrUndecidedPartitionsHoldsResults() {
    ClusterPartition partition = generator.record(ClusterPartition.class);

    assertThat(PartitionReport.NOTHING.isHeld()).isFalse();
    assertThat(new PartitionReport(1, List.of(), false).isHeld()).isFalse();
    assertThat(new PartitionReport(1, List.of(), true).isHeld()).isTrue();
    assertThat(new PartitionReport(1, List.of(partition), false).isHeld()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"2, 2, true", "2, 3, false", "0, 1, false"})
  void dataSetIsCompleteWithAllItsPartitions(int there, int total, boolean complete) {
    Placed placed = new Placed(0, new WorkerId("w"), "host:1");
    DataSetInfo info =
        new DataSetInfo(
            new DataSetId(new Id128(0, 1)),
            new JobId(new Id128(0, 2)),
            1,
            total,
            Collections.nCopies(there, placed));

    assertThat(info.isComplete()).isEqualTo(complete);
  }

  @Test
  void replyOfAnUnregisteredWorkerGrantsNothing() {
    SlotReply reply = SlotReply.unregistered(new SlotUnused());

    assertThat(reply)
        .isEqualTo(new SlotReply(false, false, Optional.of(new SlotUnused()), Optional.empty()));
  }

  @Test
  void hardwareNeedNotSayHowItsProcessDividesItsMemory() {
    assertThat(new Hardware(4, 3, 2, 1)).isEqualTo(new Hardware(4, 3, 2, 1, Optional.empty()));
  }

  @Test
  void slotsOfAJobAreReplacedAndTheRestIsKept() {
    JobDetails full = generator.record(JobDetails.class);

    JobDetails without = full.with(JobSlots.NONE);

    assertThat(without.slots()).isEqualTo(JobSlots.NONE);
    assertThat(without.with(full.slots())).isEqualTo(full);
    assertThat(full.id()).isEqualTo(full.graph().id());
  }

  @Test
  void detailsWithoutFunctionsDifferOnlyInTheGraph() {
    JobDetails full = generator.record(JobDetails.class);

    JobDetails stripped = full.withoutFunctions();

    assertThat(stripped).usingRecursiveComparison().ignoringFields("graph").isEqualTo(full);
    JobGraph graph = stripped.graph();
    assertThat(graph.id()).isEqualTo(full.graph().id());
    assertThat(graph.vertices())
        .extracting(JobVertex::name)
        .isEqualTo(full.graph().vertices().stream().map(JobVertex::name).toList());
    assertThat(full.graph().vertices().get(0).operators().get(0).spec().isEmpty()).isFalse();
    assertThat(graph.vertices().get(0).operators().get(0).spec().isEmpty()).isTrue();
  }

  @Test
  void storedAndEndedJobsHaveTheIdOfTheirContent() {
    JobId job = new JobId(new Id128(0, 3));
    StoredJob stored = new StoredJob(new SubmitJob(job, BlobKey.of(Bytes.utf8("graph"))), true);

    assertThat(stored.job()).isEqualTo(job);
    EndedJob ended = generator.record(EndedJob.class);
    assertThat(ended.job()).isEqualTo(ended.result().job()).isEqualTo(ended.overview().id());
    ArchivedJob archived = generator.record(ArchivedJob.class);
    assertThat(archived.job()).isEqualTo(archived.details().id());
  }

  @Test
  void processThatReportsNothingHasNoLimitBesideTheHeap() {
    assertThat(ProcessMetrics.NONE.nonHeapMax()).isEqualTo(-1);
    assertThat(ProcessMetrics.NONE.heapUsed()).isZero();
    assertThat(ProcessMetrics.NONE.garbageCollectors()).isEmpty();
    assertThat(ProcessMetrics.NONE.network()).isEqualTo(WorkerInfo.NetworkUse.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "container refused", "yarn. refused"})
  void kindOfADriversReasonIsOneWord(String kind) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DriverReason(kind, "text"))
        .withMessageStartingWith("'" + kind + "' is ")
        .withMessageEndingWith("it is empty or has a blank");
  }

  @Test
  void driversReasonsOfOneKindMayHaveDifferentTexts() {
    assertThat(new DriverReason("yarn.refused", "one").kind())
        .isEqualTo(new DriverReason("yarn.refused", "two").kind());
  }

  @Test
  void tasksAreCountedFromOneForPeople() {
    JobVertex drawn = generator.record(JobVertex.class);
    JobVertex vertex =
        new JobVertex(drawn.id(), "Sink: print", 4, 128, "default", drawn.operators());

    assertThat(TaskText.name(vertex, 0)).isEqualTo("Sink: print (1/4)");
    assertThat(TaskText.name(vertex, 3)).isEqualTo("Sink: print (4/4)");
  }

  @Test
  void fullPartOfABlobFitsIntoAMessage() {
    BlobPart part = new BlobPart(Bytes.wrap(new byte[BlobGateway.PART]), 1L << 40);

    byte[] bytes = Messages.codec().encode(part);

    assertThat(bytes.length).isLessThan(RecordCodec.DEFAULT_MAX_BYTES);
    assertThat(Messages.codec().decode(bytes)).isEqualTo(part);
  }

  @ParameterizedTest
  @ValueSource(strings = {"FINISHED", "FAILED", "CANCELED"})
  void resultKeepsHowTheJobEnded(String name) {
    JobStatus status = JobStatus.valueOf(name);
    Optional<Failure> failure =
        status == JobStatus.FAILED
            ? Optional.of(Failure.of(ErrorKind.USER, "The source has no data."))
            : Optional.empty();

    JobResult result = new JobResult(new JobId(new Id128(0, 4)), status, 17, failure);

    assertThat(Messages.codec().decode(Messages.codec().encode(result))).isEqualTo(result);
  }

  @Test
  void timelineKeepsItsStepsAsTheyWere() {
    Timeline.Step step = new Timeline.Step(0, "Deploy", "jobmanager", 1, -1, 2, "2 tasks.");
    List<Timeline.Step> steps = new ArrayList<>(List.of(step));
    Timeline timeline =
        new Timeline(new JobId(new Id128(0, 5)), "job", JobStatus.RUNNING, 9, steps, 0, List.of());

    steps.clear();

    assertThat(timeline.steps()).containsExactly(step);
  }

  @Test
  void overviewCountsTasksByState() {
    JobOverview drawn = generator.record(JobOverview.class);
    JobOverview overview =
        new JobOverview(
            drawn.id(),
            "job",
            drawn.type(),
            JobStatus.RUNNING,
            1,
            -1,
            2,
            Map.of(TaskState.RUNNING, 3),
            Optional.empty());

    assertThat(overview.tasks()).containsExactly(Map.entry(TaskState.RUNNING, 3));
  }

  // --- updates of tasks

  private static final ExecutionId EXECUTION = new ExecutionId(new Id128(0, 9));

  @Test
  void updateOfATaskSaysWhatItMeansForCheckpoints() {
    TaskUpdate plain = TaskUpdate.of(EXECUTION, TaskState.RUNNING);
    TaskUpdate awaits = plain.with(new CheckpointNotice.AwaitsCheckpoint());
    TaskUpdate unusable =
        TaskUpdate.failed(EXECUTION, Failure.of(ErrorKind.USER, "no"))
            .with(new CheckpointNotice.RestoredStateUnusable(7));

    assertThat(plain.awaitsCheckpoint()).isFalse();
    assertThat(plain.unusableCheckpoint()).isEmpty();
    assertThat(awaits.awaitsCheckpoint()).isTrue();
    assertThat(awaits.unusableCheckpoint()).isEmpty();
    assertThat(unusable.awaitsCheckpoint()).isFalse();
    assertThat(unusable.unusableCheckpoint()).hasValue(7);
  }

  @Test
  void additionsToAnUpdateKeepTheRest() {
    TaskCounters counters = generator.record(TaskCounters.class);
    Failure failure = Failure.of(ErrorKind.EXTERNAL, "The disk is full.");
    TaskUpdate update =
        TaskUpdate.failed(EXECUTION, failure)
            .with(counters)
            .with(new CheckpointNotice.RestoredStateUnusable(7))
            .with(counters);

    assertThat(update)
        .isEqualTo(
            new TaskUpdate(
                EXECUTION,
                TaskState.FAILED,
                Optional.of(failure),
                Optional.of(counters),
                Optional.of(new CheckpointNotice.RestoredStateUnusable(7))));
  }

  @Test
  void replyAboutASlotIsOneOfFourCases() {
    Occupant occupant = generator.record(Occupant.class);
    SlotUnused reason = new SlotUnused();

    assertThat(
            List.of(
                SlotReply.allocated(),
                SlotReply.refused(reason),
                SlotReply.occupied(reason, occupant),
                SlotReply.unregistered(reason)))
        .extracting(
            SlotReply::granted, SlotReply::registered, SlotReply::reason, SlotReply::occupant)
        .containsExactly(
            tuple(true, true, Optional.empty(), Optional.empty()),
            tuple(false, true, Optional.of(reason), Optional.empty()),
            tuple(false, true, Optional.of(reason), Optional.of(occupant)),
            tuple(false, false, Optional.of(reason), Optional.empty()));
  }

  // --- what a job waits for

  @Test
  void reasonForWhichAJobWaitsIsTheOnlyChange() {
    SlotUnused reason = new SlotUnused();
    JobDetails details = generator.record(JobDetails.class);
    JobOverview overview = generator.record(JobOverview.class);

    assertThat(details.withWaitingFor(reason).waitingFor()).contains(reason);
    assertThat(details.withWaitingFor(reason))
        .usingRecursiveComparison()
        .ignoringFields("waitingFor")
        .isEqualTo(details);
    assertThat(overview.withWaitingFor(reason).waitingFor()).contains(reason);
    assertThat(overview.withWaitingFor(reason))
        .usingRecursiveComparison()
        .ignoringFields("waitingFor")
        .isEqualTo(overview);
  }

  @Test
  void statusAndTimesOfAJobAreThoseOfItsHistory() {
    JobDetails details = generator.record(JobDetails.class);

    assertThat(details.status()).isEqualTo(details.statusHistory().status());
    assertThat(details.timestamps()).isEqualTo(details.statusHistory().timestamps());
    assertThat(details.startedAt()).isEqualTo(details.statusHistory().startedAt());
    assertThat(details.endedAt()).isEqualTo(details.statusHistory().endedAt());
  }

  @Test
  void notesOfAnExplanationAreAddedBehindItsOwn() {
    Explanation explanation =
        new Explanation(
            new JobId(new Id128(0, 1)),
            "job",
            JobStatus.RUNNING,
            5,
            "It runs.",
            List.of(),
            List.of(),
            List.of(),
            List.of("first"));

    Explanation longer = explanation.withNotes(List.of("second", "third"));

    assertThat(longer.notes()).containsExactly("first", "second", "third");
    assertThat(longer).usingRecursiveComparison().ignoringFields("notes").isEqualTo(explanation);
    assertThat(explanation.notes()).as("a copy").containsExactly("first");
  }

  @Test
  void archiveWithoutCheckpointsHasEmptyStatistics() {
    ArchivedJob archived = generator.record(ArchivedJob.class);

    assertThat(
            new ArchivedJob(archived.ended(), archived.details(), archived.history()).checkpoints())
        .isEqualTo(CheckpointStatistics.NONE);
  }
}
