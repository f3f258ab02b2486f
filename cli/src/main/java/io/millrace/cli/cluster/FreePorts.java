package io.millrace.cli.cluster;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/**
 * Chooses ports before the processes start that bind them, so that all of them can start at once
 * and each knows where the others will be.
 */
public final class FreePorts {
  private final InetAddress host;

  public FreePorts(String host) {
    try {
      this.host = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorKind.USER, "The address '" + host + "' to bind to is not known.", e);
    }
  }

  public int free() {
    try {
      return bind(0);
    } catch (IOException e) {
      throw new MillraceException(ErrorKind.EXTERNAL, "No free port: " + e.getMessage(), e);
    }
  }

  public int preferably(int port) {
    try {
      return bind(port);
    } catch (IOException inUse) {
      return free();
    }
  }

  /** The port itself, or any free one for 0. */
  public int exactly(int port, String what, String option) {
    if (port < 0 || port > 65535) {
      throw new MillraceException(
          ErrorKind.USER, "There is no port " + port + ". Ports go from 1 to 65535.");
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
              + ". Give another one with "
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
