package io.millrace.sim.cluster;

import io.millrace.control.JobManager;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.LeaderRecord;
import io.millrace.control.ha.ProcessLeadership;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.ha.zookeeper.nodes.PeerSettings;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.leader.DirectoryLeaderRetrieval;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.millrace.sim.SimProcess;
import io.millrace.sim.zookeeper.SimNodeSession;
import io.millrace.sim.zookeeper.SimZooKeeper;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** A JobManager that contends at ZooKeeper, composed as in production. */
final class SimContender {
  private static final PeerSettings PEERS = new PeerSettings(true, 3, Duration.ofMillis(100));

  private final SimNodeSession session;
  private final NodeCoordinator coordinator;
  private final ProcessLeadership leadership;
  private final LeaderRecord address;

  SimContender(SimZooKeeper servers, SimProcess process, SimWiring wiring) {
    this.session = servers.of(process);
    this.coordinator =
        new NodeCoordinator(
            process,
            wiring.nodes(process, session),
            new NodeCoordinator.Peers(wiring.peers(process, servers.peers().of(process)), PEERS));
    this.leadership = new ProcessLeadership(process, coordinator, new NoStorage());
    this.address = new LeaderRecord(process.name(), process.name());
  }

  SimNodeSession session() {
    return session;
  }

  HaStore store() {
    return coordinator.store();
  }

  JobManager.Leadership leadership() {
    return new JobManager.Leadership(leadership.election(), leadership.election());
  }

  void contend(Consumer<Throwable> fatal) {
    leadership.contend(address, fatal);
  }

  /** The leader retrieval of a process that does not contend. */
  static LeaderRetrieval followers(SimZooKeeper servers, SimProcess process, Rpc rpc) {
    SimNodeSession session = servers.of(process);
    NodeCoordinator coordinator =
        new NodeCoordinator(
            process, session, new NodeCoordinator.Peers(servers.peers().of(process), PEERS));
    return new DirectoryLeaderRetrieval(
        rpc,
        new DirectoryLeaderRetrieval.Lookup() {
          @Override
          public Optional<String> process() {
            return coordinator.leader().map(LeaderRecord::rpc);
          }

          @Override
          public Subscription onChange(Runnable listener) {
            return coordinator.onLeaderChange(listener);
          }
        });
  }

  /** Blobs and archive are shared by all processes. */
  private static final class NoStorage implements ProcessLeadership.Storage {
    @Override
    public Runnable take() {
      return () -> {};
    }

    @Override
    public void end() {}
  }
}
