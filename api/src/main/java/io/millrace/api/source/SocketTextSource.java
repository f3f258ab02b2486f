package io.millrace.api.source;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * The lines that a server sends. One instance connects; the source ends when the server closes the
 * connection.
 *
 * <pre>{@code
 * env.fromSource(SocketTextSource.of("localhost", 9999), "socket").print();
 * }</pre>
 */
public final class SocketTextSource implements NonReplayableSource<String> {
  private static final long serialVersionUID = 1L;

  private final String host;
  private final int port;

  private SocketTextSource(String host, int port) {
    this.host = host;
    this.port = port;
  }

  public static SocketTextSource of(String host, int port) {
    Objects.requireNonNull(host);
    if (port < 1 || port > 65535) {
      throw new MillraceException(
          ErrorKind.USER, "A port lies between 1 and 65535; this is " + port + ".");
    }
    return new SocketTextSource(host, port);
  }

  @Override
  public boolean isBounded() {
    return false;
  }

  @Override
  public int maxParallelism() {
    return 1;
  }

  @Override
  public PollingReader<String> open(SourceContext context) {
    Reader reader = new Reader(host, port, context);
    reader.start();
    return reader;
  }

  /**
   * A thread of its own waits for the socket, because polls must not block. The queue is bounded: a
   * job that does not keep up holds the server back through the connection.
   */
  private static final class Reader implements PollingReader<String> {
    private static final int QUEUED_LINES = 4096;
    private static final int CONNECT_MILLIS = 10_000;

    private final String host;
    private final int port;
    private final SourceContext context;
    private final Socket socket = new Socket();
    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(QUEUED_LINES);
    private final Thread thread;
    private volatile boolean ended;
    private volatile IOException failure;
    private volatile boolean closed;

    Reader(String host, int port, SourceContext context) {
      this.host = host;
      this.port = port;
      this.context = context;
      this.thread = new Thread(this::receive, "socket-source-" + host + ":" + port);
      thread.setDaemon(true);
    }

    void start() {
      thread.start();
    }

    @Override
    public Status poll(SourceOutput<String> out, int limit) {
      // Read before the queue: what was queued before the end must be seen after it.
      boolean last = ended;
      for (int i = 0; i < limit; i++) {
        String line = lines.poll();
        if (line == null) {
          return last ? end() : Status.WAIT;
        }
        out.emit(line);
      }
      return Status.MORE;
    }

    private Status end() {
      if (failure != null) {
        throw new MillraceException(
            ErrorKind.EXTERNAL,
            "Reading lines from "
                + host
                + ":"
                + port
                + " failed ("
                + failure.getMessage()
                + "). Check that a server listens there and keeps the connection open.",
            failure);
      }
      return Status.END;
    }

    private void receive() {
      try {
        socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
          lines.put(line);
          context.wake();
        }
      } catch (IOException e) {
        // Closing the socket is how close() ends this thread; that error is not one.
        if (!closed) {
          failure = e;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        ended = true;
        context.wake();
      }
    }

    @Override
    public void close() throws IOException {
      closed = true;
      socket.close();
      thread.interrupt();
    }
  }
}
