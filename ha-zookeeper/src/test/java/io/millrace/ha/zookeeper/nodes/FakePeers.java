package io.millrace.ha.zookeeper.nodes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Connections to other JobManagers of which the test says what becomes of them. */
final class FakePeers implements PeerConnections {
  /** The addresses of all attempts. */
  final List<String> attempts = new ArrayList<>();

  private final Map<String, Listener> open = new LinkedHashMap<>();

  @Override
  public Connection connect(String address, Listener listener) {
    attempts.add(address);
    open.put(address, listener);
    return () -> open.remove(address, listener);
  }

  /** The addresses to which there is a connection, or an attempt. */
  List<String> open() {
    return List.copyOf(open.keySet());
  }

  /** Hears of the last connection to an address. */
  Listener to(String address) {
    return open.get(address);
  }
}
