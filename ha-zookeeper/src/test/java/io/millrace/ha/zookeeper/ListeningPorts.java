package io.millrace.ha.zookeeper;

import io.millrace.control.ha.LeaderRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** The ports of a JobManager. */
final class ListeningPorts implements AutoCloseable {
  private final ServerSocket rpc = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final ServerSocket rest = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> accepted = new ArrayList<>();

  ListeningPorts() throws IOException {}

  LeaderRecord address() {
    return new LeaderRecord("127.0.0.1:" + rpc.getLocalPort(), "127.0.0.1:" + rest.getLocalPort());
  }

  /** The next connection to the REST port. */
  Socket awaitConnection() throws IOException {
    Socket connection = rest.accept();
    accepted.add(connection);
    return connection;
  }

  void closeRest() throws IOException {
    rest.close();
  }

  /** As the end of a process does it: first the ports, so that none accepts after a break. */
  @Override
  public void close() throws IOException {
    rpc.close();
    rest.close();
    for (Socket one : accepted) {
      one.close();
    }
  }
}
