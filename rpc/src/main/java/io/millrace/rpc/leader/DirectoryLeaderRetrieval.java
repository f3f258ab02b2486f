package io.millrace.rpc.leader;

import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns leaders from the {@link LeaderDirectory} of a process whose address is fixed or looked up.
 * While that process cannot be reached there is no leader. The retrieval retries soon, at the
 * address that the look-up then returns, so that a TaskManager finds a JobManager that starts after
 * it or restarts elsewhere. If the look-up reports a change, the retrieval does not wait for an
 * answer of the process at the last address, which may be frozen.
 */
public final class DirectoryLeaderRetrieval implements LeaderRetrieval {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryLeaderRetrieval.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration MAX_RETRY = Duration.ofMillis(500);

  private final Rpc rpc;
  private final Optional<String> fixed;
  private final Lookup lookup;

  /** Finds the address of the process that has the directory. May block. */
  @FunctionalInterface
  public interface Lookup {
    /** Empty while the address is not known. */
    Optional<String> process() throws IOException;

    /** Calls the listener when the address may have changed, in any thread. */
    default Subscription onChange(Runnable listener) {
      return () -> {};
    }
  }

  public DirectoryLeaderRetrieval(Rpc rpc, String process) {
    this.rpc = rpc;
    this.fixed = Optional.of(process);
    this.lookup = () -> fixed;
  }

  /**
   * @param lookup called at first, and again when the process at the last address cannot be reached
   */
  public DirectoryLeaderRetrieval(Rpc rpc, Lookup lookup) {
    this.rpc = rpc;
    this.fixed = Optional.empty();
    this.lookup = lookup;
  }

  @Override
  public Subscription follow(
      String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
    LeaderQuery query = new LeaderQuery(component, mailbox, listener);
    mailbox.post(query::start);
    Subscription changes = lookup.onChange(() -> mailbox.post(query::restart));
    return () -> {
      query.cancelled = true;
      changes.cancel();
    };
  }

  @Override
  public String toString() {
    return fixed.orElseGet(lookup::toString);
  }

  private final class LeaderQuery {
    private final String component;
    private final Mailbox mailbox;
    private final Consumer<Optional<Leader>> listener;
    private Optional<LeaderToken> known = Optional.empty();
    private Optional<String> last = Optional.empty();
    private boolean lookupFails;
    private boolean notified;
    private Duration retry = FIRST_RETRY;

    /** Answers to questions of an earlier round are ignored. */
    private int round;

    private volatile boolean cancelled;

    LeaderQuery(String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      this.component = component;
      this.mailbox = mailbox;
      this.listener = listener;
    }

    void restart() {
      round++;
      retry = FIRST_RETRY;
      start();
    }

    void start() {
      start(round);
    }

    private void start(int started) {
      if (isOver(started)) {
        return;
      }
      if (fixed.isPresent()) {
        ask(gateway(fixed.get()), started);
        return;
      }
      rpc.env()
          .io()
          .call(mailbox, lookup::process)
          .whenComplete(
              (process, failure) -> {
                if (isOver(started)) {
                  return;
                }
                if (failure == null && process.isPresent()) {
                  found(process.get(), started);
                } else {
                  notFound(failure, started);
                }
              });
    }

    private boolean isOver(int started) {
      return cancelled || started != round;
    }

    private void notFound(Throwable failure, int started) {
      if (failure != null && !lookupFails) {
        LOG.warn("The address of the {} cannot be looked up; retrying", component, failure);
      }
      lookupFails = failure != null;
      failed(started);
    }

    private void found(String process, int started) {
      lookupFails = false;
      if (!last.equals(Optional.of(process))) {
        LOG.info("Asking {} for the leader of {}", process, component);
        last = Optional.of(process);
      }
      ask(gateway(process), started);
    }

    private LeaderDirectoryGateway gateway(String process) {
      return rpc.gateway(
          LeaderDirectoryGateway.class,
          new Address(process, LeaderDirectory.NAME),
          Optional.empty(),
          mailbox,
          LeaderDirectory.HOLD.plusSeconds(10));
    }

    private void ask(LeaderDirectoryGateway gateway, int started) {
      if (isOver(started)) {
        return;
      }
      gateway
          .awaitLeader(new LeaderDirectoryGateway.AwaitLeader(component, known))
          .whenComplete(
              (answer, failure) -> {
                if (isOver(started)) {
                  return;
                }
                if (failure == null) {
                  retry = FIRST_RETRY;
                  notifyListener(answer.leader());
                  ask(gateway, started);
                } else {
                  LOG.debug("No answer about the leader of {}", component, failure);
                  failed(started);
                }
              });
    }

    private void failed(int started) {
      notifyListener(Optional.empty());
      mailbox.after(retry, () -> start(started));
      retry = retry.multipliedBy(2).compareTo(MAX_RETRY) > 0 ? MAX_RETRY : retry.multipliedBy(2);
    }

    private void notifyListener(Optional<Leader> leader) {
      Optional<LeaderToken> token = leader.map(Leader::token);
      if (!cancelled && (!notified || !token.equals(known))) {
        known = token;
        notified = true;
        listener.accept(leader);
      }
    }
  }
}
