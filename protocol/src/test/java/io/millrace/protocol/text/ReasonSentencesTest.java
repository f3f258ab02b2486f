package io.millrace.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.MemorySize;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.OperatorId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.RecordGenerator;
import io.millrace.protocol.reason.CheckpointReason.AllTasksFinished;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.CheckpointStorageFailed;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.NoReadableCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.SavepointUnusable;
import io.millrace.protocol.reason.CheckpointReason.SharedFilesDeleted;
import io.millrace.protocol.reason.CheckpointReason.SnapshotFailed;
import io.millrace.protocol.reason.CheckpointReason.StateDoesNotFit;
import io.millrace.protocol.reason.CheckpointReason.StopInProgress;
import io.millrace.protocol.reason.CheckpointReason.StopInterrupted;
import io.millrace.protocol.reason.CheckpointReason.TaskNotRunning;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.CheckpointReason.TooManyFailedCheckpoints;
import io.millrace.protocol.reason.CheckpointReason.TriggerNotAccepted;
import io.millrace.protocol.reason.ConfigurationReason.MinimumAboveMaximum;
import io.millrace.protocol.reason.ConfigurationReason.PauseTooShort;
import io.millrace.protocol.reason.ConfigurationReason.RatioOutOfRange;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.JobReason.CancelledByUser;
import io.millrace.protocol.reason.JobReason.ClientTimeout;
import io.millrace.protocol.reason.JobReason.CollectedRecordsRead;
import io.millrace.protocol.reason.JobReason.EndedUnderEarlierLeader;
import io.millrace.protocol.reason.JobReason.FailureUnexplained;
import io.millrace.protocol.reason.JobReason.GraphFault;
import io.millrace.protocol.reason.JobReason.GraphInvalid;
import io.millrace.protocol.reason.JobReason.JobEndReported;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.JobMasterStops;
import io.millrace.protocol.reason.JobReason.JobOver;
import io.millrace.protocol.reason.JobReason.JobRestarted;
import io.millrace.protocol.reason.JobReason.JobScheduled;
import io.millrace.protocol.reason.JobReason.LeadershipLost;
import io.millrace.protocol.reason.JobReason.RestartRefusal;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.protocol.reason.JobReason.SlotTakenBack;
import io.millrace.protocol.reason.JobReason.SlotsGone;
import io.millrace.protocol.reason.JobReason.TaskEndedUnasked;
import io.millrace.protocol.reason.JobReason.TaskNotEnded;
import io.millrace.protocol.reason.JobReason.TasksEnded;
import io.millrace.protocol.reason.JobReason.TasksMissing;
import io.millrace.protocol.reason.JobReason.WorkerConnectionLost;
import io.millrace.protocol.reason.PeerReason.AnsweredByOtherLeader;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.CountedOut;
import io.millrace.protocol.reason.PeerReason.DeploymentUnconfirmed;
import io.millrace.protocol.reason.PeerReason.DroppedByPeer;
import io.millrace.protocol.reason.PeerReason.GaveUpLeader;
import io.millrace.protocol.reason.PeerReason.HeartbeatRequestTimeout;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.protocol.reason.PeerReason.LeaderChanged;
import io.millrace.protocol.reason.PeerReason.LeaderTimeout;
import io.millrace.protocol.reason.PeerReason.LeaderUnknown;
import io.millrace.protocol.reason.PeerReason.LeadershipEnded;
import io.millrace.protocol.reason.PeerReason.NewerAttempt;
import io.millrace.protocol.reason.PeerReason.NoSlotLeft;
import io.millrace.protocol.reason.PeerReason.NotLeader;
import io.millrace.protocol.reason.PeerReason.NotRegisteredAtPeer;
import io.millrace.protocol.reason.PeerReason.ProgramExit;
import io.millrace.protocol.reason.PeerReason.RegisteredElsewhere;
import io.millrace.protocol.reason.PeerReason.RegistrationRejected;
import io.millrace.protocol.reason.PeerReason.RemovedByDriver;
import io.millrace.protocol.reason.PeerReason.ResourceManagerNotFound;
import io.millrace.protocol.reason.PeerReason.Superseded;
import io.millrace.protocol.reason.PeerReason.WorkerStops;
import io.millrace.protocol.reason.PeerReason.WorkerUnknown;
import io.millrace.protocol.reason.PeerReason.WorkerUnreachable;
import io.millrace.protocol.reason.PeerReason.WrongJobMaster;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.AllocationOccupied;
import io.millrace.protocol.reason.SlotReason.AnswerPending;
import io.millrace.protocol.reason.SlotReason.ExternalResourcesMissing;
import io.millrace.protocol.reason.SlotReason.LargerWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.LimitReached;
import io.millrace.protocol.reason.SlotReason.LimitedResource;
import io.millrace.protocol.reason.SlotReason.MachineTooSmall;
import io.millrace.protocol.reason.SlotReason.MissingSize;
import io.millrace.protocol.reason.SlotReason.MoreWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.NoWorkerFits;
import io.millrace.protocol.reason.SlotReason.ProcessSize;
import io.millrace.protocol.reason.SlotReason.RegisteredWorkersTooSmall;
import io.millrace.protocol.reason.SlotReason.ResourceLimit;
import io.millrace.protocol.reason.SlotReason.ResourceManagerMissing;
import io.millrace.protocol.reason.SlotReason.SlotIndexUnknown;
import io.millrace.protocol.reason.SlotReason.SlotNotAccepted;
import io.millrace.protocol.reason.SlotReason.SlotOccupied;
import io.millrace.protocol.reason.SlotReason.SlotOfferTimeout;
import io.millrace.protocol.reason.SlotReason.SlotPlace;
import io.millrace.protocol.reason.SlotReason.SlotRequestRefused;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSizeMissing;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import io.millrace.protocol.reason.SlotReason.SlotTooSmall;
import io.millrace.protocol.reason.SlotReason.SlotUnused;
import io.millrace.protocol.reason.SlotReason.StartedWorkerTooSmall;
import io.millrace.protocol.reason.SlotReason.TotalExceeded;
import io.millrace.protocol.reason.WorkerReason.EndedBeforeRegistration;
import io.millrace.protocol.reason.WorkerReason.PreviousWorkersAwaited;
import io.millrace.protocol.reason.WorkerReason.RegistrationTimeout;
import io.millrace.protocol.reason.WorkerReason.ReleaseTimeout;
import io.millrace.protocol.reason.WorkerReason.StartsFailing;
import io.millrace.protocol.reason.WorkerReason.WorkerExceedsLimit;
import io.millrace.protocol.reason.WorkerReason.WorkerIdle;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.protocol.reason.WorkerReason.WorkerReleased;
import io.millrace.protocol.reason.WorkerReason.WorkersEnding;
import io.millrace.protocol.reason.WorkerReason.WorkersRequested;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.task.checkpoint.CheckpointMetadata.OperatorInfo;
import io.millrace.task.checkpoint.StateAssignment.Misfit.MaxParallelismChanged;
import io.millrace.task.checkpoint.StateAssignment.Misfit.OtherProgram;
import io.millrace.task.checkpoint.StateAssignment.Misfit.UnclaimedRecords;
import io.millrace.task.checkpoint.StateAssignment.Misfit.UnclaimedState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each reason word by word, in the numbers in which its sentence differs. */
class ReasonSentencesTest {
  private static final WorkerId WORKER = new WorkerId("tm-1");
  private static final JobId JOB = new JobId(new Id128(0, 7));
  private static final String JOB_TEXT = "00000000000000000000000000000007";
  private static final InstanceId INSTANCE = new InstanceId(new Id128(0, 8));
  private static final String INSTANCE_TEXT = "00000000000000000000000000000008";
  private static final AllocationId ALLOCATION = new AllocationId(new Id128(0, 9));
  private static final LeaderToken LEADER = new LeaderToken(3, new Id128(0, 10));
  private static final String LEADER_TEXT = "3:0000000000000000000000000000000a";
  private static final Address ADDRESS = new Address("10.0.0.5:6123", "resourcemanager");
  private static final ResourceProfile SMALL =
      new ResourceProfile(1, MemorySize.ofMebi(512).bytes(), 0, 0, 0);
  private static final ResourceProfile LARGE =
      new ResourceProfile(4, MemorySize.ofMebi(2048).bytes(), 0, MemorySize.ofMebi(256).bytes(), 0);
  private static final ResourceProfile ANY = ResourceProfile.UNSPECIFIED;
  private static final Reason CAUSE = new ErrorReason("exit code 137");

