package io.millrace.rest;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** A socket to the server, for bytes that no HTTP client would send. */
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

  /** Sends a part repeatedly until the server responds or closes; returns the whole response. */
  String sendUntilAnswered(String part) throws IOException {
    try {
      for (int i = 0; i < 1000 && socket.getInputStream().available() == 0; i++) {
        send(part);
      }
    } catch (SocketException e) {
      // The server closed the connection. Its response may still be readable.
      return answer();
    }
    return answer();
  }

  /** Waits for the next line of the response. */
  String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = socket.getInputStream().read(); next >= 0 && next != '\n'; ) {
      line.append((char) next);
      next = socket.getInputStream().read();
    }
    return line.toString();
  }

  /** All bytes until the server closes the connection. */
  String answer() throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder text = new StringBuilder();
    byte[] part = new byte[8192];
    try {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        text.append(new String(part, 0, n, StandardCharsets.ISO_8859_1));
      }
    } catch (SocketException e) {
      // A reset ends the response, too.
      return text.toString();
    }
    return text.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
