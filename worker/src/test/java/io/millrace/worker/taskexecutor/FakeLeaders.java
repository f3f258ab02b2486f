package io.millrace.worker.taskexecutor;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderRetrieval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Leaders that the test sets. */
final class FakeLeaders implements LeaderRetrieval {
  boolean broken;
  private final Map<String, Optional<Leader>> leaders = new LinkedHashMap<>();
  private final Map<String, List<Follower>> followers = new LinkedHashMap<>();

  private record Follower(Mailbox mailbox, Consumer<Optional<Leader>> listener) {}

  void lead(String component, Leader leader) {
    leaders.put(component, Optional.of(leader));
    publish(component);
  }

  void loseLeader(String component) {
    leaders.put(component, Optional.empty());
    publish(component);
  }

  boolean isFollowed(String component) {
    return !followers.getOrDefault(component, List.of()).isEmpty();
  }

  private void publish(String component) {
    Optional<Leader> leader = leaders.get(component);
    followers
        .getOrDefault(component, List.of())
        .forEach(f -> f.mailbox().post(() -> f.listener().accept(leader)));
  }

  @Override
  public Subscription follow(
      String component, Mailbox mailbox, Consumer<Optional<Leader>> listener) {
    if (broken) {
      throw new IllegalStateException("the coordinator is not available");
    }
    Follower follower = new Follower(mailbox, listener);
    List<Follower> all = followers.computeIfAbsent(component, x -> new ArrayList<>());
    all.add(follower);
    Optional<Leader> leader = leaders.getOrDefault(component, Optional.empty());
    mailbox.post(() -> listener.accept(leader));
    return () -> all.remove(follower);
  }

  @Override
  public String toString() {
    return "jm:6123";
  }
}
