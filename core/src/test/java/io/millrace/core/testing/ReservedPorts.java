package io.millrace.core.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Ports for servers that must be told their port before they start.
 *
 * <p>A port that was only looked up as free can be taken before the server binds it: by another
 * server, by an outgoing connection, or by a client that connects to it and by chance gets it as
 * its own port. So a socket stays bound to each port, without listening, until this JVM ends. A
 * server can bind the port beside it because both set SO_REUSEADDR.
 */
public final class ReservedPorts {
  private static final List<Socket> RESERVED = new ArrayList<>();

  private ReservedPorts() {}

  /** A loopback port that no other process is given. */
  public static synchronized int next() throws IOException {
    Socket socket = new Socket();
    RESERVED.add(socket);
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket.getLocalPort();
  }
}
