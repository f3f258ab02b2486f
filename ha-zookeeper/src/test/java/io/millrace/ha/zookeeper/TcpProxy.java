package io.millrace.ha.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Forwards connections to a port of this machine until it is cut. */
final class TcpProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket server;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private volatile boolean cut;

  TcpProxy(int target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    thread(this::accept);
  }

  String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Closes all connections and every new one. */
  void cut() throws IOException {
    cut = true;
    for (Socket socket : open) {
      socket.close();
    }
    open.clear();
  }

  void restore() {
    cut = false;
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        if (cut) {
          client.close();
          continue;
        }
        Socket there = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(client);
        open.add(there);
        if (cut) {
          cut();
        }
        thread(() -> copy(client, there));
        thread(() -> copy(there, client));
      } catch (IOException e) {
        if (!server.isClosed() && !cut) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void copy(Socket from, Socket to) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
    } catch (IOException e) {
      // One of the two ends has closed the connection, and now both are closed.
    }
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
