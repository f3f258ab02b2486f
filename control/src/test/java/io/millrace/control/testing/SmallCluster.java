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

/** A JobManager process with a fake ResourceManager and any number of fake TaskManagers. */
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

  /** Elects and starts a ResourceManager; the previous one withdraws. */
  public FakeResourceManager resourceManager() {
    if (candidacy != null) {
      candidacy.withdraw();
    }
    List<FakeResourceManager> created = new ArrayList<>();
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
                created.add(manager);
                mailbox.post(() -> candidacy.confirm(token, manager.address()));
              }

              @Override
              public void revoked() {}
            });
    env.settle();
    return created.get(0);
  }

  /** The ResourceManager withdraws without a successor. */
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
    FakeTaskManager created = new FakeTaskManager(process, name, incarnation, leaders);
    created.start();
    env.settle();
    return created;
  }

  public void kill(FakeTaskManager worker) {
    processes.get(worker.address().process()).close();
    env.settle();
  }

  /** A gateway with the token of the leader. */
  public <G extends Gateway> G gateway(Class<G> type, Leader leader) {
    return gateway(type, leader, leader.token());
  }

  /** A gateway with another token than that of the leader. */
  public <G extends Gateway> G gateway(Class<G> type, Leader leader, LeaderToken token) {
    return rpc.gateway(type, leader.address(), Optional.of(token), mailbox);
  }

  public Optional<Leader> leader(String component) {
    List<Optional<Leader>> published = new ArrayList<>();
    Subscription following = leaders.follow(component, mailbox, published::add);
    env.settle();
    following.cancel();
    return published.get(published.size() - 1);
  }

  public static LeaderToken unknownToken() {
    return new LeaderToken(1, new Id128(1, 1));
  }

  /** The value of a future after all due tasks have run. */
  public <T> T settled(CompletableFuture<T> future) {
    return env.answer(future);
  }
}
