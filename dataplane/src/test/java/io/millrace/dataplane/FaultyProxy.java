package io.millrace.dataplane;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.NetworkMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A host behind somebody who passes on what others send to it and it to them, faithfully or not.
 * The host listens at the same port of another loopback address, so that it is called by the
 * address it has.
 */
final class FaultyProxy implements AutoCloseable {
  /** What becomes of bytes on their way. Called for each direction in its own thread. */
  interface FaultInjection {
    /**
     * @param toHost whether they go to the host or come from it
     * @param position how many bytes went before in this direction
     * @return what arrives instead
     * @throws IOException to break the connection
     */
    byte[] pass(boolean toHost, long position, byte[] bytes) throws IOException;
  }

  private static final String FRONT = "127.0.0.1";
  private static final String BACK = "127.0.0.2";
  private static final int TRIES = 20;

  private final DataPlane host;
  private final ServerSocket front;
  private final FaultInjection mischief;
  private final AtomicLong toHost = new AtomicLong();
  private final AtomicLong fromHost = new AtomicLong();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private FaultyProxy(DataPlane host, ServerSocket front, FaultInjection mischief) {
    this.host = host;
    this.front = front;
    this.mischief = mischief;
    start(this::accept);
  }

  static FaultyProxy start(
      NetworkMemory memory, ConnectionTimeouts patience, FaultInjection mischief)
      throws IOException {
    for (int i = 0; i < TRIES; i++) {
      DataPlane host = host(BACK, memory, patience);
      String address = host.dataAddress();
      int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
      try {
        ServerSocket front = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        return new FaultyProxy(host, front, mischief);
      } catch (IOException taken) {
        host.close();
      }
    }
    throw new IOException("No port is free at both addresses");
  }

  /** A host that is known by the first loopback address. */
  static DataPlane host(String bound, NetworkMemory memory, ConnectionTimeouts patience) {
    return new DataPlane(
        DataPlaneSettings.listening(
            2,
            new DataPort(
                bound,
                BindPorts.of(TaskManagerOptions.DATA_PORT, PortRange.of(0)),
                FRONT,
                Bytes.utf8("between"),
                Optional.empty(),
                patience,
                memory)));
  }

  DataPlane host() {
    return host;
  }

  /** Breaks all connections through it. */
  void cut() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Ends what goes to the host, but not what comes from it. */
  void closeTowardsHost() throws IOException {
    for (Socket socket : sockets) {
      if (socket.getPort() == front.getLocalPort()) {
        socket.shutdownOutput();
      }
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket caller = front.accept();
      Socket called = new Socket(BACK, front.getLocalPort());
      sockets.add(caller);
      sockets.add(called);
      start(() -> pass(caller, called, true));
      start(() -> pass(called, caller, false));
    }
  }

  private void pass(Socket from, Socket to, boolean towardsHost) throws IOException {
    AtomicLong position = towardsHost ? toHost : fromHost;
    byte[] buffer = new byte[8192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int count;
      while ((count = in.read(buffer)) >= 0) {
        out.write(
            mischief.pass(towardsHost, position.getAndAdd(count), Arrays.copyOf(buffer, count)));
      }
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException broken) {
                // That connections break is what this is for.
                return;
              }
            },
            "between");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    front.close();
    cut();
    host.close();
  }
}