  static Stream<Arguments> slots() {
    return Stream.of(
        arguments(
            shortage(
                8, 5, Optional.empty(), supply(2, 5, 0, 0), List.of(), new MoreWorkersNeeded()),
            "The job needs 8 slots and has 5; 5 are registered by 2 TaskManagers, 0 of them free."
                + " Start more TaskManagers or lower the parallelism."),
        arguments(
            shortage(
                1, 0, Optional.empty(), supply(1, 1, 0, 0), List.of(), new MoreWorkersNeeded()),
            "The job needs 1 slot and has 0; 1 is registered by 1 TaskManager, 0 of them free."
                + " Start more TaskManagers or lower the parallelism."),
        arguments(
            shortage(
                1, 0, Optional.empty(), supply(0, 0, 0, 0), List.of(), new MoreWorkersNeeded()),
            "The job needs 1 slot and has 0; no TaskManager is registered. Start more TaskManagers"
                + " or lower the parallelism."),
        arguments(
            shortage(
                4, 1, Optional.empty(), supply(3, 6, 1, 1), List.of(), new MoreWorkersNeeded()),
            "The job needs 4 slots and has 1; 6 are registered by 3 TaskManagers, 1 of them free. 1"
                + " more would be free, but its TaskManager is blocked (`millrace cluster block`"
                + " lists why). Start more TaskManagers or lower the parallelism."),
        arguments(
            shortage(
                4, 1, Optional.empty(), supply(3, 6, 1, 4), List.of(), new MoreWorkersNeeded()),
            "The job needs 4 slots and has 1; 6 are registered by 3 TaskManagers, 1 of them free. 4"
                + " more would be free, but their TaskManagers are blocked (`millrace cluster"
                + " block` lists why). Start more TaskManagers or lower the parallelism."),
        arguments(
            shortage(
                3,
                0,
                Optional.of(Duration.ofMinutes(5)),
                new SlotSupply(2, 0, 0, 0, LARGE, ANY),
                List.of(new MissingSize(1, SMALL), new MissingSize(2, LARGE)),
                new MoreWorkersNeeded()),
            "The job needs 3 slots and has 0 after 5 min in which none came (slot.request.timeout);"
                + " 1 slot of 1.0 cpu, 512 mb heap and 2 slots of 4.0 cpu, 2.00 gb heap, 256 mb"
                + " managed are missing, and 2 TaskManagers have nothing left of 4.0 cpu, 2.00 gb"
                + " heap, 256 mb managed. Start more TaskManagers or lower the parallelism."),
        arguments(
            shortage(
                1,
                0,
                Optional.empty(),
                new SlotSupply(1, 0, 0, 0, LARGE, SMALL),
                List.of(new MissingSize(1, LARGE)),
                new MoreWorkersNeeded()),
            "The job needs 1 slot and has 0; 1 slot of 4.0 cpu, 2.00 gb heap, 256 mb managed is"
                + " missing, and 1 TaskManager has 1.0 cpu, 512 mb heap left of 4.0 cpu, 2.00 gb"
                + " heap, 256 mb managed. Start more TaskManagers or lower the parallelism."),
        arguments(
            new SlotShortage(
                2,
                1,
                Optional.empty(),
                supply(1, 2, 1, 0),
                List.of(),
                Optional.of(
                    new SlotRequestRefused(
                        new SlotPlace(WORKER, Optional.of(1), ANY), new SlotOccupied(1, true))),
                List.of(new MoreWorkersNeeded(), new PreviousWorkersAwaited(1))),
            "The job needs 2 slots and has 1; 2 are registered by 1 TaskManager, 1 of them free."
                + " Slot tm-1#1 was refused: Slot 1 is being released. Start more TaskManagers or"
                + " lower the parallelism. Waits for 1 worker that was there before to register"
                + " again."),
        arguments(
            new NoWorkerFits(1, LARGE, new StartedWorkerTooSmall(SMALL)),
            "The job needs 1 slot of 4.0 cpu, 2.00 gb heap, 256 mb managed. A TaskManager that is"
                + " started here has only 1.0 cpu, 512 mb heap. Give TaskManagers more or lower the"
                + " resources the job declares."),
        arguments(
            new NoWorkerFits(2, LARGE, new RegisteredWorkersTooSmall(3, SMALL)),
            "The job needs 2 slots of 4.0 cpu, 2.00 gb heap, 256 mb managed. None of the 3"
                + " registered TaskManagers is that large; the largest has 1.0 cpu, 512 mb heap."
                + " Start larger TaskManagers or lower the resources the job declares."),
        arguments(
            new RegisteredWorkersTooSmall(2, SMALL),
            "None of the 2 registered TaskManagers is that large; the largest has 1.0 cpu, 512 mb"
                + " heap. Start larger TaskManagers or lower the resources the job declares."),
        arguments(
            new StartedWorkerTooSmall(SMALL),
            "A TaskManager that is started here has only 1.0 cpu, 512 mb heap. Give TaskManagers"
                + " more or lower the resources the job declares."),
        arguments(
            new ExternalResourcesMissing(ANY),
            "A TaskManager that is started here has nothing of external resources. Lower the"
                + " resources the job declares."),
        arguments(
            new ExternalResourcesMissing(new ResourceProfile(0, 0, 0, 0, 0, Map.of("gpu", 1L))),
            "A TaskManager that is started here has 1 gpu of external resources. Lower the"
                + " resources the job declares."),
        arguments(
            new MachineTooSmall(
                Optional.of(new ProcessSize(8, 64L << 30)), "this machine", 2.5, 16L << 30),
            "A TaskManager for one would take 8.0 cpu and 64.00 gb of memory; this machine has 2.5"
                + " cpu and 16.00 gb. Lower the resources the job declares."),
        arguments(
            new MachineTooSmall(Optional.empty(), "the largest container", 4, 512L << 20),
            "No process can be that large; the largest container has 4.0 cpu and 512 mb. Lower the"
                + " resources the job declares."),
        arguments(
            new LargerWorkersNeeded(LARGE, Optional.of(SMALL)),
            "None is large enough; the largest has 1.0 cpu, 512 mb heap. Start TaskManagers with at"
                + " least 4.0 cpu, 2.00 gb heap, 256 mb managed or lower the resources the job"
                + " declares."),
        arguments(
            new LargerWorkersNeeded(LARGE, Optional.empty()),
            "Start TaskManagers with at least 4.0 cpu, 2.00 gb heap, 256 mb managed or lower the"
                + " resources the job declares."),
        arguments(new MoreWorkersNeeded(), "Start more TaskManagers or lower the parallelism."),
        arguments(
            new ResourceManagerMissing(2, 4),
            "Waiting for 2 of 4 slots; no ResourceManager is connected yet."),
        arguments(
            new ResourceManagerMissing(1, 1),
            "Waiting for 1 of 1 slot; no ResourceManager is connected yet."),
        arguments(new AnswerPending(2, 4), "Waiting for 2 of 4 slots from the ResourceManager."),
        arguments(new AnswerPending(1, 1), "Waiting for 1 of 1 slot from the ResourceManager."),
        arguments(
            new SlotRequestRefused(
                new SlotPlace(WORKER, Optional.of(0), ANY), new SlotOccupied(0, false)),
            "Slot tm-1#0 was refused: Slot 0 is taken."),
        arguments(
            new SlotRequestRefused(
                new SlotPlace(WORKER, Optional.empty(), SMALL), new SlotSizeMissing()),
            "A slot of 1.0 cpu, 512 mb heap at tm-1 was refused: A slot without an index needs a"
                + " size."),
        arguments(new SlotIndexUnknown(4, 4), "There is no slot 4, only 0 to 3."),
        arguments(new SlotOccupied(2, false), "Slot 2 is taken."),
        arguments(new SlotOccupied(2, true), "Slot 2 is being released."),
        arguments(
            new AllocationOccupied(ALLOCATION, Optional.of(3), SMALL, false),
            "Allocation " + ALLOCATION + " has slot 3, which is taken."),
        arguments(
            new AllocationOccupied(ALLOCATION, Optional.empty(), SMALL, true),
            "Allocation "
                + ALLOCATION
                + " has a slot of 1.0 cpu, 512 mb heap, which is being released."),
        arguments(
            new SlotTooSmall(1, SMALL, LARGE),
            "Slot 1 has 1.0 cpu, 512 mb heap, which has no room for 4.0 cpu, 2.00 gb heap, 256 mb"
                + " managed."),
        arguments(new SlotSizeMissing(), "A slot without an index needs a size."),
        arguments(
            new TotalExceeded(Optional.of(1), LARGE, SMALL, LARGE.plus(SMALL)),
            "There is no room for slot 1: 1.0 cpu, 512 mb heap is left of 5.0 cpu, 2.50 gb heap,"
                + " 256 mb managed, 3.0 cpu, 1.50 gb heap, 256 mb managed too little."),
        arguments(
            new TotalExceeded(Optional.empty(), SMALL, ANY, LARGE),
            "There is no room for a slot of 1.0 cpu, 512 mb heap: nothing is left of 4.0 cpu, 2.00"
                + " gb heap, 256 mb managed, 1.0 cpu, 512 mb heap too little."),
        arguments(new SlotUnused(), "The job does not need the slot."),
        arguments(new SlotNotAccepted(), "The job did not accept the slot."),
        arguments(new SlotOfferTimeout(), "The job did not accept the slot in time."));
  }

