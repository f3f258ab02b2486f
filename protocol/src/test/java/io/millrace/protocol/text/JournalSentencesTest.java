package io.millrace.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.RecordGenerator;
import io.millrace.protocol.journal.ClientEvent;
import io.millrace.protocol.journal.DispatcherEvent;
import io.millrace.protocol.journal.JobMasterEvent;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.DataSetRelease;
import io.millrace.protocol.journal.TaskExecutorEvent;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.CheckpointReason;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import io.millrace.rpc.Address;
import io.millrace.rpc.journal.JournalEntry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each event of the journal: its title, its sentence and what it counts. */
class JournalSentencesTest {
  private static final WorkerId WORKER = new WorkerId("tm-1");
  private static final Address ADDRESS = new Address("10.0.0.5:6123", "endpoint");
  private static final DataSetId DATA_SET = new DataSetId(new Id128(0, 5));
  private static final String DATA_SET_TEXT = "00000000000000000000000000000005";
  private static final SlotPlace SLOT =
      new SlotPlace(WORKER, Optional.of(2), ResourceProfile.UNSPECIFIED);
  private static final Reason REASON = new ErrorReason("the reason");
  private static final String REASON_TEXT = "the reason.";
  private static final Duration SHORT = Duration.ofSeconds(10);

  private static Arguments event(JournalEvent event, String title, int count, String sentence) {
    return arguments(event, title, count, sentence);
  }

  static Stream<Arguments> clientAndDispatcher() {
    return Stream.of(
        event(
            new ClientEvent.JobSent(false),
            "job sent",
            0,
            "The graph and the jars are uploaded and the job is submitted."),
        event(
            new ClientEvent.JobSent(true),
            "job sent",
            0,
            "The files are staged and the application is submitted."),
        event(
            new DispatcherEvent.JobSubmitted("word count"),
            "job submitted",
            0,
            "'word count' is stored and accepted."),
        event(
            new DispatcherEvent.JobRecovered(),
            "job recovered",
            0,
            "The job was found in the store of the previous leader."),
        event(new DispatcherEvent.ClientLost(REASON), "client lost", 0, REASON_TEXT),
        event(new DispatcherEvent.JobEnded(JobStatus.FAILED, REASON), "job FAILED", 0, REASON_TEXT),
        event(
            new DispatcherEvent.CancellationStored(),
            "cancellation stored",
            0,
            "The cancellation is stored; the job ends under any leader."),
        event(
            new DispatcherEvent.JobArchived(JobStatus.FINISHED),
            "job archived",
            0,
            "The job ended as FINISHED."),
        event(
            new DispatcherEvent.ShutdownRequested(),
            "shutdown requested",
            0,
            "The user ends the cluster."));
  }

