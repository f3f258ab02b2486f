package io.millrace.protocol;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.protocol.JobMasterGateway.AcknowledgeCheckpoint;
import io.millrace.protocol.JobMasterGateway.BacklogNotice;
import io.millrace.protocol.JobMasterGateway.CollectedPart;
import io.millrace.protocol.JobMasterGateway.DeclineCheckpoint;
import io.millrace.protocol.JobMasterGateway.KeptTasks;
import io.millrace.protocol.JobMasterGateway.OfferSlots;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.JobMasterGateway.SlotLost;
import io.millrace.protocol.JobMasterGateway.TaskUpdates;
import io.millrace.protocol.JobMasterGateway.WatermarkReport;
import io.millrace.protocol.JobMasterGateway.WorkerLeaves;
import io.millrace.protocol.ResourceManagerGateway.RegisterTaskManager;
import io.millrace.protocol.ResourceManagerGateway.ReportPartitions;
import io.millrace.protocol.ResourceManagerGateway.ReportSlots;
import io.millrace.protocol.ResourceManagerGateway.SlotAvailable;
import io.millrace.protocol.ResourceManagerGateway.TaskManagerLeaves;
import io.millrace.rpc.leader.LeaderDirectoryGateway.AwaitLeader;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The messages that a TaskManager sends to a JobManager, and the worker that each of them claims to
 * come from. A TaskManager runs code of users, so a JobManager accepts nothing else from it.
 */
public final class WorkerMessages {
  /** Messages without a sender: requests that any TaskManager may make. */
  private static final List<Class<? extends Record>> OF_ANY_WORKER =
      List.of(AwaitLeader.class, ReadBlob.class, CollectedPart.class);

  /** All other messages, with the worker that they claim to come from. */
  private static final Map<Class<? extends Record>, Function<Record, WorkerId>> SENDERS =
      new LinkedHashMap<>();

  static {
    sentBy(RegisterTaskManager.class, RegisterTaskManager::worker);
    sentBy(ReportSlots.class, ReportSlots::worker);
    sentBy(ReportPartitions.class, ReportPartitions::worker);
    sentBy(SlotAvailable.class, SlotAvailable::worker);
    sentBy(TaskManagerLeaves.class, TaskManagerLeaves::worker);
    sentBy(RegisterAtJobMaster.class, RegisterAtJobMaster::worker);
    sentBy(OfferSlots.class, OfferSlots::worker);
    sentBy(KeptTasks.class, KeptTasks::worker);
    sentBy(TaskUpdates.class, TaskUpdates::worker);
    sentBy(AcknowledgeCheckpoint.class, AcknowledgeCheckpoint::worker);
    sentBy(DeclineCheckpoint.class, DeclineCheckpoint::worker);
    sentBy(BacklogNotice.class, BacklogNotice::worker);
    sentBy(WatermarkReport.class, WatermarkReport::worker);
    sentBy(SlotLost.class, SlotLost::worker);
    sentBy(WorkerLeaves.class, WorkerLeaves::worker);
  }

  private WorkerMessages() {}

  /**
   * Why a message of a TaskManager is refused; empty if it is accepted.
   *
   * @param isSender whether the TaskManager has this id
   */
  public static Optional<String> refusal(Record message, Predicate<WorkerId> isSender) {
    if (OF_ANY_WORKER.contains(message.getClass())) {
      return Optional.empty();
    }
    String name = message.getClass().getSimpleName();
    Function<Record, WorkerId> sender = SENDERS.get(message.getClass());
    if (sender == null) {
      return Optional.of("a TaskManager does not send " + name);
    }
    WorkerId claimed = sender.apply(message);
    return isSender.test(claimed)
        ? Optional.empty()
        : Optional.of("it sent " + name + " as TaskManager " + claimed);
  }

  private static <M extends Record> void sentBy(Class<M> message, Function<M, WorkerId> sender) {
    SENDERS.put(message, any -> sender.apply(message.cast(any)));
  }
}
