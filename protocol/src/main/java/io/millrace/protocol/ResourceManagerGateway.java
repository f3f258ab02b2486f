package io.millrace.protocol;

import io.millrace.core.OrderedCopies;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.AllocationId;
import io.millrace.core.id.DataSetId;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.WorkerInfo.Hardware;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Address;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Knows all workers and their slots, and which jobs need how many. Fenced. */
public interface ResourceManagerGateway extends Gateway {

  /**
   * Accepted only for the job's elected leader. Repeating it under the same token changes nothing.
   */
  CompletableFuture<JobMasterReply> registerJobMaster(RegisterJobMaster request);

  /** Replaces an older registration of the same worker and its slots. */
  CompletableFuture<TaskManagerReply> registerTaskManager(RegisterTaskManager request);

  /** Follows a registration; refused under an outdated one. */
  CompletableFuture<Acknowledge> reportSlots(ReportSlots report);

  /** What a worker has of results for later jobs has changed. */
  CompletableFuture<Acknowledge> reportPartitions(ReportPartitions report);

  /** What a job needs in all; the last declaration counts. */
  CompletableFuture<Acknowledge> declareRequirements(DeclareRequirements declaration);

  /** A slot has become free. */
  void slotAvailable(SlotAvailable notice);

  void disconnectTaskManager(TaskManagerLeaves notice);

  /**
   * A JobMaster goes. One whose job has ended repeats it until it is acknowledged; of a job or a
   * leader that is not known it is acknowledged, too.
   */
  CompletableFuture<Acknowledge> disconnectJobMaster(JobMasterLeaves notice);

  /**
   * The application is over for good: when the ResourceManager stops, its workers end with it, and
   * whoever gave it machines hears how the application went.
   */
  CompletableFuture<Acknowledge> deregisterApplication(DeregisterApplication request);

  /**
   * Changes how many workers there may be, where they are started on demand. Answered when that is
   * stored: it holds for later leaders, too.
   */
  CompletableFuture<Acknowledge> limitWorkers(LimitWorkers limit);

  /**
   * Puts a worker or a node on the blocklist: it gets nothing new until the time is over or it is
   * unblocked. What runs there runs on.
   */
  CompletableFuture<Acknowledge> block(Block block);

  CompletableFuture<Acknowledge> unblock(Unblock request);

  CompletableFuture<Blocks> listBlocks(ListBlocks request);

  CompletableFuture<Workers> listWorkers(ListWorkers request);

  /** The results that are kept for later jobs. */
  CompletableFuture<DataSets> listDataSets(ListDataSets request);

  /** Where one of them is. */
  CompletableFuture<DataSetAnswer> describeDataSet(DescribeDataSet request);

  /**
   * Has a result deleted; acknowledged when the workers that have some of it have done so. One that
   * is not there is no error.
   */
  CompletableFuture<Acknowledge> releaseDataSet(ReleaseDataSet request);

  record RegisterJobMaster(JobId job, LeaderToken leader, Address address) {
    public RegisterJobMaster {
      Objects.requireNonNull(job);
      Objects.requireNonNull(leader);
      Objects.requireNonNull(address);
    }
  }

  record JobMasterReply(
      RegistrationStatus verdict, Optional<Reason> reason, Optional<JobMasterRegistered> success) {
    public JobMasterReply {
      Objects.requireNonNull(verdict);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(success);
    }
  }

  /**
   * @param resourceManager the leader that accepted, so that a late answer of an earlier one is
   *     seen
   */
  record JobMasterRegistered(LeaderToken resourceManager) {
    public JobMasterRegistered {
      Objects.requireNonNull(resourceManager);
    }
  }

  /**
   * @param attempt grows with each attempt of the same process; the newest wins a race
   * @param slot the profile of each of its equal slots
   * @param total what all its slots, the equal and the carved ones, can have together
   */
  record RegisterTaskManager(
      WorkerId worker,
      long attempt,
      Address address,
      String dataAddress,
      Hardware hardware,
      ResourceProfile slot,
      ResourceProfile total) {
    public RegisterTaskManager {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(address);
      Objects.requireNonNull(dataAddress);
      Objects.requireNonNull(hardware);
      Objects.requireNonNull(slot);
      Objects.requireNonNull(total);
    }
  }