  static Stream<Arguments> jobMaster() {
    return Stream.of(
        event(
            new JobMasterEvent.JobMasterStarted(3),
            "job master started",
            0,
            "The JobMaster is the leader in term 3."),
        event(
            new JobMasterEvent.StateRestored(7, "/checkpoints/chk-7"),
            "state restored",
            0,
            "Tasks start with the state of checkpoint 7 in /checkpoints/chk-7."),
        event(
            new JobMasterEvent.CheckpointFailed(8, new CheckpointReason.TasksEnding()),
            "checkpoint failed",
            0,
            "Checkpoint 8 did not complete. Tasks of the job failed or ended during the"
                + " checkpoint."),
        event(
            new JobMasterEvent.CheckpointAbandoned(9, "/checkpoints/chk-9", 7, "a file is gone"),
            "checkpoint abandoned",
            0,
            "Tasks go back to checkpoint 7: records since then are processed again, and output"
                + " committed since then is written again. Checkpoint 9 in /checkpoints/chk-9"
                + " cannot be used: a file is gone. Its files stay until the job ends, and after"
                + " that if checkpoints are retained."),
        event(
            new JobMasterEvent.StatusChanged(JobStatus.RUNNING, REASON),
            "job RUNNING",
            0,
            REASON_TEXT),
        event(
            new JobMasterEvent.RegisteredAtResourceManager(ADDRESS),
            "registered at resource manager",
            0,
            "Registered at the ResourceManager 10.0.0.5:6123/endpoint."),
        event(
            new JobMasterEvent.ResourceManagerLost(REASON),
            "resource manager lost",
            0,
            REASON_TEXT),
        event(
            new JobMasterEvent.SlotsDeclared(4, 0, SHORT),
            "slots declared",
            4,
            "4 slots required, 0 of them missing."),
        event(
            new JobMasterEvent.SlotsDeclared(1, 1, SHORT),
            "slots declared",
            1,
            "1 slot required, 1 of them missing; the job waits for 10 s without new ones"
                + " (slot.request.timeout)."),
        event(new JobMasterEvent.SlotsWanted(2, 4), "slots wanted", 2, "2 of 4 slots are missing."),
        event(new JobMasterEvent.SlotsWanted(1, 1), "slots wanted", 1, "1 of 1 slot is missing."),
        event(new JobMasterEvent.ShortageReported(REASON), "shortage reported", 0, REASON_TEXT),
        event(
            new JobMasterEvent.RequirementsRefused(REASON), "requirements refused", 0, REASON_TEXT),
        event(
            new JobMasterEvent.WorkerRegistered(1),
            "worker registered",
            1,
            "A TaskManager with slots for the job has registered; 1 is registered now."),
        event(
            new JobMasterEvent.WorkerRegistered(2),
            "worker registered",
            2,
            "A TaskManager with slots for the job has registered; 2 are registered now."),
        event(
            new JobMasterEvent.SlotsAccepted(1, 2, 3),
            "slots accepted",
            1,
            "1 of 2 offered slots accepted; 3 still missing."),
        event(
            new JobMasterEvent.SlotsAccepted(1, 1, 0),
            "slots accepted",
            1,
            "1 of 1 offered slot accepted; 0 still missing."),
        event(
            new JobMasterEvent.SlotsComplete(4, 1),
            "slots complete",
            4,
            "The job has all its 4 slots, of 1 TaskManager."),
        event(
            new JobMasterEvent.SlotsComplete(4, 2),
            "slots complete",
            4,
            "The job has all its 4 slots, of 2 TaskManagers."),
        event(
            new JobMasterEvent.SlotReturned(),
            "slot returned",
            0,
            "The job returns a slot that it does not need."),
        event(
            new JobMasterEvent.TasksDeployed(1, 2),
            "tasks deployed",
            1,
            "1 task to 2 TaskManagers."),
        event(
            new JobMasterEvent.TasksDeployed(5, 1),
            "tasks deployed",
            5,
            "5 tasks to 1 TaskManager."),
        event(
            new JobMasterEvent.KeptTasksAwaited(5, 1),
            "kept tasks awaited",
            5,
            "Waiting for 5 tasks of the JobMaster before, on 1 TaskManager."),
        event(
            new JobMasterEvent.TasksAdopted(1, 4),
            "tasks adopted",
            1,
            "1 task of the JobMaster before goes on, and 4 tasks start again."),
        event(
            new JobMasterEvent.TasksAdopted(4, 1),
            "tasks adopted",
            4,
            "4 tasks of the JobMaster before go on, and 1 task starts again."),
        event(
            new JobMasterEvent.TasksTaken(5),
            "tasks taken",
            5,
            "TaskManagers have accepted 5 tasks."),
        event(
            new JobMasterEvent.FirstTaskRunning(), "first task running", 0, "The first task runs."),
        event(new JobMasterEvent.TasksRunning(1), "tasks running", 1, "The task runs."),
        event(new JobMasterEvent.TasksRunning(5), "tasks running", 5, "All 5 tasks run."),
        event(new JobMasterEvent.TaskFailed(REASON), "task failed", 0, REASON_TEXT),
        event(
            new JobMasterEvent.RestartScheduled(2, 1, Duration.ofMillis(1500)),
            "restart scheduled",
            2,
            "Restart 2 of 1 region in 1500 ms."),
        event(
            new JobMasterEvent.RestartScheduled(1, 3, Duration.ZERO),
            "restart scheduled",
            1,
            "Restart 1 of 3 regions in 0 ms."),
        event(
            new JobMasterEvent.CancelRequested(false),
            "cancel requested",
            0,
            "The user cancels the job."),
        event(
            new JobMasterEvent.CancelRequested(true),
            "cancel requested",
            0,
            "The job ends with its client."),
        event(new JobMasterEvent.WorkerLost(REASON), "worker lost", 0, REASON_TEXT),
        event(
            new JobMasterEvent.WorkerLossExplained("w1 is lost.", REASON),
            "worker loss explained",
            0,
            REASON_TEXT));
  }

