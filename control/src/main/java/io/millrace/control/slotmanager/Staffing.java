package io.millrace.control.slotmanager;

import io.millrace.control.driver.Supply.Startable;
import io.millrace.control.slotmanager.Provision.Plan;
import io.millrace.control.slotmanager.Provision.Stock;
import io.millrace.core.ResourceProfile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Whether there are enough workers or too many, where they are started on demand: what is wanted of
 * the driver, and which of those that nobody uses may go. Where workers come by themselves nothing
 * is wanted and nobody has to go.
 */
final class Staffing {
  private final SlotSettings settings;
  private Optional<Provision> provision;
  private final TreeSet<Worker> idle =
      new TreeSet<>(
          Comparator.comparingLong((Worker worker) -> worker.idleSince)
              .thenComparing(worker -> worker.id));
  private int wanted;
  private Optional<String> limit = Optional.empty();
  private String standing = "";
  private long lookedAt;

  Staffing(SlotSettings settings) {
    this.settings = settings;
    this.provision = settings.startable().map(this::provision);
  }

  private Provision provision(Startable startable) {
    return new Provision(settings.bounds(), startable);
  }

  boolean isActive() {
    return provision.isPresent();
  }

  /** Whether a worker that could be started has room for the need. */
  boolean fits(ResourceProfile needed) {
    return provision.map(known -> known.fits(needed)).orElse(false);
  }

  /** How large a worker that can be started is. */
  Optional<ResourceProfile> size() {
    return settings.startable().map(startable -> startable.spec().total());
  }

  void limit(int most) {
    provision =
        settings
            .startable()
            .map(known -> provision(new Startable(known.spec(), most, known.limit())));
  }

  void standing(String sentences) {
    standing = sentences;
  }

  /** The worker's use has changed, or it has come. */
  void used(Worker worker, long now) {
    boolean wasIdle = idle.contains(worker);
    if (wasIdle && !worker.isUnused()) {
      idle.remove(worker);
    } else if (!wasIdle && worker.isUnused()) {
      worker.idleSince = now;
      idle.add(worker);
    }
  }

  void left(Worker worker) {
    idle.remove(worker);
  }

  /** Workers that have been idle for long enough and are kept for nothing else. */
  List<Worker> dispensable(Stock stock, long now) {
    lookedAt = now;
    List<Worker> dispensable = new ArrayList<>();
    if (provision.isPresent()) {
      Stock rest = stock;
      for (Worker worker : idle) {
        if (goesAt(worker) > now) {
          break;
        }
        if (!provision.get().keeps(rest, worker)) {
          dispensable.add(worker);
          rest = rest.without(worker);
        }
      }
    }
    return dispensable;
  }

  /** Decides how many workers there should be; a number where that is another one than before. */
  Optional<Integer> wanted(Stock stock, Map<ResourceProfile, Integer> missing) {
    if (provision.isEmpty()) {
      return Optional.empty();
    }
    Plan plan = provision.get().plan(stock, missing);
    limit = plan.limit();
    int before = wanted;
    wanted = stock.workers() + plan.more();
    return wanted == before ? Optional.empty() : Optional.of(wanted);
  }

  /** What may end a shortage, or what a person can do about it. */
  String outlook() {
    if (standing.isEmpty()) {
      return limit.orElse(settings.advice());
    }
    // A limit is not all that may be in the way: those it allows may not start.
    return limit.map(in -> in + " " + standing).orElse(standing);
  }

  /** When the next worker has been idle for long enough. */
  long nextWake() {
    if (provision.isPresent()) {
      for (Worker worker : idle) {
        if (goesAt(worker) > lookedAt) {
          return goesAt(worker);
        }
      }
    }
    return Long.MAX_VALUE;
  }

  private long goesAt(Worker worker) {
    return worker.idleSince + settings.bounds().idle().toNanos();
  }
}
