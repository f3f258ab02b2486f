package io.millrace.sim;

import io.millrace.core.id.Id128;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A coordination service at which all JobManagers contend for leadership. It never fails. Its
 * notifications are delayed. A process loses its session if it is dead, frozen or disconnected for
 * too long, and acts as leader until it receives the notification. Followers are notified with a
 * delay, too.
 *
 * <pre>
 * state of a component   event                                    next state
 * no leader              a candidate joins                        granted to the first candidate, with a new term
 * granted                confirm() with the current token         published to the followers
 * granted or published   the leading candidate withdraws, or its  granted to the next candidate, or no leader
 *                        session expires
 * </pre>
 */
public final class SimElection implements Coordination {
  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(4);
  private static final long DEFAULT_LAG_NANOS = 20_000_000;

  private final Simulation simulation;
  private final Random random;
  private final Map<String, Component> components = new LinkedHashMap<>();
  private final Map<String, Member> members = new LinkedHashMap<>();
  private long term;
  private long longestLagNanos = DEFAULT_LAG_NANOS;

  public SimElection(Simulation simulation) {
    this.simulation = simulation;
    this.random = simulation.random("election");
    this.term = simulation.wallMillis();
  }

  /** The coordination service as seen by one process. */
  public Member of(SimProcess process) {
    Member member = new Member(process);
    members.put(process.name(), member);
    process.onExit(
        () ->
            simulation.schedule(
                null,
                between(SESSION_TIMEOUT.toNanos() / 4, SESSION_TIMEOUT.toNanos()),
                "session",
                member::expire));
    return member;
  }

  @Override
  public boolean leads(SimProcess process, String component) {
    Component known = components.get(component);
    return known != null
        && !known.candidates.isEmpty()
        && known.candidates.get(0).member.process == process;
  }

  @Override
  public void longestLag(Duration lag) {
    longestLagNanos = lag.toNanos();
  }

  @Override
  public void expire(String process, Duration unnoticed) {
    Member member = members.get(process);
    if (member != null && member.process.isAlive()) {
      member.expire();
      member.process.schedule(unnoticed, "session lost", member::rejoin);
    }
  }

  /** Ends the session of a process that stays frozen longer than the session timeout. */
  @Override
  public void freezes(String process, Duration time) {
    Member member = members.get(process);
    if (member != null && time.compareTo(SESSION_TIMEOUT) > 0) {
      simulation.schedule(
          SESSION_TIMEOUT,
          "session",
          () -> {
            if (member.process.isFrozen()) {
              expire(process, Duration.ZERO);
            }
          });
    }
  }

  private long between(long least, long most) {
    return least + (long) (random.nextDouble() * (most - least));
  }

  /** One in ten notifications has a long delay; one in two while the maximum is raised. */
  private long lag() {
    boolean raised = longestLagNanos > DEFAULT_LAG_NANOS;
    return between(100_000, random.nextInt(raised ? 2 : 10) == 0 ? longestLagNanos : 2_000_000);
  }

  private Component component(String name) {
    return components.computeIfAbsent(name, Component::new);
  }

  private final class Component {
    private final String name;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    private Optional<LeaderToken> token = Optional.empty();
    private Optional<Leader> leader = Optional.empty();

    Component(String name) {
      this.name = name;
    }

    void elect() {
      if (token.isPresent() || candidates.isEmpty()) {
        return;
      }
      LeaderToken granted = new LeaderToken(++term, Id128.random(random));
      token = Optional.of(granted);
      candidates.get(0).grant(granted);
    }

    void publish(Leader now) {
      if (!leader.equals(Optional.of(now))) {
        leader = Optional.of(now);
        notifyFollowers();
      }
    }

    private void retract() {
      if (leader.isPresent()) {
        leader = Optional.empty();
        notifyFollowers();
      }
    }

    private void notifyFollowers() {
      followers.forEach(follower -> follower.sendLeader(this));
    }

    void leave(Candidate candidate) {
      boolean led = !candidates.isEmpty() && candidates.get(0) == candidate;
      candidates.remove(candidate);
      if (led) {
        token = Optional.empty();
        retract();
        elect();
      }
      removeIfUnused();
    }

    void removeIfUnused() {
      if (candidates.isEmpty() && followers.isEmpty()) {
        components.remove(name, this);
      }
    }
  }