  static Stream<Arguments> slotsOfTheResourceManager() {
    return Stream.of(
        event(
            new ResourceManagerEvent.ResourceManagerStarted(2, List.of("heartbeats", "driver")),
            "resource manager started",
            0,
            "The ResourceManager begins its term 2. Started in this order: heartbeats, driver."),
        event(
            new ResourceManagerEvent.ApplicationDeregistered(ApplicationStatus.SUCCEEDED),
            "application deregistered",
            0,
            "The application has ended: SUCCEEDED."),
        event(
            new ResourceManagerEvent.RequirementsReceived(1),
            "requirements received",
            1,
            "The job needs 1 slot in all."),
        event(
            new ResourceManagerEvent.SlotsRequested(3, 2, Optional.empty(), true),
            "slots requested",
            3,
            "3 slots requested of 2 workers, the least used workers first"
                + " (cluster.evenly-spread-out-slots: true)."),
        event(
            new ResourceManagerEvent.SlotsRequested(1, 1, Optional.of(WORKER), false),
            "slots requested",
            1,
            "1 slot requested of worker tm-1, filling one worker after the other"
                + " (cluster.evenly-spread-out-slots: false)."),
        event(new ResourceManagerEvent.SlotsGranted(2), "slots granted", 2, "2 slots granted."),
        event(
            new ResourceManagerEvent.SlotRequestsAnswered(1, 1, 0),
            "slot requests answered",
            1,
            "1 slot granted by 1 worker."),
        event(
            new ResourceManagerEvent.SlotRequestsAnswered(4, 2, 1),
            "slot requests answered",
            4,
            "4 slots granted by 2 workers, 1 refused."),
        event(
            new ResourceManagerEvent.SlotsAllocated(4),
            "slots allocated",
            4,
            "4 slots granted by workers."),
        event(new ResourceManagerEvent.SlotsReleased(1), "slots released", 1, "1 slot returned."),
        event(
            new ResourceManagerEvent.SlotAdopted(SLOT),
            "slot adopted",
            0,
            "Slot tm-1#2 belongs to the job already."),
        event(
            new ResourceManagerEvent.SlotRefused(SLOT, REASON),
            "slot refused",
            0,
            "Slot tm-1#2 was refused: the reason."),
        event(new ResourceManagerEvent.SlotsMissing(REASON), "slots missing", 0, REASON_TEXT),
        event(
            new ResourceManagerEvent.RequirementsFailed(REASON),
            "requirements failed",
            0,
            REASON_TEXT),
        event(
            new ResourceManagerEvent.JobMasterRegistered(ADDRESS),
            "job master registered",
            0,
            "Registered from 10.0.0.5:6123/endpoint."),
        event(new ResourceManagerEvent.JobMasterLost(REASON), "job master lost", 0, REASON_TEXT),
        event(new ResourceManagerEvent.JobForgotten(REASON), "job forgotten", 0, REASON_TEXT),
        event(
            new ResourceManagerEvent.TaskManagerRegistered(ADDRESS),
            "task manager registered",
            0,
            "Registered from 10.0.0.5:6123/endpoint."),
        event(
            new ResourceManagerEvent.TaskManagerLost(REASON), "task manager lost", 0, REASON_TEXT),
        event(new ResourceManagerEvent.SlotsReported(4), "slots reported", 0, "4 slots reported."),
        event(
            new ResourceManagerEvent.TargetBlocked("node-7", Duration.ofMinutes(10), "bad disk"),
            "target blocked",
            0,
            "node-7 is blocked for 10 min: bad disk."),
        event(
            new ResourceManagerEvent.TargetUnblocked("node-7", true),
            "target unblocked",
            0,
            "node-7 is not blocked any more: its time is over."),
        event(
            new ResourceManagerEvent.TargetUnblocked("node-7", false),
            "target unblocked",
            0,
            "node-7 is not blocked any more: the user has unblocked it."));
  }

