package io.millrace.rpc.registration;

import io.millrace.core.config.Configuration;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.heartbeat.HeartbeatMonitor;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.registration.RetryingRegistration.Answer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The follower's side of a registration. It follows the leader of one component, registers there
 * with retries, and watches the leader's process and its heartbeats. After a loss it registers
 * again. Lives in the mailbox it is given.
 *
 * <pre>
 * state        event                          next state
 * NO_LEADER    a leader is known              REGISTERING
 * REGISTERING  the leader accepts             CONNECTED
 * REGISTERING  the leader rejects             REJECTED
 * REGISTERING  the leader changes             REGISTERING at the new one, or NO_LEADER
 * REGISTERING  {@link #reconnect}             REGISTERING at the same leader, without a pause
 * REJECTED     the leader changes             REGISTERING at the new one, or NO_LEADER
 * CONNECTED    the leader changes             REGISTERING at the new one, or NO_LEADER
 * CONNECTED    heartbeat or connection lost   REGISTERING at the same leader
 * CONNECTED    {@link #reconnect}             REGISTERING at the same leader
 * any          {@link #disconnect}            waits for the next change of the leader
 * any          {@link #close}                 CLOSED
 * </pre>
 *
 * @param <S> what a successful registration returns
 * @param <R> why a registration is refused or rejected
 */
public final class LeaderConnection<S extends Record, R> {
  private static final String LEADER = "leader";

  private final Rpc rpc;
  private final Mailbox mailbox;
  private final Configuration configuration;
  private final String description;
  private final Follower<S, R> follower;
  private final HeartbeatMonitor<String> heartbeats;
  private Subscription following = () -> {};
  private Optional<Leader> leader = Optional.empty();
  private Optional<RetryingRegistration<S, R>> registration = Optional.empty();
  private Optional<Leader> connected = Optional.empty();
  private Subscription watch = () -> {};

  /** Incremented at the end of every registration and connection, to detect late answers. */
  private long generation;

  private boolean closed;

  /** The follower's callbacks; called in the mailbox. */
  public interface Follower<S extends Record, R> {
    /** Makes one attempt to register. */
    CompletableFuture<Answer<S, R>> register(Attempt attempt);

    /** The leader has accepted. Its process and heartbeats are monitored from now on. */
    void connected(Leader leader, S success);

    /** A connection that was reported to {@link #connected} has ended. */
    void disconnected(Leader leader, ConnectionLoss loss);

    /** The leader refuses this follower for the moment. The next attempt follows by itself. */
    void refused(Leader leader, R reason);

    /** The leader rejects this follower. The next leader is tried again. */
    void rejected(Leader leader, R reason);

    /** There is a new leader. Registration at it begins after this call. */
    default void leaderFound(Leader leader) {}
  }

  /** One attempt to register. */
  public static final class Attempt {
    private final Leader leader;
    private final Duration timeout;
    private final BooleanSupplier current;

    private Attempt(Leader leader, Duration timeout, BooleanSupplier current) {
      this.leader = leader;
      this.timeout = timeout;
      this.current = current;
    }

    public Leader leader() {
      return leader;
    }

    public Duration timeout() {
      return timeout;
    }

    /** Whether the registration of this attempt, or its connection, is still current. */
    public boolean isCurrent() {
      return current.getAsBoolean();
    }
  }

  /**
   * @param description follower and component, for the log
   */
  public LeaderConnection(
      Rpc rpc,
      Mailbox mailbox,
      Configuration configuration,
      String description,
      Follower<S, R> follower) {
    this.rpc = rpc;
    this.mailbox = mailbox;
    this.configuration = configuration;
    this.description = description;
    this.follower = follower;
    HeartbeatSettings settings = HeartbeatSettings.from(configuration);
    this.heartbeats =
        new HeartbeatMonitor<>(
            rpc.env(),
            mailbox,
            settings,
            timedOut -> lose(new ConnectionLoss.HeartbeatTimeout(settings.timeout())));
  }

  /**
   * @param follow subscribes to the leader of the component
   */
  public void start(Function<Consumer<Optional<Leader>>, Subscription> follow) {
    mailbox.checkInside();
    following = follow.apply(this::onLeaderChange);
  }

  /** The leader at which this follower is registered. */
  public Optional<Leader> connected() {
    return connected;
  }

  public boolean isConnectedTo(LeaderToken token) {
    return connected.isPresent() && connected.get().token().equals(token);
  }

  /** Reports a heartbeat of the leader. */
  public void heard() {
    heartbeats.heard(LEADER);
  }

  /**
   * Registers again at the present leader, which has reported that it does not know this follower.
   */
  public void reconnect() {
    disconnect();
    leader.ifPresent(this::register);
  }

  /** Ends registration and connection. Registers again only when the leader changes. */
  public void disconnect() {
    mailbox.checkInside();
    generation++;
    registration.ifPresent(RetryingRegistration::cancel);
    registration = Optional.empty();
    watch.cancel();
    heartbeats.forget(LEADER);
    connected = Optional.empty();
  }

  /** Ends everything. No callback is called after this. */
  public void close() {
    closed = true;
    following.cancel();
    disconnect();
    leader = Optional.empty();
  }

  private void onLeaderChange(Optional<Leader> now) {
    if (closed || now.equals(leader)) {
      return;
    }
    leader = now;
    end(now.isPresent() ? new ConnectionLoss.LeaderChanged() : new ConnectionLoss.NoLeader());
    // Both callbacks may close this connection, which then has no leader.
    leader.ifPresent(follower::leaderFound);
    leader.ifPresent(this::register);
  }

  private void lose(ConnectionLoss loss) {
    end(loss);
    leader.ifPresent(this::register);
  }

  private void end(ConnectionLoss loss) {
    Optional<Leader> before = connected;
    disconnect();
    before.ifPresent(at -> follower.disconnected(at, loss));
  }

  private void register(Leader at) {
    if (closed) {
      return;
    }
    disconnect();
    long startedIn = generation;
    RetryingRegistration<S, R> attempts =
        new RetryingRegistration<>(
            mailbox,
            RegistrationSettings.from(configuration),
            description + " " + at.address(),
            timeout -> follower.register(new Attempt(at, timeout, () -> startedIn == generation)),
            new RetryingRegistration.RegistrationCallbacks<>(
                success -> accepted(at, success),
                reason -> follower.refused(at, reason),
                reason -> {
                  registration = Optional.empty();
                  follower.rejected(at, reason);
                }));
    registration = Optional.of(attempts);
    attempts.start();
  }

  private void accepted(Leader at, S success) {
    registration = Optional.empty();
    connected = Optional.of(at);
    watch =
        rpc.watch(
            at.address().process(),
            mailbox,
            detail -> lose(new ConnectionLoss.ConnectionBroken(detail)));
    heartbeats.watch(LEADER);
    follower.connected(at, success);
  }
}
