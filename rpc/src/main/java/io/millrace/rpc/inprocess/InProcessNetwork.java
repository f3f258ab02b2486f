package io.millrace.rpc.inprocess;

import io.millrace.rpc.Envelope;
import io.millrace.rpc.Transport;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Connects any number of {@link io.millrace.rpc.Rpc} instances in one process, by name. */
public final class InProcessNetwork {
  private final Map<String, Node> nodes = new ConcurrentHashMap<>();

  /** A transport with a name that is unique in this network. */
  public Transport join(String name) {
    Node node = new Node(name);
    if (nodes.putIfAbsent(name, node) != null) {
      throw new IllegalArgumentException("Process " + name + " is already on this network");
    }
    return node;
  }

  private final class Node implements Transport {
    private final String name;
    private volatile Inbound inbound;

    Node(String name) {
      this.name = name;
    }

    @Override
    public String address() {
      return name;
    }

    @Override
    public void start(Inbound inbound) {
      this.inbound = inbound;
    }

    @Override
    public void send(String peer, Envelope.Call call) {
      if (nodes.get(name) != this) {
        inbound.lost(peer, "this process has closed its connections");
        return;
      }
      Node target = nodes.get(peer);
      if (target == null || target.inbound == null) {
        inbound.lost(peer, "process " + peer + " does not exist");
        return;
      }
      target.inbound.called(
          name,
          call,
          answer -> {
            if (nodes.get(name) == this && nodes.get(peer) == target) {
              inbound.answered(peer, answer);
            }
          });
    }

    @Override
    public void close() {
      if (nodes.remove(name, this)) {
        nodes.values().forEach(other -> other.peerClosed(name));
      }
    }

    private void peerClosed(String peer) {
      Inbound mine = inbound;
      if (mine != null) {
        mine.lost(peer, "process " + peer + " closed its connections");
      }
    }
  }
}