  static Stream<Arguments> workersAndDataOfTheResourceManager() {
    return Stream.of(
        event(
            new ResourceManagerEvent.WorkersLimited(1, false),
            "workers limited",
            0,
            "There may be 1 worker."),
        event(
            new ResourceManagerEvent.WorkersLimited(3, true),
            "workers limited",
            0,
            "There may be 3 workers, as was said before this term began."),
        event(
            new ResourceManagerEvent.WorkerFound(),
            "worker found",
            0,
            "It still runs from an earlier attempt."),
        event(
            new ResourceManagerEvent.WorkersRequested("process", 2, Optional.empty()),
            "workers requested",
            0,
            "Asked the driver 'process' for 2 workers."),
        event(
            new ResourceManagerEvent.WorkersRequested(
                "yarn", 1, Optional.of(new ResourceProfile(0.5, 0, 0, 0, 1 << 20))),
            "workers requested",
            0,
            "Asked the driver 'yarn' for 1 worker with 0.5 cpu, 1 mb network."),
        event(
            new ResourceManagerEvent.WorkerRequestCancelled(REASON),
            "worker request cancelled",
            0,
            REASON_TEXT),
        event(
            new ResourceManagerEvent.WorkerStarted(),
            "worker started",
            0,
            "It is expected to register."),
        event(
            new ResourceManagerEvent.WorkerStartFailed(REASON),
            "worker start failed",
            0,
            REASON_TEXT),
        event(
            new ResourceManagerEvent.WorkerStartsPaused(REASON),
            "worker starts paused",
            0,
            REASON_TEXT),
        event(new ResourceManagerEvent.WorkerReleased(REASON), "worker released", 0, REASON_TEXT),
        event(new ResourceManagerEvent.WorkerEnded(REASON), "worker ended", 0, REASON_TEXT),
        event(
            new ResourceManagerEvent.WorkerAssumedGone(WORKER, Duration.ofMinutes(2), "yarn"),
            "worker assumed gone",
            0,
            "Worker tm-1 was told to end 2 min ago, and the driver 'yarn' has not reported that it"
                + " has ended. From now on it does not count"
                + " (resourcemanager.taskmanager-release.timeout). If its process still runs, end"
                + " it."),
        event(
            new ResourceManagerEvent.ResultsHeld(true, 1, false),
            "results held",
            0,
            "It has results that a job may need and is not idle: 1 partition is kept."),
        event(
            new ResourceManagerEvent.ResultsHeld(true, 2, true),
            "results held",
            0,
            "It has results that a job may need and is not idle: 2 partitions are kept, and there"
                + " are more of jobs that run."),
        event(
            new ResourceManagerEvent.ResultsHeld(false, 0, false),
            "results held",
            0,
            "It no longer has results that a job may need."),
        event(
            new ResourceManagerEvent.DataSetKept(DATA_SET, 2),
            "data set kept",
            0,
            DATA_SET_TEXT + " is kept in 2 partitions."),
        event(
            new ResourceManagerEvent.DataSetReleased(DATA_SET, DataSetRelease.BY_USER),
            "data set released",
            0,
            DATA_SET_TEXT + " is deleted: the user has deleted it."),
        event(
            new ResourceManagerEvent.DataSetReleased(DATA_SET, DataSetRelease.DUPLICATE),
            "data set released",
            0,
            DATA_SET_TEXT + " is deleted: another job has computed it before."),
        event(
            new ResourceManagerEvent.DataSetReleased(DATA_SET, DataSetRelease.INCOMPLETE),
            "data set released",
            0,
            DATA_SET_TEXT + " is deleted: some of it is lost."));
  }

