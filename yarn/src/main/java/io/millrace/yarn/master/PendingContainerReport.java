package io.millrace.yarn.master;

import io.millrace.core.OrderedCopies;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.Reason;
import io.millrace.yarn.master.AllocatorAction.QueryStatus;
import io.millrace.yarn.master.AllocatorAction.ReportPending;
import io.millrace.yarn.master.ContainerRequests.PendingRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/**
 * Decides when to ask YARN why containers are pending, and what to report. A part of {@link
 * ContainerAllocator}.
 */
final class PendingContainerReport {
  /** A container that is allocated within this time needs no explanation. */
  private static final Duration REPORT_AFTER = Duration.ofSeconds(2);

  /** Each report goes to all waiting jobs and into their history. */
  private static final Duration REPORT_INTERVAL = Duration.ofSeconds(10);

  /** After many reports the interval grows by this factor. */
  private static final int BACKOFF = 6;

  /**
   * A report is withdrawn when no request has been pending for this time. Requests often follow
   * each other closely.
   */
  private static final Duration WITHDRAW_AFTER = Duration.ofSeconds(1);

  /** A heartbeat takes milliseconds. YARN's library repeats one that gets no answer. */
  static final Duration OUTAGE_AFTER = Duration.ofSeconds(5);

  private static final long NEVER = Long.MAX_VALUE;

  private final String queue;
  private final ContainerSize largest;
  private boolean queryUnderWay;
  private boolean reported;

  /** The time of the latest query since requests are pending; {@link #NEVER} if there was none. */
  private long queriedAt = NEVER;

  /** Since when no request is pending; {@link #NEVER} if one is. */
  private long emptySince = NEVER;

  private long dueAt = NEVER;

  /** When the missing answer to a heartbeat is reported next; {@link #NEVER} if none is missing. */
  private long outageDueAt = NEVER;

  private boolean outageReported;

  /**
   * The containers that are pending.
   *
   * @param sizes the number of containers of each size
   * @param largest the largest container that YARN allocates
   * @param available what YARN has left for the application
   */
  record PendingContainers(
      Map<ContainerSize, Integer> sizes,
      Instant since,
      ContainerSize largest,
      ContainerSize available) {
    PendingContainers {
      sizes = OrderedCopies.map(sizes);
      Objects.requireNonNull(since);
      Objects.requireNonNull(largest);
      Objects.requireNonNull(available);
    }

    /**
     * @param status the status of YARN, as a clause
     */
    String sentence(String status) {
      int count = sizes.values().stream().mapToInt(number -> number).sum();
      String what =
          sizes.entrySet().stream()
              .map(
                  entry ->
                      entry.getValue()
                          + (entry.getValue() == 1 ? " container" : " containers")
                          + " of "
                          + entry.getKey())
              .collect(Collectors.joining(", "));
      return "YARN was asked for "
          + what
          + " and has not given "
          + (count == 1 ? "it" : "them")
          + " since "
          + YarnStatusQuery.TIME.format(since)
          + "; "
          + status
          + "; left for this application now: "
          + available
          + "; the largest container that can be asked for: "
          + largest
          + ".";
    }
  }

  /**
   * @param queue of this application
   * @param largest the largest container that YARN allocates
   */
  PendingContainerReport(String queue, ContainerSize largest) {
    this.queue = queue;
    this.largest = largest;
  }

  /** Decides what to do now; called after every event. */
  List<AllocatorAction> check(ContainerRequests requests, long now) {
    Optional<PendingRequest> oldest = requests.oldest();
    if (oldest.isEmpty()) {
      return withdraw(now);
    }
    emptySince = NEVER;
    if (queryUnderWay) {
      dueAt = NEVER;
      return List.of();
    }
    dueAt = reportableAt(oldest.get());
    if (queriedAt != NEVER) {
      Duration pending = Duration.ofNanos(queriedAt - oldest.get().since());
      dueAt = Math.max(dueAt, queriedAt + interval(pending).toNanos());
    }
    if (now < dueAt) {
      return List.of();
    }
    queryUnderWay = true;
    queriedAt = now;
    dueAt = NEVER;
    return List.of(new QueryStatus());
  }

  /**
   * Reports that YARN does not answer; called after every event.
   *
   * @param since when the heartbeat was sent that is not answered; empty if there is none
   */
  List<AllocatorAction> checkOutage(ContainerRequests requests, OptionalLong since, long now) {
    if (since.isEmpty() || requests.isEmpty()) {
      if (outageReported) {
        // What YARN says now replaces the report.
        queriedAt = NEVER;
      }
      outageReported = false;
      outageDueAt = NEVER;
      return List.of();
    }
    if (outageDueAt == NEVER) {
      outageDueAt = since.getAsLong() + OUTAGE_AFTER.toNanos();
    }
    if (now < outageDueAt) {
      return List.of();
    }
    Duration silence = Duration.ofNanos(now - since.getAsLong());
    outageDueAt = now + interval(silence).toNanos();
    reported = true;
    outageReported = true;
    int count = requests.pending().size();
    return List.of(
        new ReportPending(
            Optional.of(
                new DriverReason(
                    "yarn.resource-manager-silent",
                    "YARN's ResourceManager has not answered for "
                        + silence.toSeconds()
                        + " s. "
                        + (count == 1 ? "1 container" : count + " containers")
                        + " cannot be requested until it answers again."))));
  }

  private static long reportableAt(PendingRequest request) {
    return request.since() + REPORT_AFTER.toNanos();
  }

  private List<AllocatorAction> withdraw(long now) {
    if (emptySince == NEVER) {
      emptySince = now;
    }
    dueAt = reported ? emptySince + WITHDRAW_AFTER.toNanos() : NEVER;
    if (reported && now < dueAt) {
      return List.of();
    }
    List<AllocatorAction> withdrawal =
        reported ? List.of(new ReportPending(Optional.empty())) : List.of();
    reported = false;
    queriedAt = NEVER;
    dueAt = NEVER;
    return withdrawal;
  }

  /**
   * The answer to a query.
   *
   * @param answer of YARN; its words are absent if it has never answered
   */
  List<AllocatorAction> answered(
      AllocatorEvent.StatusAnswered answer,
      ContainerRequests requests,
      ContainerSize available,
      long now) {
    queryUnderWay = false;
    Optional<PendingRequest> oldest = requests.oldest();
    if (oldest.isEmpty() || now < reportableAt(oldest.get()) || outageReported) {
      return List.of();
    }
    Map<ContainerSize, Integer> sizes = new LinkedHashMap<>();
    for (PendingRequest request : requests.pending()) {
      sizes.merge(request.size(), 1, Integer::sum);
    }
    PendingContainers pending =
        new PendingContainers(
            sizes, Instant.ofEpochMilli(oldest.get().wallMillis()), largest, available);
    String status = answer.words().orElseGet(() -> "its queue is '" + queue + "'");
    Reason reason = new DriverReason("yarn.containers-pending", pending.sentence(status));
    reported = true;
    return List.of(new ReportPending(Optional.of(reason)));
  }

  /** When {@link #check} is needed if no event occurs before. */
  long dueAt() {
    return Math.min(dueAt, outageDueAt);
  }

  /**
   * The time from one query to the next.
   *
   * @param pending how long the oldest request has been pending
   */
  static Duration interval(Duration pending) {
    Duration longer = REPORT_INTERVAL.multipliedBy(BACKOFF);
    return pending.compareTo(longer.multipliedBy(BACKOFF)) < 0 ? REPORT_INTERVAL : longer;
  }
}
