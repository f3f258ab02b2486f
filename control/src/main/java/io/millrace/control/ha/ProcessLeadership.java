package io.millrace.control.ha;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the components of a JobManager lead while the coordination service has elected its process.
 * An elected process first takes over store and storage, so that its predecessor cannot write any
 * more, and reserves its terms. Confined to its mailbox.
 */
public final class ProcessLeadership {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessLeadership.class);

  private final Env env;
  private final Coordinator coordinator;
  private final Storage storage;
  private final EmbeddedLeaderElection election;
  private final Mailbox mailbox;

  /** Counts elections and dismissals, so that the result of an earlier take-over is ignored. */
  private int round;

  /** One take-over at a time: two of one process would fence off each other. */
  private CompletableFuture<Void> takeOver = CompletableFuture.completedFuture(null);

  private volatile Optional<LeaderRecord> own = Optional.empty();
  private volatile boolean leads;

  /** What a process has after it has taken over. */
  private record Begun(Runnable storage, long terms) {}

  /** The storage of a process that is not in the coordination service. */
  public interface Storage {
    /** Opens the storage for a new term. The returned action begins to use it. Blocks. */
    Runnable take() throws IOException;

    /** The term has ended. */
    void end();
  }

  public ProcessLeadership(Env env, Coordinator coordinator, Storage storage) {
    this.env = env;
    this.coordinator = coordinator;
    this.storage = storage;
    this.election = EmbeddedLeaderElection.ofStandby(env);
    this.mailbox = env.mailbox("process-leadership");
  }

  /** The election of the components. Its leaders are those of this process. */
  public EmbeddedLeaderElection election() {
    return election;
  }

  public boolean leads() {
    return leads;
  }

  /** The leading JobManager, unless it is this one or not known. */
  public Optional<LeaderRecord> otherLeader() {
    return leads
        ? Optional.empty()
        : coordinator.leader().filter(leader -> !Optional.of(leader).equals(own));
  }

  /**
   * Contends for the leadership.
   *
   * @param address the addresses of this process
   * @param fatal called if this process is elected and cannot take over; another one may try
   */
  public void contend(LeaderRecord address, Consumer<Throwable> fatal) {
    own = Optional.of(address);
    coordinator.contend(
        address,
        mailbox,
        new Coordinator.Contender() {
          @Override
          public void elected() {
            beginAfterTheLastTakeOver(address, fatal);
          }

          @Override
          public void dismissed() {
            end();
          }
        });
    LOG.info("This JobManager contends for the leadership of the cluster");
  }

  private void beginAfterTheLastTakeOver(LeaderRecord address, Consumer<Throwable> fatal) {
    int started = ++round;
    LOG.info("This JobManager is elected and takes over");
    takeOver =
        takeOver
            .thenCompose(
                nothing ->
                    started == round
                        ? env.io().call(mailbox, () -> takeOver(address))
                        : CompletableFuture.completedFuture(Optional.<Begun>empty()))
            .handle(
                (begun, failure) -> {
                  if (started != round) {
                    LOG.info("This JobManager was dismissed while it took over");
                  } else if (failure != null) {
                    fatal.accept(cannotTakeOver(Failure.unwrap(failure)));
                  } else {
                    begun.ifPresent(this::begin);
                  }
                  return null;
                });
  }

  /**
   * Empty if this process was dismissed in the meantime. It would fence off its successor, which
   * has been elected and does not hear of it.
   */
  private Optional<Begun> takeOver(LeaderRecord address) throws IOException {
    if (!coordinator.takeOver()) {
      LOG.info("This JobManager is not elected any more and does not take over");
      return Optional.empty();
    }
    Runnable taken = storage.take();
    long terms = TermCounter.reserve(coordinator.store(), env.wallMillis());
    coordinator.publish(address);
    return Optional.of(new Begun(taken, terms));
  }

  private static MillraceException cannotTakeOver(Throwable cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "This JobManager is elected and cannot take over: " + Failure.sentence(cause),
        cause);
  }

  private void begin(Begun begun) {
    begun.storage().run();
    leads = true;
    LOG.info("This JobManager leads the cluster, with terms above {}", begun.terms());
    election.begin(begun.terms());
  }

  private void end() {
    round++;
    if (leads) {
      LOG.warn("This JobManager no longer leads the cluster; its jobs are suspended");
    }
    leads = false;
    election.end();
    storage.end();
  }

  /** Stops to react. The leadership ends with the session of the coordinator. */
  public void close() {
    mailbox.close();
  }
}
