package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason;
import io.millrace.protocol.reason.SlotReason.LargerWorkersNeeded;
import io.millrace.protocol.reason.SlotReason.MissingSize;
import io.millrace.protocol.reason.SlotReason.NoWorkerFits;
import io.millrace.protocol.reason.SlotReason.RegisteredWorkersTooSmall;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.reason.SlotReason.SlotSupply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Jobs that wait for slots: for how long still, and the sentences that say why. */
final class SlotShortages {
  /** How old numbers in the reason of a waiting job may be that changed through others. */
  static final Duration REFRESH = Duration.ofSeconds(1);

  /**
   * In the order of their deadlines, which change only while a job is not in here. Slots that come
   * move all deadlines; that is made up for when one falls due.
   */
  private final TreeSet<JobRequirements> waiting =
      new TreeSet<>(
          Comparator.comparingLong((JobRequirements job) -> job.deadline)
              .thenComparing(job -> job.id));

  private Numbers latest =
      new Numbers(
          new SlotSupply(0, 0, 0, 0, ResourceProfile.UNSPECIFIED, ResourceProfile.UNSPECIFIED),
          Optional.empty());
  private long slotsCameAt = Long.MIN_VALUE;
  private long refreshAt = Long.MAX_VALUE;

  /**
   * What jobs are told of; where it changes, they are told anew.
   *
   * @param circumstances nothing where workers come by themselves
   */
  record Numbers(SlotSupply supply, Optional<WorkerDemand.Circumstances> circumstances) {}

  /** Slots were registered: every shortage counts anew. */
  void slotsCame(long now) {
    slotsCameAt = now;
  }

  /** Keeps or drops the job, by whether it has what it needs; a grant lets it count anew. */
  void track(JobRequirements job, boolean countAnew, long now) {
    boolean waited = waiting.remove(job);
    if (job.missing > 0 || (job.pending > 0 && job.required > 0)) {
      if (!waited || countAnew) {
        job.waitsSince = now;
      }
      job.deadline = deadline(job);
      waiting.add(job);
    }
  }

  /** Jobs that have waited for as long as they may. */
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

  /** The numbers now; where they changed, reasons that quote them are to be renewed soon. */
  void numbers(Numbers now, long nowNanos) {
    if (!now.equals(latest)) {
      latest = now;
      if (!waiting.isEmpty() && refreshAt == Long.MAX_VALUE) {
        refreshAt = nowNanos + REFRESH.toNanos();
      }
    }
  }

  /** Jobs whose reason is due to be renewed. */
  List<JobRequirements> stale(long now) {
    if (now < refreshAt) {
      return new ArrayList<>();
    }
    refreshAt = Long.MAX_VALUE;
    return new ArrayList<>(waiting);
  }

  /** When something falls due here, or the end of time. */
  long nextWake() {
    return waiting.isEmpty() ? Long.MAX_VALUE : Math.min(refreshAt, waiting.first().deadline);
  }

  /**
   * @param outlook what may end the shortage
   */
  SlotShortage reason(JobRequirements job, List<Reason> outlook) {
    return shortage(job, outlook, Optional.empty());
  }

  SlotShortage timedOut(JobRequirements job, List<Reason> outlook) {
    return shortage(job, outlook, Optional.of(job.patience));
  }

  private SlotShortage shortage(
      JobRequirements job, List<Reason> outlook, Optional<Duration> waited) {
    List<MissingSize> sizes = new ArrayList<>();
    for (ProfileRequirement need : job.needs.values()) {
      if (need.missing() > 0 && !need.profile.isUnspecified()) {
        sizes.add(new MissingSize(need.missing(), need.profile));
      }
    }
    return new SlotShortage(
        job.required,
        job.required - job.missing,
        waited,
        latest.supply(),
        sizes,
        job.lastRefusal,
        outlook);
  }

  /**
   * @param refusal why no worker can be started for it, where any can be started
   */
  static NoWorkerFits neverFits(
      ProfileRequirement need, WorkerSizes sizes, Optional<SlotReason> refusal) {
    return new NoWorkerFits(
        need.required,
        need.profile,
        refusal.orElseGet(() -> new RegisteredWorkersTooSmall(sizes.workers(), sizes.largest())));
  }

  /** What helps where somebody else starts TaskManagers, and none is large enough so far. */
  static LargerWorkersNeeded startLarger(ResourceProfile needed, WorkerSizes sizes) {
    return new LargerWorkersNeeded(
        needed, sizes.workers() == 0 ? Optional.empty() : Optional.of(sizes.largest()));
  }

  private long deadline(JobRequirements job) {
    return Math.max(job.waitsSince, slotsCameAt) + job.patience.toNanos();
  }
}
