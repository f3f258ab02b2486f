package io.millrace.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A server that reads one HTTP request and answers with given bytes, also with bytes that no HTTP
 * server would send.
 */
final class RawServer implements AutoCloseable {
  private final ServerSocket socket;
  private final CompletableFuture<String> request = new CompletableFuture<>();
  private final CompletableFuture<Void> release = new CompletableFuture<>();

  private RawServer(byte[] answer, boolean waits) throws IOException {
    socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(() -> serve(answer, waits), "raw-server");
    thread.setDaemon(true);
    thread.start();
  }

  /** Answers with these characters, and closes the connection. */
  static RawServer answering(String answer) throws IOException {
    return new RawServer(answer.getBytes(StandardCharsets.ISO_8859_1), false);
  }

  /** Sends these characters, and then nothing until it is closed. */
  static RawServer stoppingAfter(String beginning) throws IOException {
    return new RawServer(beginning.getBytes(StandardCharsets.ISO_8859_1), true);
  }

  private void serve(byte[] answer, boolean waits) {
    try (Socket connection = socket.accept()) {
      request.complete(read(connection.getInputStream()));
      connection.getOutputStream().write(answer);
      connection.getOutputStream().flush();
      if (waits) {
        release.join();
      }
    } catch (IOException e) {
      request.completeExceptionally(e);
    }
  }

  private static String read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("The request ends before its body");
      }
      head.write(next);
    }
    String text = head.toString(StandardCharsets.ISO_8859_1);
    int length =
        text.lines()
            .map(line -> line.toLowerCase(Locale.ROOT))
            .filter(line -> line.startsWith("content-length:"))
            .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
            .findFirst()
            .orElse(0);
    return text + new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
  }

  HostPort address() {
    return new HostPort("127.0.0.1", socket.getLocalPort());
  }

  /** The request with its head and body. */
  String request() throws Exception {
    return request.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    release.complete(null);
    socket.close();
  }
}
