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
 * it or restarts elsewhere.
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
    return () -> query.cancelled = true;
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
    private volatile boolean cancelled;

    LeaderQuery(String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      this.component = component;
      this.mailbox = mailbox;
      this.listener = listener;
    }

    void start() {
      if (cancelled) {
        return;
      }
      if (fixed.isPresent()) {
        ask(gateway(fixed.get()));
        return;
      }
      rpc.env()
          .io()
          .call(mailbox, lookup::process)
          .whenComplete(
              (process, failure) -> {
                if (failure == null && process.isPresent()) {
                  found(process.get());
                } else {
                  notFound(failure);
                }
              });
    }

    private void notFound(Throwable failure) {
      if (failure != null && !lookupFails) {
        LOG.warn("The address of the {} cannot be looked up; retrying", component, failure);
      }
      lookupFails = failure != null;
      failed();
    }

    private void found(String process) {
      lookupFails = false;
      if (!last.equals(Optional.of(process))) {
        LOG.info("Asking {} for the leader of {}", process, component);
        last = Optional.of(process);
      }
      ask(gateway(process));
    }

    private LeaderDirectoryGateway gateway(String process) {
      return rpc.gateway(
          LeaderDirectoryGateway.class,
          new Address(process, LeaderDirectory.NAME),
          Optional.empty(),
          mailbox,
          LeaderDirectory.HOLD.plusSeconds(10));
    }

    private void ask(LeaderDirectoryGateway gateway) {
      if (cancelled) {
        return;
      }
      gateway
          .awaitLeader(new LeaderDirectoryGateway.AwaitLeader(component, known))
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  retry = FIRST_RETRY;
                  notifyListener(answer.leader());
                  ask(gateway);
                } else {
                  LOG.debug("No answer about the leader of {}", component, failure);
                  failed();
                }
              });
    }

    private void failed() {
      notifyListener(Optional.empty());
      mailbox.after(retry, this::start);
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