  static Stream<Arguments> limits() {
    ResourceLimit workers =
        new ResourceLimit("process.max-taskmanagers", LimitedResource.WORKERS, 2);
    return Stream.of(
        arguments(
            new LimitReached(2, 1, 0, false, workers),
            "It takes a 3rd worker, and process.max-taskmanagers allows 2. Raise that or lower the"
                + " parallelism."),
        arguments(
            new LimitReached(21, 1, 0, false, workers),
            "It takes a 22nd worker, and process.max-taskmanagers allows 2. Raise that or lower the"
                + " parallelism."),
        arguments(
            new LimitReached(2, 3, 0, false, workers),
            "It takes 3 more workers, 5 in all, and process.max-taskmanagers allows 2. Raise that"
                + " or lower the parallelism."),
        arguments(
            new LimitReached(2, 3, 1, false, workers),
            "It takes 3 more workers, 5 in all, and process.max-taskmanagers allows 2. Raise that"
                + " or lower the parallelism. Other jobs wait for 1 more worker."),
        arguments(
            new LimitReached(2, 1, 4, true, workers),
            "It takes 1 more worker and other jobs 4, 7 in all, and process.max-taskmanagers allows"
                + " 2. Raise that, lower the parallelism or let others end."),
        arguments(
            limit("slotmanager.number-of-slots.max", LimitedResource.SLOTS, 1),
            "It takes a 1st worker, and slotmanager.number-of-slots.max allows 1 slot. Raise that"
                + " or lower the parallelism."),
        arguments(
            limit("slotmanager.number-of-slots.max", LimitedResource.SLOTS, 12),
            "It takes a 1st worker, and slotmanager.number-of-slots.max allows 12 slots. Raise that"
                + " or lower the parallelism."),
        arguments(
            limit("slotmanager.max-total-resource.cpu", LimitedResource.CPU_CORES, 2.5),
            "It takes a 1st worker, and slotmanager.max-total-resource.cpu allows 2.5 cpu cores."
                + " Raise that or lower the parallelism."),
        arguments(
            limit("slotmanager.max-total-resource.memory", LimitedResource.MEMORY, 1L << 31),
            "It takes a 1st worker, and slotmanager.max-total-resource.memory allows 2.00 gb. Raise"
                + " that or lower the parallelism."));
  }

