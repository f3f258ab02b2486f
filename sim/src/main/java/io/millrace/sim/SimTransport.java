package io.millrace.sim;

import io.millrace.core.error.MillraceException;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;

/** The transport of a process over a {@link SimNetwork}. */
final class SimTransport implements Transport {
  private static final long CONNECT_NANOS = 2_000_000_000L;

  final SimProcess process;
  private final SimNetwork network;
  private final Simulation simulation;
  private Inbound inbound;

  SimTransport(SimProcess process, SimNetwork network, Simulation simulation) {
    this.process = process;
    this.network = network;
    this.simulation = simulation;
  }

  private boolean isHere() {
    return process.isAlive() && network.node(process.name()) == this && inbound != null;
  }

  void lost(String peer, String reason) {
    if (isHere()) {
      network.tap().lost(process, peer);
      inbound.lost(peer, reason);
    }
  }

  @Override
  public String address() {
    return process.name();
  }

  @Override
  public void start(Inbound inbound) {
    this.inbound = inbound;
  }

  @Override
  public void send(String peer, Envelope.Call call) {
    SimConnection connection = network.connection(address(), peer);
    SimConnection.Side own = connection.side(address());
    if (own.known != connection.epoch) {
      // What is written to a dead connection before its end is noticed.
      network.lose(address(), peer, call);
      return;
    }
    SimTransport target = network.node(peer);
    if (!connection.open && (target == null || connection.isPartitioned())) {
      network.lose(address(), peer, call);
      unreachable(peer, own, connection.isPartitioned());
      return;
    }
    if (target == null) {
      network.lose(address(), peer, call);
      return;
    }
    connection.open = true;
    boolean heartbeat = Messages.isHeartbeat(call.message().getClass());
    try {
      network.carry(
          connection,
          process,
          peer,
          heartbeat,
          call,
          (arrived, late) ->
              target.deliver(this, connection, heartbeat, (Envelope.Call) arrived, late));
    } catch (MillraceException e) {
      inbound.undeliverable(peer, call, e.getMessage());
    }
  }

  private static Envelope.Call numbered(Envelope.Call call, long correlation) {
    return new Envelope.Call(
        call.endpoint(),
        call.token(),
        correlation,
        call.timeoutMillis(),
        call.cause(),
        call.message());
  }

  /** Refuses at once if the process does not run; times out if it is partitioned. */
  private void unreachable(String peer, SimConnection.Side own, boolean partitioned) {
    if (!own.connecting) {
      own.connecting = true;
      simulation.schedule(
          process,
          partitioned ? CONNECT_NANOS : network.faults().delay(address(), peer),
          "refused",
          () -> {
            own.connecting = false;
            lost(peer, partitioned ? "it cannot be reached" : "connection refused");
          });
    }
  }

  void deliver(
      SimTransport caller,
      SimConnection connection,
      boolean heartbeat,
      Envelope.Call call,
      boolean late) {
    if (!isHere()) {
      return;
    }
    long epoch = connection.epoch;
    String to = caller.address();
    if (late) {
      network.countStraggler();
    } else if (connection.side(address()).known < epoch) {
      network.countOvertaking();
    }
    network.tap().called(to, process, call);
    inbound.called(
        to,
        call,
        answer -> {
          if (late) {
            // It gets nowhere, and a later process of the caller may use the same number.
            network.tap().answers(process, to, numbered(call, -call.correlation()), answer);
          } else if (process.isAlive() && connection.epoch == epoch && connection.open) {
            network.tap().answers(process, to, call, answer);
            network.carry(
                connection,
                process,
                to,
                heartbeat,
                answer,
                (back, overdue) -> {
                  if (caller.isHere()) {
                    network.tap().heard(caller.process, address(), call, back);
                    caller.inbound.answered(address(), back);
                  }
                });
          }
        });
  }

  @Override
  public void close() {
    network.leave(process);
  }
}