  static Stream<Arguments> tokens() {
    return Stream.of(
        event(
            new ResourceManagerEvent.TokenObtained("hdfs", Optional.empty(), Optional.empty()),
            "token obtained",
            0,
            "The token of 'hdfs' was obtained. It does not expire."),
        event(
            new ResourceManagerEvent.TokenObtained(
                "hdfs", Optional.of(Duration.ofHours(1)), Optional.of(Duration.ofMinutes(45))),
            "token obtained",
            0,
            "The token of 'hdfs' was obtained. It is valid for 60 min; the next one is due in 45"
                + " min."),
        event(
            new ResourceManagerEvent.TokenObtained(
                "hdfs", Optional.of(Duration.ofHours(1)), Optional.empty()),
            "token obtained",
            0,
            "The token of 'hdfs' was obtained. It is valid for 60 min."),
        event(
            new ResourceManagerEvent.TokenNotNeeded("hdfs"),
            "token not needed",
            0,
            "'hdfs' needs no token."),
        event(
            new ResourceManagerEvent.TokenNotRenewed("hdfs", 1, REASON, SHORT),
            "token not renewed",
            0,
            "The token of 'hdfs' was not renewed (once in a row): the reason. The next try is in 10"
                + " s."),
        event(
            new ResourceManagerEvent.TokenNotRenewed("hdfs", 3, REASON, SHORT),
            "token not renewed",
            0,
            "The token of 'hdfs' was not renewed (3 times in a row): the reason. The next try is in"
                + " 10 s."),
        event(
            new ResourceManagerEvent.TokenNotTaken(WORKER, REASON, SHORT),
            "token not taken",
            0,
            "Worker tm-1 has not accepted the newest tokens and continues with older ones: the"
                + " reason. They are sent again in 10 s."),
        event(
            new ResourceManagerEvent.TokenExpired("hdfs"),
            "token expired",
            0,
            "The token of 'hdfs' has expired and no new one was obtained. Tasks that use the"
                + " service will fail."));
  }

  static Stream<Arguments> taskManager() {
    return Stream.of(
        event(
            new TaskExecutorEvent.RegisteredWithSlots(ADDRESS, 1),
            "registered with slots",
            0,
            "Registered at the ResourceManager at 10.0.0.5:6123/endpoint and reported 1 slot."),
        event(
            new TaskExecutorEvent.ResourceManagerDisconnected(REASON),
            "resource manager disconnected",
            0,
            "The ResourceManager was lost: the reason."),
        event(
            new TaskExecutorEvent.RegisteredAtJobMaster(ADDRESS),
            "registered at job master",
            0,
            "Registered at the JobMaster at 10.0.0.5:6123/endpoint."),
        event(
            new TaskExecutorEvent.JobMasterDisconnected(REASON),
            "job master disconnected",
            0,
            "The JobMaster was lost: the reason."),
        event(
            new TaskExecutorEvent.SlotOffersAnswered(2, 4),
            "slot offers answered",
            0,
            "2 of 4 offered slots were accepted."),
        event(
            new TaskExecutorEvent.SlotOffersAnswered(0, 1),
            "slot offers answered",
            0,
            "0 of 1 offered slot was accepted."),
        event(new TaskExecutorEvent.TasksReceived(1), "tasks received", 0, "1 task was deployed."),
        event(
            new TaskExecutorEvent.TasksReceived(8), "tasks received", 0, "8 tasks were deployed."),
        event(
            new TaskExecutorEvent.TasksKept(1),
            "tasks kept",
            0,
            "1 task goes on without a JobMaster, until its slot expires."),
        event(
            new TaskExecutorEvent.TasksKept(3),
            "tasks kept",
            0,
            "3 tasks go on without a JobMaster, until their slots expire."),
        event(
            new TaskExecutorEvent.KeptTasksAdopted(3, 1),
            "kept tasks adopted",
            0,
            "The JobMaster has adopted 3 tasks; 1 was cancelled."),
        event(
            new TaskExecutorEvent.JobRemoved(REASON),
            "job removed",
            0,
            "The job was removed from this worker: the reason."));
  }

