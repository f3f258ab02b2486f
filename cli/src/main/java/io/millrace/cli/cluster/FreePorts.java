package io.millrace.cli.cluster;

import io.millrace.core.config.BindPorts;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses free ports before the processes start, so that all processes can start at once with the
 * addresses of the others. The ports are reserved until this is closed: the system gives them to no
 * other process, and a server can listen on them.
 */
public final class FreePorts implements AutoCloseable {
  private final InetAddress host;

  /** Bound, but not listening: with SO_REUSEADDR on both sides a server can bind the port, too. */
  private final List<Socket> reserved = new ArrayList<>();

  public FreePorts(String host) {
    try {
      this.host = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The bind address '" + host + "' cannot be resolved. Check rest.bind-address.",
          e);
    }
  }

  public int free() {
    try {
      return bind(0);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "No free port was found: " + e.getMessage(), e);
    }
  }

  public int preferably(int port) {
    try {
      return bind(port);
    } catch (IOException inUse) {
      return free();
    }
  }

  /** The first port of these that is free and not reserved yet. */
  public int anyOf(BindPorts ports) {
    return ports.bind(host.getHostAddress(), this::bind);
  }

  private int bind(int port) throws IOException {
    if (port != 0 && reserved.stream().anyMatch(socket -> socket.getLocalPort() == port)) {
      throw new BindException("it is reserved for another process of this cluster");
    }
    Socket socket = new Socket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(host, port));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
    reserved.add(socket);
    return socket.getLocalPort();
  }

  @Override
  public void close() {
    for (Socket socket : reserved) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