  static Stream<Arguments> workers() {
    return Stream.of(
        arguments(
            new WorkersRequested("process", 1, Optional.empty(), 0),
            "Asked the driver 'process' for 1 worker."),
        arguments(
            new WorkersRequested("yarn", 3, Optional.of(SMALL), 0),
            "Asked the driver 'yarn' for 3 workers with 1.0 cpu, 512 mb heap."),
        arguments(
            new WorkersRequested("yarn", 3, Optional.empty(), 1),
            "Asked the driver 'yarn' for 3 workers; 1 of them is starting."),
        arguments(
            new WorkersRequested("yarn", 3, Optional.empty(), 2),
            "Asked the driver 'yarn' for 3 workers; 2 of them are starting."),
        arguments(
            new WorkersRequested("yarn", 3, Optional.empty(), 3),
            "Asked the driver 'yarn' for 3 workers; they are starting."),
        arguments(
            new WorkersRequested("yarn", 1, Optional.empty(), 1),
            "Asked the driver 'yarn' for 1 worker; it is starting."),
        arguments(
            new PreviousWorkersAwaited(1),
            "Waits for 1 worker that was there before to register again."),
        arguments(
            new PreviousWorkersAwaited(2),
            "Waits for 2 workers that were there before to register again."),
        arguments(
            new WorkersEnding(1, "process", Duration.ofMinutes(2)),
            "1 worker is ending and still counts until the driver 'process' says that it is gone,"
                + " for up to 2 min (resourcemanager.taskmanager-release.timeout)."),
        arguments(
            new WorkersEnding(2, "process", Duration.ofMinutes(2)),
            "2 workers are ending and still count until the driver 'process' says that they are"
                + " gone, for up to 2 min (resourcemanager.taskmanager-release.timeout)."),
        arguments(
            new StartsFailing(CAUSE, 1, false, Duration.ofSeconds(3)),
            "The last start of a worker failed: exit code 137. It is retried every 3 s"
                + " (resourcemanager.start-worker.retry-interval)."),
        arguments(
            new StartsFailing(
                new EndedBeforeRegistration(WORKER, CAUSE), 2, false, Duration.ofSeconds(3)),
            "The last start of a worker failed: it ended before it had registered: exit code 137."
                + " 2 starts failed within a minute. It is retried every 3 s"
                + " (resourcemanager.start-worker.retry-interval)."),
        arguments(
            new StartsFailing(CAUSE, 11, true, Duration.ofSeconds(3)),
            "The last start of a worker failed: exit code 137. Starting pauses, because 11 starts"
                + " failed within a minute (resourcemanager.start-worker.max-failure-rate)."),
        arguments(
            new EndedBeforeRegistration(WORKER, CAUSE),
            "Worker tm-1 ended before it had registered: exit code 137."),
        arguments(
            new RegistrationTimeout(WORKER, Duration.ofSeconds(90), "some.option"),
            "Worker tm-1 did not register within 1 min 30 s (some.option)."),
        arguments(new WorkerNotNeeded(), "It is not needed any more."),
        arguments(
            new WorkerIdle(Duration.ofSeconds(30)),
            "It has not been used for 30 s (resourcemanager.taskmanager-timeout)."),
        arguments(
            new WorkerExceedsLimit(),
            "No job uses it, a job waits for a worker of another size, and the limits leave no room"
                + " for both."),
        arguments(
            new ReleaseTimeout(Duration.ofMinutes(2)),
            "It was released and has not ended within 2 min"
                + " (resourcemanager.taskmanager-release.timeout)."),
        arguments(
            new WorkerReleased(new WorkerNotNeeded()),
            "It was released: It is not needed any more."));
  }

