package io.millrace.cli.cluster;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/**
 * Chooses free ports before the processes start, so that all processes can start at once with the
 * addresses of the others.
 */
public final class FreePorts {
  private final InetAddress host;

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

  /** The port itself, or a free one for 0. */
  public int exactly(int port, String what, String option) {
    if (port < 0 || port > 65535) {
      throw new MillraceException(
          ErrorKind.USER, port + " is not a port. Ports are numbers from 1 to 65535.");
    }
    try {
      return bind(port);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Port "
              + port
              + " for "
              + what
              + " cannot be used on "
              + host.getHostAddress()
              + ": "
              + e.getMessage()
              + ". Choose another one with "
              + option
              + ".",
          e);
    }
  }

  private int bind(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(host, port));
      return socket.getLocalPort();
    }
  }
}
