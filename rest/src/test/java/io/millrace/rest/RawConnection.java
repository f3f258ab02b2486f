package io.millrace.rest;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A socket to the server, for what no HTTP client would send. */
final class RawConnection implements AutoCloseable {
  private final Socket socket;

  RawConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
  }

  /** Repeats a part until the server answers or hangs up; what it answered, up to its end. */
  String sendUntilAnswered(String part) throws IOException {
    try {
      for (int i = 0; i < 1000 && socket.getInputStream().available() == 0; i++) {
        send(part);
      }
    } catch (SocketException e) {
      // It hung up on us; what it said before may still be read.
      return answer();
    }
    return answer();
  }

  /** The next line of an answer; waits for it. */
  String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = socket.getInputStream().read(); next >= 0 && next != '\n'; ) {
      line.append((char) next);
      next = socket.getInputStream().read();
    }
    return line.toString();
  }

  /** Everything until the server closes the connection. */
  String answer() throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder text = new StringBuilder();
    byte[] part = new byte[8192];
    try {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        text.append(new String(part, 0, n, StandardCharsets.ISO_8859_1));
      }
    } catch (SocketException e) {
      // A reset is an end, too.
      return text.toString();
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
