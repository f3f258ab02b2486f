package io.millrace.control.slotmanager;

import io.millrace.core.ResourceProfile;
import io.millrace.core.config.Durations;
import io.millrace.core.config.JobManagerOptions;
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
          0, 0, 0, 0, ResourceProfile.UNSPECIFIED, ResourceProfile.UNSPECIFIED, Optional.empty());
  private long slotsCameAt = Long.MIN_VALUE;
  private long refreshAt = Long.MAX_VALUE;

  /**
   * What the cluster has.
   *
   * @param slots how many equal slots its workers have
   * @param free how many of these can still be had
   * @param blocked how many more could be had if their workers were not blocked
   * @param total what workers have in all
   * @param left what nobody has of that
   * @param circumstances what else jobs are told of
   */
  record Numbers(
      int workers,
      int slots,
      int free,
      int blocked,
      ResourceProfile total,
      ResourceProfile left,
      Optional<WorkerDemand.Circumstances> circumstances) {}

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
   * @param outlook what may end the shortage, as sentences
   */
  String reason(JobRequirements job, String outlook) {
    return shortage(job, outlook, "");
  }

  String timedOut(JobRequirements job, String outlook) {
    return shortage(
        job,
        outlook,
        " after "
            + Durations.readable(job.patience)
            + " in which none came ("
            + JobManagerOptions.SLOT_REQUEST_TIMEOUT.key()
            + ")");
  }

  private String shortage(JobRequirements job, String outlook, String waited) {
    return "The job needs "
        + slots(job.required)
        + " and has "
        + (job.required - job.missing)
        + waited
        + "; "
        + registered(job)
        + job.lastRefusal.map(refusal -> " " + refusal).orElse("")
        + " "
        + outlook;
  }

  /**
   * @param refusal why no worker can be started for it, where any can be started
   */
  String neverFits(ProfileRequirement need, WorkerSizes sizes, Optional<String> refusal) {
    String what = "The job needs " + slots(need.required) + " of " + need.profile + ", and ";
    if (refusal.isPresent()) {
      return what + refusal.get();
    }
    return what
        + "none of the "
        + sizes.workers()
        + " registered TaskManagers is that large; the largest has "
        + sizes.largest()
        + ". Start larger TaskManagers or lower the resources the job declares.";
  }

  /** What helps where somebody else starts TaskManagers, and none is large enough so far. */
  static String startLarger(ResourceProfile needed, WorkerSizes sizes) {
    return (sizes.workers() == 0
            ? ""
            : "None is large enough; the largest has " + sizes.largest() + ". ")
        + "Start TaskManagers with at least "
        + needed
        + " or lower the resources the job declares.";
  }

  static String slots(int count) {
    return count == 1 ? "1 slot" : count + " slots";
  }

  private String registered(JobRequirements job) {
    if (latest.workers() == 0) {
      return "no TaskManager is registered.";
    }
    String workers = latest.workers() == 1 ? "1 TaskManager" : latest.workers() + " TaskManagers";
    List<String> sizes = new ArrayList<>();
    int missing = 0;
    for (ProfileRequirement need : job.needs.values()) {
      if (need.missing() > 0 && !need.profile.isUnspecified()) {
        missing += need.missing();
        sizes.add(slots(need.missing()) + " of " + need.profile);
      }
    }
    if (sizes.isEmpty()) {
      return latest.slots()
          + (latest.slots() == 1 ? " is" : " are")
          + " registered by "
          + workers
          + ", "
          + latest.free()
          + " of them free."
          + blocked();
    }
    return String.join(" and ", sizes)
        + (missing == 1 ? " is" : " are")
        + " missing, and "
        + workers
        + (latest.workers() == 1 ? " has " : " have ")
        + (latest.left().isUnspecified() ? "nothing" : latest.left())
        + " left of "
        + latest.total()
        + "."
        + blocked();
  }

  private String blocked() {
    if (latest.blocked() == 0) {
      return "";
    }
    return " "
        + latest.blocked()
        + " more would be free, but "
        + (latest.blocked() == 1 ? "its TaskManager is" : "their TaskManagers are")
        + " blocked (`millrace cluster block` lists why).";
  }

  private long deadline(JobRequirements job) {
    return Math.max(job.waitsSince, slotsCameAt) + job.patience.toNanos();
  }
}
