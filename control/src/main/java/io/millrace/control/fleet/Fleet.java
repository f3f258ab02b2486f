package io.millrace.control.fleet;

import io.millrace.control.fleet.FleetAction.Cancel;
import io.millrace.control.fleet.FleetAction.Lost;
import io.millrace.control.fleet.FleetAction.Note;
import io.millrace.control.fleet.FleetAction.Release;
import io.millrace.control.fleet.FleetAction.Request;
import io.millrace.control.fleet.FleetEvent.Dismissed;
import io.millrace.control.fleet.FleetEvent.Ended;
import io.millrace.control.fleet.FleetEvent.Found;
import io.millrace.control.fleet.FleetEvent.Registered;
import io.millrace.control.fleet.FleetEvent.StartFailed;
import io.millrace.control.fleet.FleetEvent.Started;
import io.millrace.control.fleet.FleetEvent.Wanted;
import io.millrace.core.config.Durations;
import io.millrace.core.config.Options;
import io.millrace.core.id.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Keeps as many workers as are wanted: asks the driver for those that are missing, takes back what
 * is too many before it has come, replaces what fails, and slows down where failing goes on. Whom
 * of those that have come to let go is not decided here.
 *
 * <p>Plain and single-threaded: {@link #apply} is told an event and the time and returns what to
 * do, in order.
 */
public final class Fleet {
  private final FleetSettings settings;
  private final StartFailures failures;

  /** Asked for, without a name yet. */
  private final TreeMap<Long, Long> requested = new TreeMap<>();

  /** Those with a name. */
  private final Map<WorkerId, Member> members = new TreeMap<>();

  private int wanted;
  private long requests;
  private List<FleetAction> actions = new ArrayList<>();

  /**
   * Where a worker with a name stands: STARTING or PREVIOUS → REGISTERED when it has reported its
   * slots → GONE when it has ended; out of here from any of them when it was dismissed, and from
   * the first two when it ended or took too long.
   */
  private enum State {
    /** Started at our request and not registered yet. */
    STARTING,
    /** Left over from an earlier attempt and not registered here yet. */
    PREVIOUS,
    REGISTERED,
    /** Ended, and its slots are not dismissed yet: only then shows whether it is to be replaced. */
    GONE
  }

  private static final class Member {
    private final WorkerId id;
    private State state;
    private final long since;
    private long deadline;

    Member(WorkerId id, State state, long since, long deadline) {
      this.id = id;
      this.state = state;
      this.since = since;
      this.deadline = deadline;
    }
  }

  public Fleet(FleetSettings settings) {
    this.settings = settings;
    this.failures = new StartFailures(settings);
  }

  /** Takes an event into account and returns what follows from it. */
  public List<FleetAction> apply(FleetEvent event, long now) {
    actions = new ArrayList<>();
    if (event instanceof Found found) {
      found.workers().forEach(worker -> found(worker, now));
    } else if (event instanceof Wanted want) {
      wanted = want.workers();
    } else if (event instanceof Started started) {
      started(started, now);
    } else if (event instanceof StartFailed failed) {
      if (requested.remove(failed.request()) != null) {
        failed(failed.reason(), Optional.empty(), now);
      }
    } else if (event instanceof Ended ended) {
      ended(ended, now);
    } else if (event instanceof Registered registered) {
      registered(registered.worker());
    } else if (event instanceof Dismissed dismissed) {
      Member member = members.remove(dismissed.worker());
      if (member != null && member.state != State.GONE) {
        release(dismissed.worker(), dismissed.reason());
      }
    }
    giveUpLate(now);
    adjust(now);
    return actions;
  }

  /** When a {@link FleetEvent.Tick} is wanted at the latest. */
  public OptionalLong nextWake() {
    long wake = Long.MAX_VALUE;
    for (Member member : members.values()) {
      wake = Math.min(wake, member.deadline);
    }
    if (count() < wanted) {
      wake = Math.min(wake, failures.nextStart());
    }
    return wake == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(wake);
  }

  /** Whether the worker is one of this fleet. */
  public boolean knows(WorkerId worker) {
    return members.containsKey(worker);
  }

  /** Workers that were asked for or found and have not registered yet. */
  public int underWay() {
    return requested.size()
        + (int)
            members.values().stream()
                .filter(member -> member.state == State.STARTING || member.state == State.PREVIOUS)
                .count();
  }

  /** What is under way or wrong, as sentences; empty where all that are wanted have come. */
  public String standing(long now) {
    List<String> sentences = new ArrayList<>();
    int starting = underWay();
    if (starting > 0) {
      sentences.add(starting == 1 ? "1 worker is starting." : starting + " workers are starting.");
    }
    if (failures.any() && (starting > 0 || count() < wanted)) {
      sentences.add(failures.sentence(now));
    }
    return String.join(" ", sentences);
  }

  private void found(WorkerId worker, long now) {
    members.put(
        worker, new Member(worker, State.PREVIOUS, now, now + settings.recovery().toNanos()));
    note("worker found", "It lives on from an earlier attempt.", worker);
  }

  private void started(Started event, long now) {
    Long since = requested.remove(event.request());
    if (since == null) {
      // Cancelled while the driver was at it.
      release(event.worker(), "it is not needed any more");
      return;
    }
    members.put(
        event.worker(),
        new Member(event.worker(), State.STARTING, since, now + settings.registration().toNanos()));
    note("worker started", "It is expected to register.", event.worker());
  }

  private void registered(WorkerId worker) {
    Member member = members.get(worker);
    if (member != null && member.state != State.REGISTERED && member.state != State.GONE) {
      if (member.state == State.STARTING) {
        failures.workerCame();
      }
      member.state = State.REGISTERED;
      member.deadline = Long.MAX_VALUE;
    }
  }

  private void ended(Ended event, long now) {
    Member member = members.get(event.worker());
    if (member == null || member.state == State.GONE) {
      return;
    }
    note("worker ended", event.reason(), event.worker());
    if (member.state == State.REGISTERED) {
      member.state = State.GONE;
      actions.add(new Lost(event.worker(), event.reason()));
      return;
    }
    members.remove(event.worker());
    if (member.state == State.STARTING) {
      failed(
          "Worker " + event.worker() + " ended before it had registered: " + event.reason(),
          Optional.of(event.worker()),
          now);
    }
  }

  /** Ends what has not registered in time. */
  private void giveUpLate(long now) {
    for (Member member : new ArrayList<>(members.values())) {
      if (member.deadline > now) {
        continue;
      }
      members.remove(member.id);
      boolean starting = member.state == State.STARTING;
      Duration limit = starting ? settings.registration() : settings.recovery();
      String reason =
          "Worker "
              + member.id
              + " did not register within "
              + Durations.readable(limit)
              + " ("
              + (starting ? Options.STARTED_WORKER_TIMEOUT : Options.PREVIOUS_WORKER_TIMEOUT).key()
              + ").";
      release(member.id, reason);
      if (starting) {
        failed(reason, Optional.of(member.id), now);
      }
    }
  }

  private void failed(String reason, Optional<WorkerId> worker, long now) {
    boolean paused = failures.isPaused(now);
    failures.add(reason, now);
    actions.add(new Note("worker start failed", reason, worker));
    if (!paused && failures.isPaused(now)) {
      actions.add(new Note("worker starts paused", failures.sentence(now), Optional.empty()));
    }
  }

  private void adjust(long now) {
    while (count() > wanted && !requested.isEmpty()) {
      long last = requested.pollLastEntry().getKey();
      actions.add(new Cancel(last));
      actions.add(
          new Note("worker request cancelled", "It is not needed any more.", Optional.empty()));
    }
    while (count() > wanted) {
      Optional<Member> youngest =
          members.values().stream()
              .filter(member -> member.state == State.STARTING)
              .reduce((one, other) -> other.since >= one.since ? other : one);
      if (youngest.isEmpty()) {
        break;
      }
      members.remove(youngest.get().id);
      release(youngest.get().id, "It is not needed any more.");
    }
    if (count() < wanted && failures.mayStart(now)) {
      int missing = wanted - count();
      for (int i = 0; i < missing; i++) {
        long request = ++requests;
        requested.put(request, now);
        actions.add(new Request(request));
      }
      actions.add(
          new Note(
              "workers requested",
              (missing == 1 ? "1 worker" : missing + " workers") + " asked of the driver.",
              Optional.empty()));
    }
  }

  private int count() {
    return requested.size() + members.size();
  }

  private void release(WorkerId worker, String reason) {
    actions.add(new Release(worker, reason));
    note("worker released", reason, worker);
  }

  private void note(String what, String detail, WorkerId worker) {
    actions.add(new Note(what, detail, Optional.of(worker)));
  }
}
