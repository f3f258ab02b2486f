package io.millrace.rest;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The table of TCP sockets of Linux, {@code /proc/net/tcp} and {@code tcp6}, which names the users
 * of the two sockets of a connection within this machine. Methods block.
 *
 * <p>An IPv6 socket that is connected with an IPv4 address is in the second file as {@code
 * ::ffff:a.b.c.d}, while the other socket of the connection may be in the first. So both files are
 * read, and addresses are compared after mapping.
 */
final class SocketTable {
  private static final String TIME_WAIT = "06";
  private static final String NO_INODE = "0";

  /** Columns of a row. The two queue sizes share a column, and so do the timer fields. */
  private static final int LOCAL = 1;

  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int UID = 7;
  private static final int INODE = 9;
  private static final int COLUMNS = 10;

  private final Path proc;

  /**
   * @param proc the mount point of procfs
   */
  SocketTable(Path proc) {
    this.proc = proc;
  }

  /**
   * The two ends of a connection.
   *
   * @param client address of the socket that connected
   * @param server address of the socket that listened
   */
  record Connection(InetAddress client, int clientPort, InetAddress server, int serverPort) {
    private Connection reversed() {
      return new Connection(server, serverPort, client, clientPort);
    }
  }

  /** The effective user of this process. */
  long ownUser() {
    try {
      for (String line : Files.readAllLines(proc.resolve("self/status"))) {
        if (line.startsWith("Uid:")) {
          return Long.parseLong(line.split("\\s+")[2]);
        }
      }
      throw new IOException("it has no line Uid");
    } catch (IOException | RuntimeException e) {
      throw unavailable("self/status", e);
    }
  }

  /** The user that represents all users that a user namespace does not map. */
  OptionalLong overflowUser() {
    try {
      return OptionalLong.of(
          Long.parseLong(Files.readString(proc.resolve("sys/kernel/overflowuid")).strip()));
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** Fails if the table cannot be read. */
  void check() {
    try (BufferedReader reader = open("tcp")) {
      if (reader.readLine() == null) {
        throw new IOException("it is empty");
      }
    } catch (IOException e) {
      throw unavailable("net/tcp", e);
    }
  }

  private MillraceException unavailable(String file, Exception cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL, proc.resolve(file) + " cannot be read: " + cause.getMessage(), cause);
  }

  /**
   * The users that own the client sockets of connections. The result lacks connections whose owner
   * is not known: the client socket or the server socket is closed. The kernel shows user 0 for
   * sockets without a process, so these are ignored.
   */
  Map<Connection, Long> owners(Collection<Connection> connections) throws IOException {
    Set<Connection> clients = new LinkedHashSet<>(connections);
    Set<Connection> servers = new LinkedHashSet<>();
    Set<String> ports = new LinkedHashSet<>();
    for (Connection connection : connections) {
      servers.add(connection.reversed());
      ports.add(String.format(Locale.ROOT, ":%04X ", connection.serverPort()));
    }
    Map<Connection, Long> owners = new LinkedHashMap<>();
    Set<Connection> open = new LinkedHashSet<>();
    for (String file : List.of("tcp", "tcp6")) {
      for (String[] row : rows(file, ports)) {
        if (row[STATE].equals(TIME_WAIT) || row[INODE].equals(NO_INODE)) {
          continue;
        }
        Connection found = connection(row[LOCAL], row[REMOTE]);
        if (clients.contains(found)) {
          owners.put(found, Long.parseLong(row[UID]));
        }
        if (servers.contains(found)) {
          open.add(found.reversed());
        }
      }
    }
    // If the server socket is closed, another user may have the port of the client already.
    owners.keySet().retainAll(open);
    return owners;
  }

  private List<String[]> rows(String file, Set<String> ports) throws IOException {
    List<String[]> rows = new ArrayList<>();
    try (BufferedReader reader = open(file)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (ports.stream().anyMatch(line::contains)) {
          String[] columns = line.strip().split("\\s+");
          if (columns.length >= COLUMNS) {
            rows.add(columns);
          }
        }
      }
    } catch (NoSuchFileException e) {
      // A kernel without IPv6 has only the first file, and check() ensures that one.
      return rows;
    }
    return rows;
  }

  private BufferedReader open(String file) throws IOException {
    return Files.newBufferedReader(proc.resolve("net").resolve(file), StandardCharsets.ISO_8859_1);
  }

  private static Connection connection(String local, String remote) throws IOException {
    try {
      return new Connection(address(local), port(local), address(remote), port(remote));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "The socket table has an invalid row for " + local + " and " + remote, e);
    }
  }

  /**
   * Decodes words of 32 bits in native byte order. A mapped IPv4 address becomes an IPv4 address.
   */
  private static InetAddress address(String text) throws UnknownHostException {
    byte[] bytes = HexFormat.of().parseHex(text, 0, text.indexOf(':'));
    if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
      for (int word = 0; word < bytes.length; word += 4) {
        swap(bytes, word, word + 3);
        swap(bytes, word + 1, word + 2);
      }
    }
    return InetAddress.getByAddress(bytes);
  }

  private static void swap(byte[] bytes, int left, int right) {
    byte kept = bytes[left];
    bytes[left] = bytes[right];
    bytes[right] = kept;
  }

  private static int port(String text) {
    return Integer.parseInt(text, text.indexOf(':') + 1, text.length(), 16);
  }
}
