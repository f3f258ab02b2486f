package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.LargerWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.MissingSize;
import io.millrace.protocol.reason.SlotReason.RegisteredWorkersTooSmall;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The jobs with a shortage of slots, their deadlines and the reasons of their shortages. */
final class SlotShortages {
  /** How long a reason may contain numbers that other jobs or workers have changed. */
  static final Duration REFRESH = Duration.ofSeconds(1);

  /**
   * Sorted by deadline, which changes only while a job is not in this set. New slots postpone all
   * deadlines; {@link #expired} corrects a deadline when it is due.
   */
  private final TreeSet<JobRequirements> waiting =
      new TreeSet<>(
          Comparator.comparingLong((JobRequirements job) -> job.deadline)
              .thenComparing(job -> job.id));

  private SupplyAndDemand latest =
      new SupplyAndDemand(
          new SlotSupply(0, 0, 0, 0, ResourceProfile.UNSPECIFIED, ResourceProfile.UNSPECIFIED),
          Optional.empty());
  private long slotsRegisteredAt = Long.MIN_VALUE;
  private long refreshAt = Long.MAX_VALUE;

  /**
   * The numbers in reasons. Jobs are notified again when they change.
   *
   * @param demand empty for a standalone cluster
   */
  record SupplyAndDemand(SlotSupply supply, Optional<WorkerDemand.DemandStatus> demand) {}

  /** A worker has registered slots: all timeouts restart. */
  void slotsRegistered(long now) {
    slotsRegisteredAt = now;
  }

  /** Adds the job if it has a shortage, otherwise removes it. */
  void track(JobRequirements job, boolean restartTimeout, long now) {
    boolean waited = waiting.remove(job);
    if (job.missing > 0 || (job.pending > 0 && job.required > 0)) {
      if (!waited || restartTimeout) {
        job.waitingSince = now;
      }
      job.deadline = deadline(job);
      waiting.add(job);
    }
  }

  /** The jobs whose shortage has timed out. */
  List<JobRequirements> expired(long now) {
    List<JobRequirements> due = new ArrayList<>();
    for (JobRequirements job : waiting) {
      if (job.deadline > now) {
        break;
      }
      due.add(job);
    }
    List<JobRequirements> expired = new ArrayList<>();
    for (JobRequirements job : due) {
      if (deadline(job) <= now) {
        expired.add(job);
      } else {
        waiting.remove(job);
        job.deadline = deadline(job);
        waiting.add(job);
      }
    }
    return expired;
  }

  /** Sets the current numbers. If they changed, the reasons of all jobs become stale soon. */
  void update(SupplyAndDemand current, long nowNanos) {
    if (!current.equals(latest)) {
      latest = current;
      if (!waiting.isEmpty() && refreshAt == Long.MAX_VALUE) {
        refreshAt = nowNanos + REFRESH.toNanos();
      }
    }
  }

  /** The jobs whose reason has to be renewed now. */
  List<JobRequirements> stale(long now) {
    if (now < refreshAt) {
      return new ArrayList<>();
    }
    refreshAt = Long.MAX_VALUE;
    return new ArrayList<>(waiting);
  }

  /**
   * The time of the next deadline or renewal of reasons; {@code Long.MAX_VALUE} if there is none.
   */
  long nextWake() {
    return waiting.isEmpty() ? Long.MAX_VALUE : Math.min(refreshAt, waiting.first().deadline);
  }

  /**
   * @param outlook what can end the shortage
   */
  SlotShortage reason(JobRequirements job, List<Reason> outlook) {
    return new SlotShortage(
        job.required,
        job.required - job.missing,
        Optional.empty(),
        latest.supply(),
        missingSizes(job),
        job.lastRefusal,
        outlook);
  }

  SlotShortage timedOut(JobRequirements job, List<Reason> outlook) {
    return new SlotShortage(
        job.required,
        job.required - job.missing,
        Optional.of(job.timeout),
        latest.supply(),
        missingSizes(job),
        job.lastRefusal,
        outlook);
  }

  private static List<MissingSize> missingSizes(JobRequirements job) {
    List<MissingSize> sizes = new ArrayList<>();
    for (ProfileRequirement requirement : job.byProfile.values()) {
      if (requirement.missing() > 0 && !requirement.profile.isUnspecified()) {
        sizes.add(new MissingSize(requirement.missing(), requirement.profile));
      }
    }
    return sizes;
  }

  /** Why no registered worker fits a profile, for a standalone cluster. */
  static RegisteredWorkersTooSmall registeredTooSmall(WorkerSizes sizes) {
    return new RegisteredWorkersTooSmall(sizes.workers(), sizes.largest());
  }

  /** The advice for a standalone cluster in which no worker fits a profile. */
  static LargerWorkersNeeded startLarger(ResourceProfile needed, WorkerSizes sizes) {
    return new LargerWorkersNeeded(
        needed, sizes.workers() == 0 ? Optional.empty() : Optional.of(sizes.largest()));
  }

  private long deadline(JobRequirements job) {
    return Math.max(job.waitingSince, slotsRegisteredAt) + job.timeout.toNanos();
  }
}
