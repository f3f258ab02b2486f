package io.millrace.rpc.leader;

import io.millrace.core.id.Id128;
import io.millrace.rpc.Address;
import io.millrace.rpc.Env;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Election among the contenders of one process: the first one leads, and the next one when it
 * withdraws. If several processes contend for the cluster, {@link #begin} and {@link #end} are the
 * bounds of the leadership of this process; outside of them no contender leads. Many mailboxes call
 * it, hence the lock. Listeners run in their own mailboxes.
 *
 * <pre>
 * state of a component   event                                   next state
 * no leader              {@link #contend} while the process leads  granted to the first contender, with a new term
 * no leader              {@link #begin}                          granted to the first contender, with a new term
 * granted                confirm() with the current token        published to the followers
 * granted or published   the leading contender withdraws         granted to the next contender, or no leader
 * granted or published   {@link #end}                            revoked; no leader
 * any                    another contender withdraws             unchanged
 * any                    confirm() with another token            unchanged
 * </pre>
 */
public final class EmbeddedLeaderElection implements LeaderElection, LeaderRetrieval {
  private final Env env;
  private final Map<String, Component> components = new LinkedHashMap<>();
  private long term;
  private boolean leading = true;

  /** Terms start at the wall clock, so that they also grow across restarts of the process. */
  public EmbeddedLeaderElection(Env env) {
    this(env, env.wallMillis());
  }

  /**
   * @param term a lower bound: the first term is greater
   */
  public EmbeddedLeaderElection(Env env, long term) {
    this.env = env;
    this.term = term;
  }

  /** The election of a process that waits for {@link #begin}. */
  public static EmbeddedLeaderElection ofStandby(Env env) {
    EmbeddedLeaderElection election = new EmbeddedLeaderElection(env, 0);
    election.leading = false;
    return election;
  }

  /**
   * The process leads from now on.
   *
   * @param lowerBound the first term is greater
   */
  public synchronized void begin(long lowerBound) {
    term = Math.max(term, lowerBound);
    leading = true;
    components.values().forEach(Component::elect);
  }

  /** The process does not lead any more: revokes the leadership of all its contenders. */
  public synchronized void end() {
    leading = false;
    components.values().forEach(Component::revoke);
  }

  @Override
  public synchronized Candidacy contend(String name, Mailbox mailbox, Contender contender) {
    Component component = components.computeIfAbsent(name, Component::new);
    Candidate candidate = new Candidate(component, mailbox, contender);
    component.candidates.addLast(candidate);
    component.elect();
    return candidate;
  }

  @Override
  public synchronized Subscription follow(
      String name, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
    Component component = components.computeIfAbsent(name, Component::new);
    Follower follower = new Follower(mailbox, listener);
    component.followers.add(follower);
    follower.notifyLater(component.leader);
    return () -> {
      synchronized (this) {
        follower.cancelled = true;
        component.followers.remove(follower);
        component.removeIfUnused();
      }
    };
  }

  private static final class Follower {
    private final Mailbox mailbox;
    private final Consumer<Optional<Leader>> listener;
    private volatile boolean cancelled;

    Follower(Mailbox mailbox, Consumer<Optional<Leader>> listener) {
      this.mailbox = mailbox;
      this.listener = listener;
    }

    void notifyLater(Optional<Leader> leader) {
      mailbox.post(
          () -> {
            if (!cancelled) {
              listener.accept(leader);
            }
          });
    }
  }

  private final class Component {
    private final String name;
    private final Deque<Candidate> candidates = new ArrayDeque<>();

    /** In the order of registration. Thousands of followers register and leave, hence a set. */
    private final Set<Follower> followers = new LinkedHashSet<>();

    private Optional<LeaderToken> token = Optional.empty();
    private Optional<Leader> leader = Optional.empty();

    Component(String name) {
      this.name = name;
    }

    void elect() {
      Candidate first = candidates.peekFirst();
      if (leading && token.isEmpty() && first != null) {
        LeaderToken granted = new LeaderToken(++term, Id128.random(env.random("leader-" + name)));
        token = Optional.of(granted);
        first.notifyLater(granted);
      }
    }

    void revoke() {
      if (token.isPresent()) {
        token = Optional.empty();
        publish(Optional.empty());
        candidates.getFirst().revokeLater();
      }
    }

    void publish(Optional<Leader> now) {
      if (!leader.equals(now)) {
        leader = now;
        followers.forEach(follower -> follower.notifyLater(now));
      }
    }

    void removeIfUnused() {
      if (candidates.isEmpty() && followers.isEmpty()) {
        components.remove(name, this);
      }
    }
  }

  private final class Candidate implements Candidacy {
    private final Component component;
    private final Mailbox mailbox;
    private final Contender contender;
    private volatile boolean withdrawn;

    Candidate(Component component, Mailbox mailbox, Contender contender) {
      this.component = component;
      this.mailbox = mailbox;
      this.contender = contender;
    }

    void notifyLater(LeaderToken token) {
      mailbox.post(
          () -> {
            if (!withdrawn) {
              contender.granted(token);
            }
          });
    }

    void revokeLater() {
      mailbox.post(
          () -> {
            if (!withdrawn) {
              contender.revoked();
            }
          });
    }

    @Override
    public void confirm(LeaderToken token, Address address) {
      synchronized (EmbeddedLeaderElection.this) {
        if (leads(token)) {
          component.publish(Optional.of(new Leader(address, token)));
        }
      }
    }

    @Override
    public boolean leads(LeaderToken token) {
      synchronized (EmbeddedLeaderElection.this) {
        return component.candidates.peekFirst() == this
            && component.token.equals(Optional.of(token));
      }
    }

    @Override
    public void withdraw() {
      synchronized (EmbeddedLeaderElection.this) {
        withdrawn = true;
        boolean wasLeader = component.candidates.peekFirst() == this;
        component.candidates.remove(this);
        if (wasLeader) {
          component.token = Optional.empty();
          component.publish(Optional.empty());
          component.elect();
        }
        component.removeIfUnused();
      }
    }
  }
}
