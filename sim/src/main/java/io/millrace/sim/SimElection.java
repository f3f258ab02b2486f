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
 * A coordinator that all JobManagers contend at. It never fails itself, but a process hears from it
 * late, loses its session when it is dead, frozen or cut off for too long, and believes that it
 * leads until it hears that it does not. Followers hear of leaders late, too.
 */
public final class SimElection {
  private static final Duration SESSION = Duration.ofSeconds(4);
  private static final long USUAL_LAG_NANOS = 20_000_000;

  private final Simulation simulation;
  private final Random random;
  private final Map<String, Component> components = new LinkedHashMap<>();
  private final Map<String, Member> members = new LinkedHashMap<>();
  private long term;
  private long longestLagNanos = USUAL_LAG_NANOS;

  public SimElection(Simulation simulation) {
    this.simulation = simulation;
    this.random = simulation.random("election");
    this.term = simulation.wallMillis();
  }

  /** The coordinator as one process has it. */
  public Member of(SimProcess process) {
    Member member = new Member(process);
    members.put(process.name(), member);
    process.whenGone(
        () ->
            simulation.schedule(
                null, between(SESSION.toNanos() / 4, SESSION.toNanos()), "session", member::drop));
    return member;
  }

  /** Whether a process leads, whatever it believes itself. */
  public boolean leads(SimProcess process, String component) {
    Component known = components.get(component);
    return known != null
        && !known.candidates.isEmpty()
        && known.candidates.get(0).member.process == process;
  }

  /** News travel up to this long from now on. */
  public void longestLag(Duration lag) {
    longestLagNanos = lag.toNanos();
  }

  /** The session of a process ends now; the process hears of it only after a while. */
  public void expire(String process, Duration unnoticed) {
    Member member = members.get(process);
    if (member != null && member.process.isAlive()) {
      member.drop();
      member.process.schedule(unnoticed, "session lost", member::rejoin);
    }
  }

  /** Ends the session of a process that stays frozen for too long. */
  public void freezes(String process, Duration time) {
    Member member = members.get(process);
    if (member != null && time.compareTo(SESSION) > 0) {
      simulation.schedule(
          SESSION,
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

  /** Now and then they take long, and every other time while that is what is wrong. */
  private long lag() {
    boolean lagging = longestLagNanos > USUAL_LAG_NANOS;
    return between(100_000, random.nextInt(lagging ? 2 : 10) == 0 ? longestLagNanos : 2_000_000);
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
      candidates.get(0).tell(granted);
    }

    void publish(Optional<Leader> now) {
      if (!leader.equals(now)) {
        leader = now;
        followers.forEach(follower -> follower.tell(now));
      }
    }

    void leave(Candidate candidate) {
      boolean led = !candidates.isEmpty() && candidates.get(0) == candidate;
      candidates.remove(candidate);
      if (led) {
        token = Optional.empty();
        publish(Optional.empty());
        elect();
      }
      forgetIfUnused();
    }

    void forgetIfUnused() {
      if (candidates.isEmpty() && followers.isEmpty()) {
        components.remove(name, this);
      }
    }
  }

  /** One process at the coordinator. */
  public final class Member implements LeaderElection, LeaderRetrieval {
    private final SimProcess process;
    private final List<Candidate> taking = new ArrayList<>();

    /** What is told to a process arrives in the order said. */
    private long lastNews;

    private Member(SimProcess process) {
      this.process = process;
    }

    @Override
    public Candidacy contend(String component, Mailbox mailbox, Contender contender) {
      Candidate candidate = new Candidate(this, component, mailbox, contender);
      taking.add(candidate);
      say(candidate::join);
      return candidate;
    }

    @Override
    public Subscription follow(
        String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      Follower follower = new Follower(this, mailbox, listener);
      Component followed = component(component);
      followed.followers.add(follower);
      follower.tell(followed.leader);
      return () -> {
        follower.cancelled = true;
        followed.followers.remove(follower);
        followed.forgetIfUnused();
      };
    }

    @Override
    public String toString() {
      return "the coordinator";
    }

    /** To the coordinator. */
    private void say(Runnable what) {
      process.schedule(between(50_000, 1_000_000), "to coordinator", what);
    }

    /** From the coordinator. */
    private void hear(Runnable what) {
      lastNews = Math.max(lastNews, simulation.nanos() + lag());
      process.schedule(lastNews - simulation.nanos(), "from coordinator", what);
    }

    private void drop() {
      taking.forEach(Candidate::gone);
    }

    /** It learns that its session was lost, and takes part anew, unless it has a new one since. */
    private void rejoin() {
      for (Candidate candidate : new ArrayList<>(taking)) {
        if (!candidate.joined) {
          candidate.revoke();
          say(candidate::join);
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

    void tell(Optional<Leader> leader) {
      if (member.process.isAlive()) {
        member.hear(
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

    /** What the process believes. */
    private Optional<LeaderToken> believed = Optional.empty();

    /** Counts sessions: what was said in an earlier one is void. */
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

    /** At the coordinator, its session is over. */
    void gone() {
      if (joined) {
        joined = false;
        session++;
        component(name).leave(this);
      }
    }

    void tell(LeaderToken token) {
      int now = session;
      member.hear(
          () -> {
            if (!withdrawn && session == now) {
              believed = Optional.of(token);
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
      if (believed.isPresent()) {
        believed = Optional.empty();
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
      member.say(
          () -> {
            Component component = component(name);
            if (joined
                && component.candidates.get(0) == this
                && component.token.equals(Optional.of(token))) {
              component.publish(Optional.of(new Leader(address, token)));
            }
          });
    }

    @Override
    public boolean leads(LeaderToken token) {
      return believed.equals(Optional.of(token));
    }

    @Override
    public void withdraw() {
      withdrawn = true;
      believed = Optional.empty();
      member.say(
          () -> {
            gone();
            member.taking.remove(this);
          });
    }
  }
}
