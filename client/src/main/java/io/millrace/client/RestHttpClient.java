package io.millrace.client;

import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.error.MillraceException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The part of HTTP/1.1 that a REST client needs, with one connection per request. A JobManager that
 * does not lead redirects to the one that does, which gets the further requests, too. Of the two
 * clients of the JDK, the old one cannot send PATCH, and the new one starts threads and adds a
 * tenth of a second to each command.
 */
final class RestHttpClient {
  private static final int MAX_LINE = 64 * 1024;
  private static final int REDIRECT = 307;
  private static final int MAX_REDIRECTS = 3;

  private final ClusterAddress cluster;
  private final Duration connectTimeout;

  /** The JobManager that answered last. */
  private volatile HostPort leader;

  RestHttpClient(ClusterAddress cluster, Duration connectTimeout) {
    this.leader = cluster.rest();
    this.cluster = cluster;
    this.connectTimeout = connectTimeout;
  }

  HostPort leader() {
    return leader;
  }

  /**
   * @param headers by name in lower case
   */
  record Response(int status, Map<String, String> headers, byte[] body) {
    String header(String name) {
      return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
    }
  }

  /** The body of a request. */
  interface Body {
    Body NONE = new Body() {};

    static Body json(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return new Body() {
        @Override
        public long length() {
          return bytes.length;
        }

        @Override
        public String type() {
          return "application/json";
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
          out.write(bytes);
        }
      };
    }

    static Body bytes(byte[] bytes) {
      return new Body() {
        @Override
        public long length() {
          return bytes.length;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
          out.write(bytes);
        }
      };
    }

    static Body file(Path file) throws IOException {
      long size = Files.size(file);
      return new Body() {
        @Override
        public long length() {
          return size;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
          Files.copy(file, out);
        }
      };
    }

    default long length() {
      return 0;
    }

    default String type() {
      return "application/octet-stream";
    }

    default void writeTo(OutputStream out) throws IOException {}
  }

  /**
   * @param readTimeout how long a read may wait for bytes of the answer
   */
  Response send(String method, String path, Body body, Duration readTimeout) throws IOException {
    HostPort server = leader;
    int redirects = 0;
    while (true) {
      try {
        Response response = send(server, method, path, body, readTimeout);
        if (response.status() != REDIRECT || redirects == MAX_REDIRECTS) {
          leader = server;
          return response;
        }
        redirects++;
        server = location(response);
      } catch (ConnectException e) {
        // The request was not sent. The given JobManager knows the next leader.
        if (server.equals(cluster.rest()) || redirects > 0) {
          leader = cluster.rest();
          throw e;
        }
        server = cluster.rest();
      } catch (IOException e) {
        leader = cluster.rest();
        throw e;
      }
    }
  }

  /** The settings of TLS are those of the cluster, whatever the scheme of the URL is. */
  private static HostPort location(Response redirect) throws IOException {
    try {
      URI url = URI.create(redirect.header("Location"));
      return HostPort.parse(url.getHost() + ":" + url.getPort());
    } catch (IllegalArgumentException | MillraceException e) {
      throw new IOException("it redirected to no JobManager: " + redirect.header("Location"), e);
    }
  }

  private Response send(
      HostPort server, String method, String path, Body body, Duration readTimeout)
      throws IOException {
    try (Socket connection = new Socket()) {
      connection.setTcpNoDelay(true);
      connection.connect(
          new InetSocketAddress(server.host(), server.port()), (int) connectTimeout.toMillis());
      connection.setSoTimeout((int) Math.min(Integer.MAX_VALUE, readTimeout.toMillis()));
      Socket socket =
          cluster.tls().isPresent()
              ? cluster.tls().get().over(connection, server.host(), server.port())
              : connection;
      OutputStream out = socket.getOutputStream();
      out.write(head(server, method, path, body).getBytes(StandardCharsets.US_ASCII));
      body.writeTo(out);
      out.flush();
      return receive(new BufferedInputStream(socket.getInputStream()), method);
    }
  }

  private String head(HostPort server, String method, String path, Body body) {
    StringBuilder head = new StringBuilder();
    head.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(server).append("\r\n");
    head.append("Accept: application/json, application/octet-stream\r\n");
    head.append("Connection: close\r\n");
    cluster
        .token()
        .ifPresent(token -> head.append("Authorization: Bearer ").append(token).append("\r\n"));
    if (body != Body.NONE) {
      head.append("Content-Type: ").append(body.type()).append("\r\n");
      head.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  private Response receive(InputStream in, String method) throws IOException {
    in.mark(1);
    if (in.read() < 0 && cluster.tls().isEmpty()) {
      throw new EOFException(
          "it closed the connection without an answer. Does it serve over TLS ("
              + RestTlsOptions.ENABLED.key()
              + ")?");
    }
    in.reset();
    String[] status = line(in).split(" ", 3);
    if (status.length < 2 || !status[0].startsWith("HTTP/1.") || status[1].length() != 3) {
      throw new NotHttpException();
    }
    int code = number(status[1], 10);
    Map<String, String> headers = new LinkedHashMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      if (colon < 1) {
        throw new NotHttpException();
      }
      headers.put(
          header.substring(0, colon).trim().toLowerCase(Locale.ROOT),
          header.substring(colon + 1).trim());
    }
    return new Response(code, headers, hasBody(method, code) ? body(in, headers) : new byte[0]);
  }

  private static boolean hasBody(String method, int code) {
    return !method.equals("HEAD") && code != 204 && code != 304;
  }

  private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
    String encoding = headers.getOrDefault("transfer-encoding", "").toLowerCase(Locale.ROOT);
    if (encoding.endsWith("chunked")) {
      return chunks(in);
    }
    String length = headers.get("content-length");
    return length == null ? in.readAllBytes() : exactly(in, number(length, 10));
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the answer ended after " + body.length + " of " + length + " bytes");
    }
    return body;
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int size = number(line(in).split(";", 2)[0].trim(), 16);
      if (size == 0) {
        return body.toByteArray();
      }
      body.write(exactly(in, size));
      line(in);
    }
  }

  private static int number(String digits, int radix) throws IOException {
    try {
      int number = Integer.parseInt(digits, radix);
      if (number < 0) {
        throw new NotHttpException();
      }
      return number;
    } catch (NumberFormatException e) {
      throw new NotHttpException();
    }
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection was closed before the answer was complete");
      }
      if (line.size() >= MAX_LINE) {
        throw new NotHttpException();
      }
      line.write(next);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  /** The server at this address does not speak HTTP. */
  static final class NotHttpException extends IOException {
    private static final long serialVersionUID = 1L;

    NotHttpException() {
      super("the server there does not speak HTTP");
    }
  }
}