  static Stream<Arguments> peers() {
    return Stream.of(
        arguments(
            new HeartbeatTimeout(Duration.ofSeconds(50)),
            "It did not answer heartbeats for 50 s (heartbeat.timeout)."),
        arguments(
            new HeartbeatRequestTimeout(Duration.ofMillis(1500)),
            "It has not asked for a heartbeat for 1.5 s (heartbeat.timeout)."),
        arguments(new ConnectionLost("process w is gone"), "Process w is gone."),
        arguments(
            new AnsweredByOtherLeader(ADDRESS),
            "The answer came from another leader than 10.0.0.5:6123/resourcemanager."),
        arguments(new LeaderUnknown(), "No leader is known."),
        arguments(new LeaderChanged(), "There is another leader."),
        arguments(
            new NotLeader(Optional.of(LEADER)),
            "It is not the leader of the job: " + LEADER_TEXT + " is."),
        arguments(
            new NotLeader(Optional.empty()),
            "It is not the leader of the job: no leader is known."),
        arguments(new LeadershipEnded(), "It is no longer the leader of the job."),
        arguments(
            new LeaderTimeout(Duration.ofMinutes(5)),
            "The job had no leader for 5 min (resourcemanager.job.timeout)."),
        arguments(new NewerAttempt(), "There is a newer attempt."),
        arguments(new Superseded(WORKER), "Worker tm-1 has registered anew."),
        arguments(new DroppedByPeer(CAUSE), "It dropped this worker: exit code 137."),
        arguments(new RemovedByDriver(CAUSE), "It counts this worker out: exit code 137."),
        arguments(
            new GaveUpLeader(new LeaderUnknown()), "It gave up its JobMaster: No leader is known."),
        arguments(
            new WorkerUnknown(WORKER),
            "Worker tm-1 is unknown here: it was not started for this cluster."),
        arguments(
            new WorkerUnreachable(WORKER, new Address("10.0.0.5:1", "taskmanager"), "refused"),
            "The ResourceManager cannot reach worker tm-1 at 10.0.0.5:1/taskmanager: refused."),
        arguments(new NotRegisteredAtPeer(), "It does not know this worker."),
        arguments(
            new RegisteredElsewhere(
                WORKER, Optional.of(LEADER), Optional.of(INSTANCE), LEADER, INSTANCE),
            "Worker tm-1 is registered under "
                + LEADER_TEXT
                + " as instance "
                + INSTANCE_TEXT
                + "; the call carries "
                + LEADER_TEXT
                + " and instance "
                + INSTANCE_TEXT
                + "."),
        arguments(
            new RegisteredElsewhere(
                WORKER, Optional.empty(), Optional.of(INSTANCE), LEADER, INSTANCE),
            "Worker tm-1 is registered nowhere; the call carries "
                + LEADER_TEXT
                + " and instance "
                + INSTANCE_TEXT
                + "."),
        arguments(new DeploymentUnconfirmed("timed out"), "It has not taken its tasks: timed out."),
        arguments(new WorkerStops(), "The TaskManager stops."),
        arguments(new NoSlotLeft(), "It has no slot of the job left."),
        arguments(new WrongJobMaster(JOB), "This is the JobMaster of job " + JOB_TEXT + "."),
        arguments(
            new ProgramExit(),
            "Code of a job called System.exit there, which ended the process and all its tasks."
                + " Throw an exception instead."),
        arguments(
            new RegistrationRejected(WORKER, ADDRESS, new WorkerUnknown(WORKER)),
            "The ResourceManager at 10.0.0.5:6123/resourcemanager rejected worker tm-1 for good:"
                + " Worker tm-1 is unknown here: it was not started for this cluster."),
        arguments(
            new ResourceManagerNotFound(
                WORKER, Duration.ofMinutes(5), Optional.of(ADDRESS), "10.0.0.5:6123"),
            "Worker tm-1 could not register at a ResourceManager within 5 min"
                + " (taskmanager.registration.timeout): it tried 10.0.0.5:6123/resourcemanager."
                + " Check that the JobManager runs and can be reached there."),
        arguments(
            new ResourceManagerNotFound(
                WORKER, Duration.ofMinutes(5), Optional.empty(), "10.0.0.5:6123"),
            "Worker tm-1 could not register at a ResourceManager within 5 min"
                + " (taskmanager.registration.timeout): it found no leader of it through"
                + " 10.0.0.5:6123. Check that the JobManager runs and can be reached there."),
        arguments(
            new CountedOut(WORKER, CAUSE),
            "The ResourceManager counts worker tm-1 out: exit code 137."));
  }

