package io.millrace.soak.zookeeper;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Forwards connections to one server, except those of a client that is cut off. */
final class ZooKeeperProxy implements AutoCloseable {
  private final int target;
  private final ServerSocket listener;
  private final List<Link> links = new CopyOnWriteArrayList<>();
  private volatile Optional<Cut> cut = Optional.empty();

  /**
   * Which connections are cut off.
   *
   * @param clientPorts the ports of the client, now
   * @param silent whether its connections stay open and nobody answers, instead of being closed
   */
  record Cut(Supplier<Set<Integer>> clientPorts, boolean silent) {}

  /** A connection of a client. */
  private static final class Link {
    final Socket client;
    volatile Optional<ClientSession> session = Optional.empty();
    volatile boolean silent;

    Link(Socket client) {
      this.client = client;
    }

    void close() {
      try {
        client.close();
      } catch (IOException e) {
        throw new IllegalStateException("A socket could not be closed", e);
      }
    }
  }

  ZooKeeperProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /**
   * Begins a cut.
   *
   * @param ports of the client at this moment
   */
  void cut(Cut which, Set<Integer> ports) {
    cut = Optional.of(which);
    links.forEach(link -> apply(which, ports, link));
  }

  private static void apply(Cut which, Set<Integer> ports, Link link) {
    if (ports.contains(link.client.getPort())) {
      link.silent = true;
      if (!which.silent()) {
        link.close();
      }
    }
  }

  /** Ends the cut, and the connections on which bytes were lost. */
  void restore() {
    cut = Optional.empty();
    links.stream().filter(link -> link.silent).forEach(Link::close);
  }

  /** The sessions of connections from these ports. */
  List<ClientSession> sessions(Set<Integer> ports) {
    return links.stream()
        .filter(link -> ports.contains(link.client.getPort()))
        .flatMap(link -> link.session.stream())
        .toList();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        start(() -> serve(new Link(client)));
      }
    } catch (SocketException closed) {
      links.forEach(Link::close);
    } catch (IOException e) {
      throw new IllegalStateException("The proxy of port " + target + " has failed", e);
    }
  }

  private void serve(Link link) {
    links.add(link);
    try (Socket client = link.client) {
      cut.ifPresent(which -> apply(which, which.clientPorts().get(), link));
      try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
        start(() -> forward(link, server));
        answer(link, server);
      }
      // Keeps a silent connection open although the server has ended it.
      if (link.silent) {
        client.getInputStream().transferTo(OutputStream.nullOutputStream());
      }
    } catch (IOException ended) {
      // The client or the server has closed the connection, or the server is down.
    } finally {
      links.remove(link);
    }
  }

  private static void forward(Link link, Socket server) {
    try (server) {
      copy(link, link.client.getInputStream(), server.getOutputStream());
    } catch (IOException ended) {
      // The other direction ends with it.
    }
  }

  private static void answer(Link link, Socket server) throws IOException {
    DataInputStream in = new DataInputStream(server.getInputStream());
    int length = in.readInt();
    OutputStream out = link.client.getOutputStream();
    if (length < 0 || length > ClientSession.MAX_FRAME) {
      throw new IOException("The first frame of the server has " + length + " bytes");
    }
    byte[] frame = in.readNBytes(length);
    link.session = ClientSession.parse(frame);
    if (!link.silent) {
      out.write(ByteBuffer.allocate(Integer.BYTES + length).putInt(length).put(frame).array());
    }
    copy(link, in, out);
  }

  /** Copies until the end; what arrives on a silent connection is lost. */
  private static void copy(Link link, InputStream from, OutputStream to) throws IOException {
    byte[] buffer = new byte[16 * 1024];
    for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
      if (!link.silent) {
        to.write(buffer, 0, read);
      }
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "zookeeper-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
