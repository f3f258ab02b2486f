package io.millrace.rpc.leader;

import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns leaders from the {@link LeaderDirectory} of the process at a fixed address. While that
 * process cannot be reached there is no leader, and it is tried again soon: a TaskManager that
 * starts before its JobManager loses no time.
 */
public final class DirectoryRetrieval implements LeaderRetrieval {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryRetrieval.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LONGEST_RETRY = Duration.ofMillis(500);

  private final Rpc rpc;
  private final Address directory;

  public DirectoryRetrieval(Rpc rpc, String process) {
    this.rpc = rpc;
    this.directory = new Address(process, LeaderDirectory.NAME);
  }

  @Override
  public Subscription follow(
      String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
    Following following = new Following(component, mailbox, listener);
    mailbox.post(following::ask);
    return () -> following.cancelled = true;
  }

  @Override
  public String toString() {
    return directory.process();
  }

  private final class Following {
    private final String component;
    private final Mailbox mailbox;
    private final Consumer<Optional<Leader>> listener;
    private final LeaderDirectoryGateway gateway;
    private Optional<LeaderToken> known = Optional.empty();
    private boolean told;
    private Duration retry = FIRST_RETRY;
    private volatile boolean cancelled;

    Following(String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      this.component = component;
      this.mailbox = mailbox;
      this.listener = listener;
      this.gateway =
          rpc.gateway(
              LeaderDirectoryGateway.class,
              directory,
              Optional.empty(),
              mailbox,
              LeaderDirectory.HOLD.plusSeconds(10));
    }

    void ask() {
      if (cancelled) {
        return;
      }
      gateway
          .awaitLeader(new LeaderDirectoryGateway.AwaitLeader(component, known))
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  retry = FIRST_RETRY;
                  tell(answer.leader());
                  ask();
                } else {
                  LOG.debug("No word on {} from {}", component, directory, failure);
                  tell(Optional.empty());
                  mailbox.after(retry, this::ask);
                  retry =
                      retry.multipliedBy(2).compareTo(LONGEST_RETRY) > 0
                          ? LONGEST_RETRY
                          : retry.multipliedBy(2);
                }
              });
    }

    private void tell(Optional<Leader> leader) {
      Optional<LeaderToken> token = leader.map(Leader::token);
      if (!cancelled && (!told || !token.equals(known))) {
        known = token;
        told = true;
        listener.accept(leader);
      }
    }
  }
}