  static Stream<Arguments> jobs() {
    return Stream.of(
        arguments(
            new JobFailure(ErrorKind.USER, "Task map (1/2) failed: oops"),
            "Task map (1/2) failed: oops"),
        arguments(
            new RestartRefused("IllegalStateException: no rows", RestartRefusal.COMMIT_FAILED, 0),
            "IllegalStateException: no rows. No restart: the sink would commit the same output"
                + " again."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.NO_STRATEGY, 0),
            "It failed. No restart: the job has no restart strategy"
                + " (restart-strategy.type=fixed-delay would give it one)."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.RESULT_LOST, 0),
            "It failed. No restart: the job would look for the lost result in the same place"
                + " again."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.STATE_UNCLAIMED, 0),
            "It failed. No restart: the job would start with the same state again."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.COMMIT_FAILED, 0),
            "It failed. No restart: the sink would commit the same output again."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.RATE_EXCEEDED, 2),
            "It failed. No restart: the job has already restarted 2 times within"
                + " restart-strategy.failure-rate.failure-rate-interval"
                + " (restart-strategy.failure-rate.max-failures-per-interval)."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.BACKOFF_ATTEMPTS_USED, 4),
            "It failed. No restart: all 4 restarts of"
                + " restart-strategy.exponential-delay.attempts-before-reset-backoff have been"
                + " used."),
        arguments(
            new RestartRefused("It failed.", RestartRefusal.ATTEMPTS_USED, 3),
            "It failed. No restart: all 3 restarts of restart-strategy.fixed-delay.attempts have"
                + " been used."),
        arguments(
            new WorkerConnectionLost(WORKER, CAUSE), "TaskManager tm-1 is lost: exit code 137."),
        arguments(
            new SlotTakenBack(WORKER, CAUSE), "TaskManager tm-1 took a slot back: exit code 137."),
        arguments(
            new CollectedRecordsRead(CAUSE),
            "The job would have to start again (exit code 137.), but the client has already read"
                + " some of its collected records and would get them twice. Write them with a sink"
                + " instead, or run the job again."),
        arguments(new JobScheduled(), "The job is scheduled."),
        arguments(new JobRestarted(), "The job is scheduled again."),
        arguments(new CancelledByUser(), "The user cancelled the job."),
        arguments(new LeadershipLost(), "The JobMaster lost its leadership."),
        arguments(new TasksEnded(), "All tasks have ended."),
        arguments(new JobMasterStops(4), "The JobMaster of term 4 stops."),
        arguments(new JobOver(JobStatus.CANCELED), "The job is CANCELED."),
        arguments(new EndedUnderEarlierLeader(), "The job ended under an earlier leader."),
        arguments(new JobEndReported(), "The job has ended."),
        arguments(
            new ClientTimeout(true, Duration.ofSeconds(181), Duration.ofMinutes(3)),
            "Its client was last heard of 3 min 1 s ago; client.heartbeat.timeout is 3 min, and the"
                + " job ends with its client (execution.shutdown-on-attached-exit)."),
        arguments(
            new ClientTimeout(false, Duration.ofSeconds(200), Duration.ofMinutes(3)),
            "Nothing was heard of its client in the 3 min 20 s since this JobManager took the job;"
                + " client.heartbeat.timeout is 3 min, and the job ends with its client"
                + " (execution.shutdown-on-attached-exit)."),
        arguments(
            new TaskNotEnded(
                "map (1/2)",
                JOB,
                Duration.ofMinutes(3),
                false,
                Optional.of("com.example.Slow.map(Slow.java:12)")),
            "Task map (1/2) of job "
                + JOB_TEXT
                + " did not end within 3 min of its cancellation (task.cancellation.timeout). It is"
                + " in com.example.Slow.map(Slow.java:12), which ignores interruption, so the"
                + " TaskManager has to end."),
        arguments(
            new TaskNotEnded("map (1/2)", JOB, Duration.ofMinutes(3), true, Optional.empty()),
            "Task map (1/2) of job "
                + JOB_TEXT
                + " did not end within 3 min of its failure (task.cancellation.timeout). None of"
                + " its code is running, which is a bug of Millrace, so the TaskManager has to"
                + " end."),
        arguments(
            new TasksMissing(WORKER, 1), "TaskManager tm-1 no longer has 1 task deployed to it."),
        arguments(
            new TasksMissing(WORKER, 2), "TaskManager tm-1 no longer has 2 tasks deployed to it."),
        arguments(new SlotsGone(WORKER, 1), "TaskManager tm-1 no longer has 1 slot of the job."),
        arguments(new SlotsGone(WORKER, 2), "TaskManager tm-1 no longer has 2 slots of the job."),
        arguments(
            new TaskEndedUnasked("map (1/2)"),
            "Task map (1/2) was ended by its TaskManager without being cancelled."),
        arguments(
            new FailureUnexplained(), "The task failed, and its TaskManager reported no reason."),
        arguments(
            new GraphInvalid(JOB, GraphFault.NO_VERTICES, "", 0, 0),
            "The graph of job " + JOB_TEXT + " has no vertices. Build it anew."),
        arguments(
            new GraphInvalid(JOB, GraphFault.VERTEX_REPEATED, "map", 0, 0),
            "The graph of job " + JOB_TEXT + " has vertex map twice. Build it anew."),
        arguments(
            new GraphInvalid(JOB, GraphFault.EDGE_NOT_FORWARD, "a -> b", 0, 0),
            "The graph of job "
                + JOB_TEXT
                + " has edge a -> b that does not lead from a vertex to a later one. Build it"
                + " anew."),
        arguments(
            new GraphInvalid(JOB, GraphFault.PARALLELISM_DIFFERS, "a -> b", 2, 3),
            "The graph of job "
                + JOB_TEXT
                + " has forward edge a -> b between parallelism 2 and 3. Build it anew."));
  }

  static Stream<Arguments> checkpoints() {
    return Stream.of(
        arguments(new TaskNotRunning("map (1/2)"), "Task map (1/2) does not run yet."),
        arguments(new AllTasksFinished(), "All tasks of the job have finished."),
        arguments(
            new CheckpointExpired(Duration.ofMinutes(10), List.of("map (1/2)"), 1),
            "It did not complete within 10 min (execution.checkpointing.timeout). 1 task did not"
                + " store its state: map (1/2)."),
        arguments(
            new CheckpointExpired(Duration.ofSeconds(5), List.of("a (1/3)", "a (2/3)"), 3),
            "It did not complete within 5 s (execution.checkpointing.timeout). 3 tasks did not"
                + " store their state: a (1/3), a (2/3) and 1 other."),
        arguments(
            new TriggerNotAccepted(new WorkerId("w1"), "no answer"),
            "TaskManager w1 did not take the request for the checkpoint: no answer."),
        arguments(
            new SnapshotFailed("map (1/2)", "disk full"),
            "Task map (1/2) could not store its state: disk full."),
        arguments(
            new CheckpointStorageFailed("disk full"),
            "The checkpoint could not be stored: disk full."),
        arguments(
            new SharedFilesDeleted("8-0a", 2),
            "It refers to 2 shared files of earlier checkpoints, for example 8-0a, after their"
                + " deletion: a TaskManager heard too late that a later checkpoint was complete."),
        arguments(new TasksEnding(), "Tasks of the job failed or ended during the checkpoint."),
        arguments(new CheckpointSubsumed(8), "Checkpoint 8 completed first."),
        arguments(new StopInProgress(), "The job is already being stopped with a savepoint."),
        arguments(
            new StopInterrupted("/savepoints/a"),
            "The savepoint is stored in /savepoints/a, but tasks failed before the job had"
                + " finished. See the status of the job: it may have restarted from the"
                + " savepoint."),
        arguments(
            new StateDoesNotFit(
                "/savepoints/a",
                List.of(
                    new UnclaimedState(
                        new OperatorInfo(new OperatorId(new Id128(0, 11)), "count"),
                        "map -> count",
                        2048),
                    new UnclaimedRecords("map", "count", 1024),
                    new MaxParallelismChanged("map -> count", 128, 256))),
            "The job cannot start with the state of '/savepoints/a'. It has "
                + new MemorySize(2048)
                + " of state of operator 'count' in 'map -> count'"
                + " (0000000000000000000000000000000b), and the job has no operator with this id."
                + " Set the same uid, or drop the state with -n"
                + " (execution.state-recovery.ignore-unclaimed-state). It has "
                + new MemorySize(1024)
                + " of records that were on their way from 'map' to 'count', and the job has no such"
                + " edge. Start with a savepoint, which has no such records, or drop them with -n"
                + " (execution.state-recovery.ignore-unclaimed-state). 'map -> count' had max"
                + " parallelism 128 and has 256 now. Call maxParallelism(128) or set"
                + " pipeline.max-parallelism."),
        arguments(
            new StateDoesNotFit("/savepoints/a", List.of(new OtherProgram(JOB, 3))),
            "The job cannot start with the state of '/savepoints/a'. It was taken of job "
                + JOB_TEXT
                + ", and the job has none of its 3 operators with state: it is of another program,"
                + " or ids of operators changed because they have no uid. Use a savepoint of this"
                + " program, set uids, or drop the state with -n"
                + " (execution.state-recovery.ignore-unclaimed-state)."),
        arguments(
            new NoReadableCheckpoint(List.of("a is damaged", "b is gone.")),
            "No stored checkpoint of the job can be read. a is damaged. b is gone."),
        arguments(
            new SavepointUnusable("/savepoints/sp-1", "a file is gone"),
            "The job cannot start with the state of '/savepoints/sp-1': a file is gone."),
        arguments(
            new TooManyFailedCheckpoints(2, 1, new TasksEnding()),
            "2 consecutive checkpoints failed, 1 may fail"
                + " (execution.checkpointing.tolerable-failed-checkpoints). The last one: Tasks of"
                + " the job failed or ended during the checkpoint."));
  }

  static Stream<Arguments> others() {
    return Stream.of(
        arguments(
            new MinimumAboveMaximum("slots.min", "slots.max"),
            "slots.min is more than slots.max. Lower the one or raise the other."),
        arguments(
            new RatioOutOfRange("token.ratio", 1.5),
            "token.ratio is 1.5, but must be above 0 and below 1."),
        arguments(
            new PauseTooShort("token.retry", Duration.ZERO),
            "token.retry is 0 ms, but must be longer than 0."),
        arguments(new DriverReason("yarn.refused", "YARN refused it"), "YARN refused it."),
        arguments(new ErrorReason("exit code 137"), "exit code 137."));
  }

  static Stream<Arguments> all() {
    return Stream.of(slots(), limits(), workers(), peers(), jobs(), checkpoints(), others())
        .flatMap(x -> x);
  }

  @ParameterizedTest
  @MethodSource("all")
  @Behaviour("D11: reasons are whole sentences with numbers, ids and names of options")
  void isASentenceForPeople(Reason reason, String text) {
    assertThat(ReasonText.of(reason)).isEqualTo(text);
  }

  @Test
  void everyReasonIsAmongThese() {
    Set<Class<?>> here =
        all().map(arguments -> arguments.get()[0].getClass()).collect(Collectors.toSet());

    assertThat(here).containsAll(RecordGenerator.leaves(Reason.class).toList());
  }

  @ParameterizedTest
  @MethodSource("all")
  void isTheMessageOfAnExceptionThatCarriesIt(Reason reason, String text) {
    ReasonException error = new ReasonException(ErrorKind.RESOURCE, reason);

    assertThat(error).hasMessage(text);
    assertThat(error.reason()).isSameAs(reason);
    assertThat(error.kind()).isEqualTo(ErrorKind.RESOURCE);
  }

  @Test
  void refusalOfARestartIsToldWithoutTheFailure() {
    assertThat(
            ReasonText.refusal(new RestartRefused("It failed.", RestartRefusal.ATTEMPTS_USED, 2)))
        .isEqualTo(
            "No restart: all 2 restarts of restart-strategy.fixed-delay.attempts have been used.");
  }

  @ParameterizedTest
  @MethodSource("closings")
  void addsAFullStopWhereNoneIs(String words, String closed, String sentence) {
    assertThat(ReasonText.closed(words)).isEqualTo(closed);
    assertThat(ReasonText.sentence(words)).isEqualTo(sentence);
    assertThat(ReasonText.of(new ErrorReason(words))).isEqualTo(closed);
    assertThat(ReasonText.of(new ConnectionLost(words))).isEqualTo(sentence);
  }

  static Stream<Arguments> closings() {
    return Stream.of(
        arguments("no stop", "no stop.", "No stop."),
        arguments("a stop.", "a stop.", "A stop."),
        arguments("really?", "really?", "Really?"),
        arguments("no!", "no!", "No!"),
        arguments("and so on…", "and so on…", "And so on…"),
        arguments("  blanks around \n", "blanks around.", "Blanks around."),
        arguments("Capital", "Capital.", "Capital."),
        arguments("x", "x.", "X."),
        arguments("", "", ""),
        arguments("   ", "", ""));
  }

  @Test
  void errorIsTheMessageOfTheExceptionInsideTheWrappers() {
    Throwable thrown =
        new CompletionException(new CompletionException(new IOException("disk full")));

    assertThat(ErrorReason.of(thrown)).isEqualTo(new ErrorReason("IOException: disk full"));
    assertThat(
            ErrorReason.of(
                new CompletionException(new MillraceException(ErrorKind.USER, "Set the option."))))
        .isEqualTo(new ErrorReason("Set the option."));
    assertThat(ErrorReason.of(new IllegalStateException()))
        .isEqualTo(new ErrorReason("IllegalStateException"));
  }

  private static SlotSupply supply(int workers, int slots, int free, int blocked) {
    return new SlotSupply(workers, slots, free, blocked, ANY, ANY);
  }

  private static SlotShortage shortage(
      int required,
      int held,
      Optional<Duration> waited,
      SlotSupply supply,
      List<MissingSize> sizes,
      Reason outlook) {
    return new SlotShortage(
        required, held, waited, supply, sizes, Optional.empty(), List.of(outlook));
  }

  private static LimitReached limit(String option, LimitedResource resource, double amount) {
    return new LimitReached(0, 1, 0, false, new ResourceLimit(option, resource, amount));
  }
}