  record TaskManagerReply(
      RegistrationStatus verdict,
      Optional<Reason> reason,
      Optional<TaskManagerRegistered> success) {
    public TaskManagerReply {
      Objects.requireNonNull(verdict);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(success);
    }
  }

  /**
   * @param blobs where graphs and jars are fetched
   * @param tokens the delegation tokens of the cluster, taken before the slots are reported
   */
  record TaskManagerRegistered(
      InstanceId instance, LeaderToken resourceManager, Address blobs, List<IssuedToken> tokens) {
    public TaskManagerRegistered {
      Objects.requireNonNull(instance);
      Objects.requireNonNull(resourceManager);
      Objects.requireNonNull(blobs);
      tokens = OrderedCopies.list(tokens);
    }
  }

  record ReportSlots(WorkerId worker, InstanceId instance, SlotReport report) {
    public ReportSlots {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(report);
    }
  }

  record ReportPartitions(WorkerId worker, InstanceId instance, PartitionReport report) {
    public ReportPartitions {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(report);
    }
  }

  /**
   * @param patience how long the job waits for missing slots while none come
   */
  record DeclareRequirements(
      JobId job, LeaderToken leader, List<Requirement> requirements, Duration patience) {
    public DeclareRequirements {
      Objects.requireNonNull(job);
      Objects.requireNonNull(leader);
      Objects.requireNonNull(patience);
      requirements = OrderedCopies.list(requirements);
    }
  }

  record Requirement(ResourceProfile profile, int slots) {
    public Requirement {
      Objects.requireNonNull(profile);
      if (slots < 1) {
        throw new IllegalArgumentException("A requirement is for at least one slot");
      }
    }
  }

  record SlotAvailable(WorkerId worker, InstanceId instance, AllocationId allocation) {
    public SlotAvailable {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(allocation);
    }
  }

  record TaskManagerLeaves(WorkerId worker, InstanceId instance, Reason reason) {
    public TaskManagerLeaves {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(instance);
      Objects.requireNonNull(reason);
    }
  }

  /**
   * @param ended whether the job has ended for good, so that nothing of it need be remembered
   */
  record JobMasterLeaves(JobId job, LeaderToken leader, boolean ended, Reason reason) {
    public JobMasterLeaves {
      Objects.requireNonNull(job);
      Objects.requireNonNull(leader);
      Objects.requireNonNull(reason);
    }
  }

  record DeregisterApplication(ApplicationStatus status, String diagnostics) {
    public DeregisterApplication {
      Objects.requireNonNull(status);
      Objects.requireNonNull(diagnostics);
    }
  }

  record LimitWorkers(int most) {
    public LimitWorkers {
      if (most < 0) {
        throw new IllegalArgumentException("the number of workers must be >= 0, not " + most);
      }
    }
  }

  /**
   * @param target the id of a worker, or the host of a node
   * @param time how long it is blocked from now on
   * @param cause why, for people to read
   */
  record Block(String target, Duration time, String cause) {
    public Block {
      if (target.isBlank()) {
        throw new IllegalArgumentException("target must not be blank");
      }
      if (time.isNegative()) {
        throw new IllegalArgumentException("duration must be >= 0, not " + time);
      }
      Objects.requireNonNull(cause);
    }
  }

  record Unblock(String target) {
    public Unblock {
      Objects.requireNonNull(target);
    }
  }

  record ListBlocks() {}

  record Blocks(List<Block> blocks) {
    public Blocks {
      blocks = OrderedCopies.list(blocks);
    }
  }

  record ListWorkers() {}

  record Workers(List<WorkerInfo> workers) {
    public Workers {
      workers = OrderedCopies.list(workers);
    }
  }

  record ListDataSets() {}

  record DataSets(List<DataSetEntry> dataSets) {
    public DataSets {
      dataSets = OrderedCopies.list(dataSets);
    }
  }

  record DataSetEntry(DataSetId id, boolean complete) {
    public DataSetEntry {
      Objects.requireNonNull(id);
    }
  }

  record DescribeDataSet(DataSetId id) {
    public DescribeDataSet {
      Objects.requireNonNull(id);
    }
  }

  record DataSetAnswer(Optional<DataSetInfo> dataSet) {
    public DataSetAnswer {
      Objects.requireNonNull(dataSet);
    }
  }

  record ReleaseDataSet(DataSetId id) {
    public ReleaseDataSet {
      Objects.requireNonNull(id);
    }
  }
}
