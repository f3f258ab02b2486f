package io.millrace.ha.zookeeper;

import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.ha.zookeeper.nodes.PeerConnections;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections by TCP, one thread each. A connection to the RPC port shows whether the process
 * lives; it is closed at once, because that port is for processes that authenticate. A connection
 * to the REST port, over which nothing is sent, shows when the process ends.
 */
final class TcpPeers implements PeerConnections {
  private static final Logger LOG = LoggerFactory.getLogger(TcpPeers.class);

  /** Seconds after which the host is asked whether the connection exists, and how often. */
  private static final int KEEP_ALIVE_IDLE = 5;

  private static final int KEEP_ALIVE_INTERVAL = 2;
  private static final int KEEP_ALIVE_COUNT = 5;

  private final Duration timeout;

  TcpPeers(Duration timeout) {
    this.timeout = timeout;
  }

  @Override
  public Connection connect(String address, Listener listener) {
    Attempt attempt = new Attempt(address, listener);
    Thread thread = new Thread(attempt, "jobmanager-watch-" + address);
    thread.setDaemon(true);
    thread.start();
    return attempt;
  }

  private final class Attempt implements Connection, Runnable {
    private final String address;
    private final Listener listener;
    private final Socket socket = new Socket();
    private volatile boolean closed;

    Attempt(String address, Listener listener) {
      this.address = address;
      this.listener = listener;
    }

    @Override
    public void run() {
      int separator = address.indexOf(NodeCoordinator.SEPARATOR);
      try (Socket rpc = new Socket()) {
        open(rpc, address.substring(0, separator));
      } catch (ConnectException e) {
        tell(isRefusal(e) ? listener::refused : listener::unanswered);
        return;
      } catch (IOException | RuntimeException e) {
        LOG.debug("{} does not answer", address, e);
        tell(listener::unanswered);
        return;
      }
      try {
        open(socket, address.substring(separator + 1));
        keepAlive();
      } catch (IOException | RuntimeException e) {
        LOG.debug("{} does not answer", address, e);
        close(socket);
        tell(listener::unanswered);
        return;
      }
      tell(listener::connected);
      try (InputStream input = socket.getInputStream()) {
        byte[] ignored = new byte[512];
        while (input.read(ignored) >= 0) {
          LOG.trace("{} has sent something", address);
        }
      } catch (IOException e) {
        LOG.debug("The connection to {} is broken", address, e);
      }
      close(socket);
      tell(listener::broken);
    }

    private void open(Socket opened, String hostAndPort) throws IOException {
      int colon = hostAndPort.lastIndexOf(':');
      opened.connect(
          new InetSocketAddress(
              hostAndPort.substring(0, colon), Integer.parseInt(hostAndPort.substring(colon + 1))),
          (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    }

    /** Notices that the host of the process was restarted. */
    private void keepAlive() throws IOException {
      socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_IDLE);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_INTERVAL);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_COUNT);
      }
    }

    private void tell(Runnable event) {
      if (!closed) {
        event.run();
      }
    }

    @Override
    public void close() {
      closed = true;
      close(socket);
    }

    private void close(Socket open) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("Cannot close the connection to {}", address, e);
      }
    }
  }

  /** Other causes of the exception, such as a network without a route, do not name a refusal. */
  private static boolean isRefusal(ConnectException failure) {
    return String.valueOf(failure.getMessage()).contains("refused");
  }
}