  static Stream<Arguments> all() {
    return Stream.of(
            clientAndDispatcher(),
            jobMaster(),
            slotsOfTheResourceManager(),
            workersAndDataOfTheResourceManager(),
            tokens(),
            taskManager())
        .flatMap(x -> x);
  }

  @ParameterizedTest
  @MethodSource("all")
  @Behaviour("I2: events of the timeline are told in sentences")
  void hasATitleASentenceAndACount(JournalEvent event, String title, int count, String sentence) {
    assertThat(JournalText.of(event)).isEqualTo(sentence);
    assertThat(JournalText.title(event)).isEqualTo(title);
    assertThat(event.count()).as("count of %s", event).isEqualTo(count);
    assertThat(JournalText.of(event.entry())).isEqualTo(sentence);
    assertThat(JournalEvent.of(event.entry())).isSameAs(event);
  }

  @Test
  void everyEventIsAmongThese() {
    Set<Class<?>> here =
        all().map(arguments -> arguments.get()[0].getClass()).collect(Collectors.toSet());

    assertThat(here).containsAll(RecordGenerator.leaves(JournalEvent.class).toList());
  }

  @Test
  void componentIsTheOneThatDecided() {
    assertThat(JournalText.component(new ClientEvent.JobSent(true))).isEqualTo("client");
    assertThat(JournalText.component(new DispatcherEvent.JobRecovered())).isEqualTo("dispatcher");
    assertThat(JournalText.component(new ResourceManagerEvent.WorkerFound()))
        .isEqualTo("resourcemanager");
    assertThat(JournalText.component(new JobMasterEvent.SlotReturned())).isEqualTo("jobmaster");
    assertThat(JournalText.component(new TaskExecutorEvent.TasksReceived(1)))
        .isEqualTo("taskmanager");
  }

  @Test
  void choiceOfWorkersNamesTheOptionThatDecidesIt() {
    assertThat(
            JournalText.choice(
                new ResourceManagerEvent.SlotsRequested(1, 1, Optional.empty(), true)))
        .isEqualTo("the least used workers first (cluster.evenly-spread-out-slots: true)");
  }

  @Test
  void entryOfAnotherRecordIsNoEvent() {
    record Foreign() {}
    JournalEntry entry = JournalEntry.of(new Foreign());

    assertThatIllegalArgumentException()
        .isThrownBy(() -> JournalEvent.of(entry))
        .withMessageContaining("Foreign")
        .withMessageEndingWith("event of the journal");
  }

  @ParameterizedTest
  @CsvSource({"0, slots, are, have, were", "1, slot, is, has, was", "2, slots, are, have, were"})
  void wordsFollowTheNumber(long count, String noun, String is, String has, String was) {
    assertThat(Plural.noun(count, "slot")).isEqualTo(noun);
    assertThat(Plural.of(count, "slot")).isEqualTo(count + " " + noun);
    assertThat(Plural.is(count)).isEqualTo(is);
    assertThat(Plural.has(count)).isEqualTo(has);
    assertThat(Plural.was(count)).isEqualTo(was);
  }
}
