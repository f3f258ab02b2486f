package io.millrace.rest;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether the client of a connection within this machine is the user that runs this
 * process. One thread reads the socket table of the kernel once for all pending look-ups.
 */
final class PeerAuthentication implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerAuthentication.class);

  /** The kernel lists sockets while they open and close, so one read may miss a row. */
  private static final int MAX_READS = 3;

  /**
   * A table that cannot be read, mostly for lack of file descriptors, is read again for two
   * seconds. Until then the connections wait; if it counted them as those of other users, the own
   * user would be rejected while others hold all descriptors.
   */
  private static final int MAX_ATTEMPTS = 20;

  private static final long MILLIS_BETWEEN_ATTEMPTS = 100;
  private static final Duration BETWEEN_WARNINGS = Duration.ofSeconds(10);

  private static final long IDLE_SECONDS = 10;

  private final SocketTable table;
  private final long ownUser;
  private final ThreadPoolExecutor reader;
  private List<Lookup> pending = new ArrayList<>();

  /** Of the reader's thread. */
  private long warnedAt;

  private record Lookup(SocketTable.Connection connection, CompletableFuture<Boolean> result) {}

  private PeerAuthentication(SocketTable table, long ownUser) {
    this.table = table;
    this.ownUser = ownUser;
    this.reader =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "rest-peers");
              thread.setDaemon(true);
              return thread;
            });
    reader.allowCoreThreadTimeOut(true);
  }

  /** Fails if this machine does not show the owners of sockets. */
  static PeerAuthentication ofThisMachine() {
    return of(new SocketTable(Path.of("/proc")));
  }

  static PeerAuthentication of(SocketTable table) {
    table.check();
    long user = table.ownUser();
    if (table.overflowUser().orElse(-1) == user) {
      throw new MillraceException(
          ErrorKind.USER,
          "user "
              + user
              + " is also the overflow user, which represents all users that the user namespace of"
              + " this process does not map");
    }
    return new PeerAuthentication(table, user);
  }

  /**
   * @param result receives whether the socket of the client belongs to the own user; false also if
   *     the owner is not known
   */
  void lookUp(InetSocketAddress client, InetSocketAddress server, Consumer<Boolean> result) {
    CompletableFuture<Boolean> isOwn = new CompletableFuture<>();
    isOwn.thenAccept(result);
    synchronized (this) {
      pending.add(
          new Lookup(
              new SocketTable.Connection(
                  client.getAddress(), client.getPort(), server.getAddress(), server.getPort()),
              isOwn));
      if (pending.size() > 1) {
        // The read that the first look-up has scheduled has not started, so it serves this one.
        return;
      }
    }
    reader.execute(this::readTable);
  }

  private synchronized List<Lookup> takePending() {
    List<Lookup> taken = pending;
    pending = new ArrayList<>();
    return taken;
  }

  private void readTable() {
    List<Lookup> lookups = takePending();
    try {
      Map<SocketTable.Connection, Long> owners = ownersOf(lookups);
      for (Lookup lookup : lookups) {
        Long owner = owners.get(lookup.connection());
        lookup.result().complete(owner != null && owner == ownUser);
      }
    } catch (IOException | RuntimeException e) {
      warn(e);
      lookups.forEach(lookup -> lookup.result().complete(false));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      lookups.forEach(lookup -> lookup.result().complete(false));
    }
  }

  private Map<SocketTable.Connection, Long> ownersOf(List<Lookup> lookups)
      throws IOException, InterruptedException {
    Map<SocketTable.Connection, Long> owners = new LinkedHashMap<>();
    List<SocketTable.Connection> unknown =
        new ArrayList<>(lookups.stream().map(Lookup::connection).toList());
    int attempts = 1;
    for (int i = 0; i < MAX_READS && !unknown.isEmpty(); ) {
      try {
        owners.putAll(table.owners(unknown));
        unknown.removeAll(owners.keySet());
        i++;
      } catch (IOException e) {
        if (attempts == MAX_ATTEMPTS) {
          throw e;
        }
        attempts++;
        Thread.sleep(MILLIS_BETWEEN_ATTEMPTS);
      }
    }
    return owners;
  }

  private void warn(Exception failure) {
    long now = System.nanoTime();
    if (warnedAt == 0 || now - warnedAt > BETWEEN_WARNINGS.toNanos()) {
      warnedAt = now;
      LOG.warn(
          "The owners of connections to REST cannot be read, so these connections need the token:"
              + " {}",
          failure.toString());
    }
  }

  @Override
  public void close() {
    reader.shutdown();
  }
}
