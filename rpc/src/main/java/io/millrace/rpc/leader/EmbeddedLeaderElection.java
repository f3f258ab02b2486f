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
 * Election among the contenders of one process: the first one leads, the next when it withdraws.
 * Called from many mailboxes, hence the lock; listeners are told in their own mailboxes.
 */
public final class EmbeddedLeaderElection implements LeaderElection, LeaderRetrieval {
  private final Env env;
  private final Map<String, Component> components = new LinkedHashMap<>();
  private long term;

  /**
   * Terms start at the wall clock, so that they also grow from one start of a process to the next.
   */
  public EmbeddedLeaderElection(Env env) {
    this(env, env.wallMillis());
  }

  /**
   * @param term the first term drawn is above it
   */
  public EmbeddedLeaderElection(Env env, long term) {
    this.env = env;
    this.term = term;
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
    follower.tell(component.leader);
    return () -> {
      synchronized (this) {
        follower.cancelled = true;
        component.followers.remove(follower);
        component.forgetIfUnused();
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

    void tell(Optional<Leader> leader) {
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

    /** In the order in which they came; thousands follow the ResourceManager and come and go. */
    private final Set<Follower> followers = new LinkedHashSet<>();

    private Optional<LeaderToken> token = Optional.empty();
    private Optional<Leader> leader = Optional.empty();

    Component(String name) {
      this.name = name;
    }

    void elect() {
      Candidate first = candidates.peekFirst();
      if (token.isEmpty() && first != null) {
        LeaderToken granted = new LeaderToken(++term, Id128.random(env.random("leader-" + name)));
        token = Optional.of(granted);
        first.tell(granted);
      }
    }

    void publish(Optional<Leader> now) {
      if (!leader.equals(now)) {
        leader = now;
        followers.forEach(follower -> follower.tell(now));
      }
    }

    void forgetIfUnused() {
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

    void tell(LeaderToken token) {
      mailbox.post(
          () -> {
            if (!withdrawn) {
              contender.granted(token);
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
        boolean led = component.candidates.peekFirst() == this;
        component.candidates.remove(this);
        if (led) {
          component.token = Optional.empty();
          component.publish(Optional.empty());
          component.elect();
        }
        component.forgetIfUnused();
      }
    }
  }
}
