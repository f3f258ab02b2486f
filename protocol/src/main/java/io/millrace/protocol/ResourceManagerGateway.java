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
import io.millrace.rpc.registration.RegistrationReply;
import io.millrace.rpc.registration.RegistrationStatus;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Manages all workers, their slots and the requirements of jobs. Fenced. */
public interface ResourceManagerGateway extends Gateway {

  /** Registers the elected leader of a job. Idempotent under the same token. */
  CompletableFuture<JobMasterReply> registerJobMaster(RegisterJobMaster request);

  /** Replaces an older registration of the same worker and its slots. */
  CompletableFuture<TaskManagerReply> registerTaskManager(RegisterTaskManager request);

  /** Follows a registration; refused under an outdated one. */
  CompletableFuture<Acknowledge> reportSlots(ReportSlots report);

  /** The cluster partitions of a worker have changed. */
  CompletableFuture<Acknowledge> reportPartitions(ReportPartitions report);

  /** Declares all requirements of a job; replaces the previous declaration. */
  CompletableFuture<Acknowledge> declareRequirements(DeclareRequirements declaration);

  /** A slot has become free. */
  void slotAvailable(SlotAvailable notice);

  void disconnectTaskManager(TaskManagerLeaves notice);

  /**
   * A JobMaster ends its registration. If the job has ended, the JobMaster repeats this until it is
   * acknowledged. Also acknowledged if the job or its leader is unknown.
   */
  CompletableFuture<Acknowledge> disconnectJobMaster(JobMasterLeaves notice);

  /**
   * Deregisters the application: when the ResourceManager stops, its workers end, and the driver
   * reports the final status to the resource provider.
   */
  CompletableFuture<Acknowledge> deregisterApplication(DeregisterApplication request);

  /**
   * Changes the limit of workers that are started on demand. Acknowledged when the limit is stored,
   * so that it applies under later leaders, too.
   */
  CompletableFuture<Acknowledge> limitWorkers(LimitWorkers limit);

  /**
   * Adds a worker or a node to the blocklist: it gets no new slots until the block expires or is
   * removed. Running tasks are not affected.
   */
  CompletableFuture<Acknowledge> block(Block block);

  CompletableFuture<Acknowledge> unblock(Unblock request);

  CompletableFuture<Blocks> listBlocks(ListBlocks request);

  CompletableFuture<Workers> listWorkers(ListWorkers request);

  /**
   * Why a lost worker has ended, as its driver knows. A driver often knows it later than the
   * connection of the worker breaks, so the answer comes when the driver has reported the end.
   */
  CompletableFuture<WorkerEnd> awaitWorkerEnd(AwaitWorkerEnd request);

  /** All cached data sets. */
  CompletableFuture<DataSets> listDataSets(ListDataSets request);

  /** The locations of a cached data set. */
  CompletableFuture<DataSetAnswer> describeDataSet(DescribeDataSet request);

  /**
   * Deletes a cached data set. Acknowledged when its workers have deleted their partitions; an
   * unknown data set is not an error.
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
      RegistrationStatus verdict, Optional<Reason> reason, Optional<JobMasterRegistered> success)
      implements RegistrationReply<JobMasterRegistered, Reason> {
    public JobMasterReply {
      Objects.requireNonNull(verdict);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(success);
      if (verdict == RegistrationStatus.ACCEPTED ? success.isEmpty() : reason.isEmpty()) {
        throw new IllegalArgumentException(verdict + " without a success or a reason");
      }
    }
  }

  /**
   * @param resourceManager the leader that accepted, to detect a late answer of an earlier leader
   */
  record JobMasterRegistered(LeaderToken resourceManager) {
    public JobMasterRegistered {
      Objects.requireNonNull(resourceManager);
    }
  }

  /**
   * @param attempt grows with each attempt of the same process; the newest counts
   * @param slot the profile of each of its equal slots
   * @param total the resources of all slots, equal and carved ones together
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
      RegistrationStatus verdict, Optional<Reason> reason, Optional<TaskManagerRegistered> success)
      implements RegistrationReply<TaskManagerRegistered, Reason> {
    public TaskManagerReply {
      Objects.requireNonNull(verdict);
      Objects.requireNonNull(reason);
      Objects.requireNonNull(success);
      if (verdict == RegistrationStatus.ACCEPTED ? success.isEmpty() : reason.isEmpty()) {
        throw new IllegalArgumentException(verdict + " without a success or a reason");
      }
    }
  }

  /**
   * @param blobs the address of the BlobServer
   * @param tokens the delegation tokens of the cluster, which the TaskManager applies before it
   *     reports its slots
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
   * @param patience how long the job waits for missing slots while none arrive
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
   * @param ended whether the job has ended, so that the ResourceManager removes it
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
   * @param time the duration of the block
   * @param cause the reason, for display
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

  /**
   * @param patience the longest time until the answer
   */
  record AwaitWorkerEnd(WorkerId worker, Duration patience) {
    public AwaitWorkerEnd {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(patience);
    }
  }

  /**
   * @param reason empty if the driver does not know more than that the worker is lost
   */
  record WorkerEnd(Optional<Reason> reason) {
    public WorkerEnd {
      Objects.requireNonNull(reason);
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
