package io.millrace.soak.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** ZooKeeper servers as processes of this machine, each behind a proxy. */
public final class ZooKeeperEnsemble implements AutoCloseable {
  private static final int SESSION_MILLIS = 20_000;
  private static final Duration START_BOUND = Duration.ofMinutes(3);

  /**
   * Sockets that are bound to the ports of the servers and do not listen. As long as they are open
   * the system gives the ports neither to connections nor to servers that ask for any port, also
   * while a server is down; a server that asks for exactly this port gets it.
   */
  private final List<Socket> reservedPorts = new ArrayList<>();

  private final List<EnsembleServer> servers = new ArrayList<>();
  private final List<ZooKeeperProxy> proxies = new ArrayList<>();

  private ZooKeeperEnsemble() {}

  /** Returns when all servers serve. */
  public static ZooKeeperEnsemble start(Path directory, int size)
      throws IOException, InterruptedException {
    ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble();
    try {
      int[] ports = ensemble.reservePorts(3 * size);
      List<String> members = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        members.add(
            "server."
                + (i + 1)
                + "=127.0.0.1:"
                + ports[size + 2 * i]
                + ":"
                + ports[size + 2 * i + 1]);
      }
      for (int i = 0; i < size; i++) {
        ensemble.servers.add(new EnsembleServer(directory, i + 1, ports[i], members));
        ensemble.proxies.add(new ZooKeeperProxy(ports[i]));
      }
      for (EnsembleServer server : ensemble.servers) {
        server.start();
      }
      ensemble.awaitServing();
      return ensemble;
    } catch (IOException | InterruptedException | RuntimeException e) {
      ensemble.close();
      throw e;
    }
  }

  private int[] reservePorts(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket();
      reservedPorts.add(socket);
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }
    return reservedPorts.stream().mapToInt(Socket::getLocalPort).toArray();
  }

  public int size() {
    return servers.size();
  }

  /** The addresses of the proxies, for the processes of the cluster. */
  public String quorum() {
    return proxies.stream().map(ZooKeeperProxy::address).collect(Collectors.joining(","));
  }

  private String serverAddresses() {
    return servers.stream()
        .map(server -> "127.0.0.1:" + server.port())
        .collect(Collectors.joining(","));
  }

  /**
   * Ends a server with SIGKILL.
   *
   * @param index from 0 on
   */
  public void kill(int index) {
    servers.get(index).kill();
  }

  /** Starts killed servers; returns when all serve. */
  public void restart() throws IOException, InterruptedException {
    for (EnsembleServer server : servers) {
      if (!server.isAlive()) {
        server.start();
      }
    }
    awaitServing();
  }

  private void awaitServing() throws IOException, InterruptedException {
    long end = System.nanoTime() + START_BOUND.toNanos();
    for (EnsembleServer server : servers) {
      while (!server.serves()) {
        if (!server.isAlive() || System.nanoTime() > end) {
          throw new IOException(
              "ZooKeeper server "
                  + server.number()
                  + (server.isAlive() ? " does not serve" : " has ended")
                  + "; its log is "
                  + server.log());
        }
        Thread.sleep(50);
      }
    }
  }

  /**
   * Cuts off a client from all servers until {@link #restore}.
   *
   * @param clientPorts the ports of the client, asked for each of its new connections
   * @param silent whether connections stay open without an answer, instead of being closed
   */
  public void cut(Supplier<Set<Integer>> clientPorts, boolean silent) {
    Set<Integer> ports = clientPorts.get();
    proxies.forEach(proxy -> proxy.cut(new ZooKeeperProxy.Cut(clientPorts, silent), ports));
  }

  public void restore() {
    proxies.forEach(ZooKeeperProxy::restore);
  }

  /**
   * Lets the servers end the session of a client, which goes on without knowing it.
   *
   * @return when the session was ended, in milliseconds since the epoch
   * @throws IOException if the client has no session, or several
   */
  public long expire(Supplier<Set<Integer>> clientPorts) throws IOException, InterruptedException {
    Set<Integer> ports = clientPorts.get();
    List<ClientSession> sessions =
        proxies.stream().flatMap(proxy -> proxy.sessions(ports).stream()).toList();
    if (sessions.size() != 1) {
      throw new IOException(
          "The client with the ports " + ports + " has " + sessions.size() + " sessions");
    }
    ZooKeeper client = connect(sessions.get(0));
    long ended = System.currentTimeMillis();
    client.close();
    return ended;
  }

  /** The nodes below a root, without the root; none if it does not exist. */
  public List<String> nodesBelow(String root) throws IOException, InterruptedException {
    ZooKeeper client = connect(new ClientSession(0, new byte[16]));
    try {
      List<String> nodes = new ArrayList<>();
      list(client, root, nodes);
      return nodes;
    } catch (KeeperException e) {
      throw new IOException("The nodes below " + root + " cannot be read", e);
    } finally {
      client.close();
    }
  }

  private static void list(ZooKeeper client, String node, List<String> found)
      throws KeeperException, InterruptedException {
    List<String> children;
    try {
      children = client.getChildren(node, false);
    } catch (KeeperException.NoNodeException gone) {
      return;
    }
    for (String child : children) {
      String path = node + "/" + child;
      found.add(path);
      list(client, path, found);
    }
  }

  /**
   * @param session an existing one, or one with the id 0 for a new one
   */
  private ZooKeeper connect(ClientSession session) throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper client =
        new ZooKeeper(
            serverAddresses(),
            SESSION_MILLIS,
            event -> {
              if (event.getState() == KeeperState.SyncConnected
                  || event.getState() == KeeperState.Expired) {
                connected.countDown();
              }
            },
            session.id(),
            session.password());
    if (!connected.await(SESSION_MILLIS, TimeUnit.MILLISECONDS)) {
      client.close();
      throw new IOException("ZooKeeper at " + serverAddresses() + " does not answer");
    }
    return client;
  }

  @Override
  public void close() throws IOException {
    for (ZooKeeperProxy proxy : proxies) {
      proxy.close();
    }
    servers.forEach(EnsembleServer::close);
    for (Socket socket : reservedPorts) {
      socket.close();
    }
  }
}
