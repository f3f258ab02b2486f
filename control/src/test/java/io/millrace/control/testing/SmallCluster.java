package io.millrace.control.testing;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.core.config.Configuration;
import io.millrace.core.id.Id128;
import io.millrace.protocol.ComponentNames;
import io.millrace.rpc.Gateway;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.leader.Leader;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A JobManager process with a played ResourceManager, and any number of played TaskManagers. */
public final class SmallCluster {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  public final ManualEnv env = new ManualEnv();
  public final InProcessNetwork network = new InProcessNetwork();
  public final EmbeddedLeaderElection leaders = new EmbeddedLeaderElection(env);
  public final Rpc rpc = new Rpc(env, network.join("jobmanager"), TIMEOUT);
  public final Mailbox mailbox = env.mailbox("test");
  public final Map<String, Rpc> processes = new LinkedHashMap<>();
  private LeaderElection.Candidacy candidacy;

  public ClusterServices cluster(Configuration configuration) {
    return new ClusterServices(rpc, leaders, leaders, configuration);
  }

  /** Elects and starts a ResourceManager; the one before, if any, steps back. */
  public FakeResourceManager resourceManager() {
    if (candidacy != null) {
      candidacy.withdraw();
    }
    List<FakeResourceManager> made = new ArrayList<>();
    Rpc process = new Rpc(env, network.join("rm" + env.nanos() + processes.size()), TIMEOUT);
    processes.put(process.address(), process);
    candidacy =
        leaders.contend(
            ComponentNames.RESOURCE_MANAGER,
            mailbox,
            new LeaderElection.Contender() {
              @Override
              public void granted(LeaderToken token) {
                FakeResourceManager manager = new FakeResourceManager(process, token);
                manager.start();
                made.add(manager);
                mailbox.post(() -> candidacy.confirm(token, manager.address()));
              }

              @Override
              public void revoked() {}
            });
    env.settle();
    return made.get(0);
  }

  /** The ResourceManager steps back and nobody takes its place. */
  public void resourceManagerLeaves() {
    candidacy.withdraw();
    env.settle();
  }

  public FakeTaskManager taskManager(String name) {
    return taskManager(name, 1);
  }

  public FakeTaskManager taskManager(String name, long incarnation) {
    Rpc process = new Rpc(env, network.join(name + "-" + incarnation), TIMEOUT);
    processes.put(process.address(), process);
    FakeTaskManager made = new FakeTaskManager(process, name, incarnation, leaders);
    made.start();
    env.settle();
    return made;
  }

  public void kill(FakeTaskManager worker) {
    processes.get(worker.address().process()).close();
    env.settle();
  }

  /** A gateway to a leader, with that leader's token or another. */
  public <G extends Gateway> G gateway(Class<G> type, Leader leader, Optional<LeaderToken> token) {
    return rpc.gateway(
        type, leader.address(), token.or(() -> Optional.of(leader.token())), mailbox);
  }

  public Optional<Leader> leader(String component) {
    List<Optional<Leader>> seen = new ArrayList<>();
    Subscription following = leaders.follow(component, mailbox, seen::add);
    env.settle();
    following.cancel();
    return seen.get(seen.size() - 1);
  }

  public static LeaderToken strangerToken() {
    return new LeaderToken(1, new Id128(1, 1));
  }

  /** What a future holds after everything due has run. */
  public <T> T settled(CompletableFuture<T> future) {
    return env.answer(future);
  }
}
