package io.millrace.sim.zookeeper;

import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.ha.zookeeper.nodes.PeerConnections;
import io.millrace.sim.SimProcess;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Connections between JobManagers. The port of a frozen process accepts, that of a dead one
 * refuses, and behind a partition nobody answers. A port may refuse although its process lives.
 */
public final class SimPeers {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(3);
  private static final long MOMENT_NANOS = 5_000_000_000L;

  private final Simulation simulation;
  private final Random random;
  private final List<Open> opened = new ArrayList<>();
  private final Set<String> refusing = new LinkedHashSet<>();
  private final Map<String, Long> refusedAt = new LinkedHashMap<>();
  private int refusalsOfLiving;

  SimPeers(Simulation simulation) {
    this.simulation = simulation;
    this.random = simulation.random("peers");
  }

  /** The connections of one process. */
  public PeerConnections of(SimProcess process) {
    return (address, listener) -> {
      Open open =
          new Open(
              process, address.substring(0, address.indexOf(NodeCoordinator.SEPARATOR)), listener);
      open.begin();
      return open;
    };
  }

  /** Lets the port of a process refuse, and breaks the connections to it. */
  public void refuse(String process, boolean now) {
    if (!now) {
      refusing.remove(process);
    } else if (refusing.add(process)) {
      new ArrayList<>(opened).stream().filter(open -> open.to.equals(process)).forEach(Open::end);
    }
  }

  /** Whether the port of a process refused a connection a moment ago. */
  boolean hasRefused(String process) {
    return refusedAt.getOrDefault(process, Long.MIN_VALUE) > simulation.nanos() - MOMENT_NANOS;
  }

  /** How many connections to living processes were refused. */
  public int refusalsOfLiving() {
    return refusalsOfLiving;
  }

  private final class Open implements PeerConnections.Connection {
    private final SimProcess from;
    private final String to;
    private final PeerConnections.Listener listener;
    private boolean closed;

    Open(SimProcess from, String to, PeerConnections.Listener listener) {
      this.from = from;
      this.to = to;
      this.listener = listener;
    }

    void begin() {
      simulation.schedule(
          Duration.ofNanos(50_000 + random.nextInt(1_000_000)), "to " + to, this::arrive);
    }

    private void arrive() {
      if (closed) {
        return;
      }
      Optional<SimProcess> peer = simulation.running(to);
      if (isPartitioned()) {
        tell(TIMEOUT, listener::unanswered);
      } else if (refusing.contains(to)) {
        refusedAt.put(to, simulation.nanos());
        refusalsOfLiving += peer.isPresent() ? 1 : 0;
        tell(listener::refused);
      } else if (peer.isEmpty()) {
        tell(listener::refused);
      } else {
        opened.add(this);
        peer.get().onExit(this::end);
        tell(listener::connected);
        from.schedule(KEEP_ALIVE, "keep-alive", this::keepAlive);
      }
    }

    private boolean isPartitioned() {
      var faults = simulation.network().faults();
      return faults.isPartitioned(from.name(), to) || faults.isPartitioned(to, from.name());
    }

    private void keepAlive() {
      if (!opened.contains(this)) {
        return;
      }
      if (isPartitioned()) {
        end();
      } else {
        from.schedule(KEEP_ALIVE, "keep-alive", this::keepAlive);
      }
    }

    /** The other end is closed. */
    private void end() {
      if (opened.remove(this)) {
        tell(listener::broken);
      }
    }

    private void tell(Runnable event) {
      tell(Duration.ofNanos(50_000 + random.nextInt(1_000_000)), event);
    }

    private void tell(Duration after, Runnable event) {
      from.schedule(
          after,
          "from " + to,
          () -> {
            if (!closed) {
              event.run();
            }
          });
    }

    @Override
    public void close() {
      closed = true;
      opened.remove(this);
    }
  }
}
