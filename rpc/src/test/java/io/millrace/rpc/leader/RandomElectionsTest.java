package io.millrace.rpc.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.Id128;
import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.manual.ManualEnv;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random contenders and followers of two components, compared with plain lists. */
final class RandomElectionsTest {
  private final ManualEnv env = new ManualEnv();
  private final EmbeddedLeaderElection election = new EmbeddedLeaderElection(env, 100);

  /** What the model knows of a component. */
  private static final class Component {
    private final String name;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<Follower> followers = new ArrayList<>();
    private Optional<Leader> published = Optional.empty();

    Component(String name) {
      this.name = name;
    }

    void publish(Optional<Leader> now) {
      if (!published.equals(now)) {
        published = now;
        followers.forEach(follower -> follower.expected.add(now));
      }
    }
  }

  private final class Candidate implements LeaderElection.Contender {
    private final Mailbox mailbox = env.mailbox("candidate");
    private final List<LeaderToken> granted = new ArrayList<>();
    private final LeaderElection.Candidacy candidacy;

    Candidate(Component component) {
      candidacy = election.contend(component.name, mailbox, this);
    }

    @Override
    public void granted(LeaderToken token) {
      mailbox.checkInside();
      granted.add(token);
    }

    @Override
    public void revoked() {
      throw new AssertionError("No other process takes leadership away");
    }
  }

  private final class Follower {
    private final Mailbox mailbox = env.mailbox("follower");
    private final List<Optional<Leader>> notified = new ArrayList<>();
    private final List<Optional<Leader>> expected = new ArrayList<>();
    private final Subscription following;

    Follower(Component component) {
      following =
          election.follow(
              component.name,
              mailbox,
              leader -> {
                mailbox.checkInside();
                notified.add(leader);
              });
      expected.add(component.published);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void firstContenderLeadsUntilItWithdraws(long seed) {
    Random random = new Random(seed);
    List<Component> components = List.of(new Component("dispatcher"), new Component("job"));
    List<Follower> former = new ArrayList<>();
    List<LeaderToken> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      Component component = components.get(random.nextInt(2));
      int kind = random.nextInt(10);
      if (kind < 2) {
        component.candidates.add(new Candidate(component));
      } else if (kind < 4 && !component.candidates.isEmpty()) {
        int chosen = random.nextInt(component.candidates.size());
        component.candidates.remove(chosen).candidacy.withdraw();
        if (chosen == 0) {
          component.publish(Optional.empty());
        }
      } else if (kind < 6) {
        component.followers.add(new Follower(component));
      } else if (kind < 7 && !component.followers.isEmpty()) {
        Follower cancelled = component.followers.remove(random.nextInt(component.followers.size()));
        cancelled.following.cancel();
        former.add(cancelled);
      } else if (!component.candidates.isEmpty()) {
        confirm(random, component);
      }
      env.settle();
      check(seed, i, components, former, all);
    }
  }

  /** Confirms with the current token, an earlier one or another one. */
  private void confirm(Random random, Component component) {
    Candidate candidate = component.candidates.get(random.nextInt(component.candidates.size()));
    LeaderToken token =
        candidate.granted.isEmpty() || random.nextInt(4) == 0
            ? new LeaderToken(random.nextInt(200), new Id128(0, 7))
            : candidate.granted.get(0);
    Address address = new Address("process-" + random.nextInt(2), component.name);
    candidate.candidacy.confirm(token, address);
    if (component.candidates.get(0) == candidate && candidate.granted.contains(token)) {
      component.publish(Optional.of(new Leader(address, token)));
    }
  }

  private static void check(
      long seed,
      int step,
      List<Component> components,
      List<Follower> former,
      List<LeaderToken> all) {
    for (Component component : components) {
      for (int i = 0; i < component.candidates.size(); i++) {
        Candidate candidate = component.candidates.get(i);
        assertThat(candidate.granted).as("seed %d, step %d", seed, step).hasSize(i == 0 ? 1 : 0);
        for (LeaderToken token : candidate.granted) {
          assertThat(candidate.candidacy.leads(token)).isTrue();
          if (!all.contains(token)) {
            assertThat(all).allMatch(earlier -> earlier.term() < token.term());
            all.add(token);
          }
        }
        if (i > 0) {
          assertThat(all).noneMatch(candidate.candidacy::leads);
        }
      }
      for (Follower follower : component.followers) {
        assertThat(follower.notified)
            .as("seed %d, step %d", seed, step)
            .isEqualTo(follower.expected);
      }
    }
    for (Follower follower : former) {
      assertThat(follower.notified)
          .as("seed %d, step %d: a cancelled follower", seed, step)
          .isEqualTo(follower.expected);
    }
  }
}
