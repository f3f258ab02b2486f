package io.millrace.rest;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
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
 * Says whether the client's end of a connection within this machine belongs to the user that runs
 * this process. One thread reads the kernel's table once for all connections that wait, however
 * many there are.
 */
final class PeerAuthentication implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerAuthentication.class);

  /** The table is read row by row while sockets come and go, and a row may be missed. */
  private static final int READS = 3;

  private static final long IDLE_SECONDS = 10;

  private final SocketTable table;
  private final long ownUser;
  private final ThreadPoolExecutor reader;
  private List<Question> questions = new ArrayList<>();

  private record Question(SocketTable.Connection connection, CompletableFuture<Boolean> answer) {}

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

  /** Throws where this machine does not tell whose a socket is. */
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
              + " also stands for all users that this process's user namespace does not know");
    }
    return new PeerAuthentication(table, user);
  }

  /**
   * @param answer told whether the client's socket is the own user's; false also where nobody knows
   */
  void ask(InetSocketAddress client, InetSocketAddress server, Consumer<Boolean> answer) {
    CompletableFuture<Boolean> known = new CompletableFuture<>();
    known.thenAccept(answer);
    synchronized (this) {
      questions.add(
          new Question(
              new SocketTable.Connection(
                  client.getAddress(), client.getPort(), server.getAddress(), server.getPort()),
              known));
      if (questions.size() > 1) {
        // The read that the first one waits for has not begun.
        return;
      }
    }
    reader.execute(this::answerAll);
  }

  private synchronized List<Question> takeAll() {
    List<Question> taken = questions;
    questions = new ArrayList<>();
    return taken;
  }

  private void answerAll() {
    List<Question> asked = takeAll();
    try {
      Map<SocketTable.Connection, Long> owners = new LinkedHashMap<>();
      List<SocketTable.Connection> unknown =
          new ArrayList<>(asked.stream().map(Question::connection).toList());
      for (int i = 0; i < READS && !unknown.isEmpty(); i++) {
        owners.putAll(table.owners(unknown));
        unknown.removeAll(owners.keySet());
      }
      for (Question question : asked) {
        Long owner = owners.get(question.connection());
        question.answer().complete(owner != null && owner == ownUser);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Whose connections to REST are is not known, so that they need the token: {}",
          e.toString());
      asked.forEach(question -> question.answer().complete(false));
    }
  }

  @Override
  public void close() {
    reader.shutdown();
  }
}