  /** The session of one process. */
  public final class Member implements LeaderElection, LeaderRetrieval {
    private final SimProcess process;
    private final List<Candidate> candidates = new ArrayList<>();

    /**
     * The time of the last notification: notifications arrive in the order in which they are sent.
     */
    private long lastNotification;

    private Member(SimProcess process) {
      this.process = process;
    }

    @Override
    public Candidacy contend(String component, Mailbox mailbox, Contender contender) {
      Candidate candidate = new Candidate(this, component, mailbox, contender);
      candidates.add(candidate);
      send(candidate::join);
      return candidate;
    }

    @Override
    public Subscription follow(
        String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      Follower follower = new Follower(this, mailbox, listener);
      Component followed = component(component);
      followed.followers.add(follower);
      follower.sendLeader(followed);
      return () -> {
        follower.cancelled = true;
        followed.followers.remove(follower);
        followed.removeIfUnused();
      };
    }

    @Override
    public String toString() {
      return "the coordinator";
    }

    /** Runs an action at the service. */
    private void send(Runnable action) {
      process.schedule(between(50_000, 1_000_000), "to coordinator", action);
    }

    /** Runs an action at the process. */
    private void receive(Runnable action) {
      lastNotification = Math.max(lastNotification, simulation.nanos() + lag());
      process.schedule(lastNotification - simulation.nanos(), "from coordinator", action);
    }

    private void expire() {
      candidates.forEach(Candidate::expire);
    }

    /** The process is notified that its session has expired, and contends again. */
    private void rejoin() {
      for (Candidate candidate : new ArrayList<>(candidates)) {
        if (!candidate.joined) {
          candidate.revoke();
          send(candidate::join);
        }
      }
    }
  }

  private static final class Follower {
    private final Member member;
    private final Mailbox mailbox;
    private final Consumer<Optional<Leader>> listener;
    private boolean cancelled;

    Follower(Member member, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      this.member = member;
      this.mailbox = mailbox;
      this.listener = listener;
    }

    void sendLeader(Component component) {
      Optional<Leader> leader = component.leader;
      if (member.process.isAlive()) {
        member.receive(
            () ->
                mailbox.post(
                    () -> {
                      if (!cancelled) {
                        listener.accept(leader);
                      }
                    }));
      }
    }
  }

  private final class Candidate implements LeaderElection.Candidacy {
    private final Member member;
    private final String name;
    private final Mailbox mailbox;
    private final LeaderElection.Contender contender;

    /** The token with which the process leads, as far as it knows. */
    private Optional<LeaderToken> known = Optional.empty();

    /** Counts sessions. Notifications of an earlier session are dropped. */
    private int session;

    private boolean joined;
    private boolean withdrawn;

    Candidate(Member member, String name, Mailbox mailbox, LeaderElection.Contender contender) {
      this.member = member;
      this.name = name;
      this.mailbox = mailbox;
      this.contender = contender;
    }

    void join() {
      if (!joined && !withdrawn) {
        joined = true;
        Component component = component(name);
        component.candidates.add(this);
        component.elect();
      }
    }

    /** The session has expired at the service. */
    void expire() {
      if (joined) {
        joined = false;
        session++;
        component(name).leave(this);
      }
    }

    void grant(LeaderToken token) {
      int sent = session;
      member.receive(
          () -> {
            if (!withdrawn && session == sent) {
              known = Optional.of(token);
              mailbox.post(
                  () -> {
                    if (!withdrawn && leads(token)) {
                      contender.granted(token);
                    }
                  });
            }
          });
    }

    void revoke() {
      if (known.isPresent()) {
        known = Optional.empty();
        mailbox.post(
            () -> {
              if (!withdrawn) {
                contender.revoked();
              }
            });
      }
    }

    @Override
    public void confirm(LeaderToken token, Address address) {
      member.send(
          () -> {
            Component component = component(name);
            if (joined
                && component.candidates.get(0) == this
                && component.token.equals(Optional.of(token))) {
              component.publish(new Leader(address, token));
            }
          });
    }

    @Override
    public boolean leads(LeaderToken token) {
      return known.equals(Optional.of(token));
    }

    @Override
    public void withdraw() {
      withdrawn = true;
      known = Optional.empty();
      member.send(
          () -> {
            expire();
            member.candidates.remove(this);
          });
    }
  }
}
