package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.rest.SocketTable.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rows have little-endian words, as on all supported machines. */
class SocketTableTest {
  private static final String HEADER = "  sl  local_address rem_address   st\n";
  private static final String CLIENT_V4 = "0100007F:C350";
  private static final String SERVER_V4 = "0100007F:1F91";
  private static final String CLIENT_MAPPED = "0000000000000000FFFF00000100007F:C350";
  private static final String SERVER_MAPPED = "0000000000000000FFFF00000100007F:1F91";
  private static final String CLIENT_V6 = "00000000000000000000000001000000:C350";
  private static final String SERVER_V6 = "00000000000000000000000001000000:1F91";

  @TempDir private Path proc;
  private SocketTable table;

  @BeforeEach
  void prepare() throws IOException {
    Files.createDirectories(proc.resolve("net"));
    Files.createDirectories(proc.resolve("self"));
    Files.createDirectories(proc.resolve("sys/kernel"));
    write("tcp", "");
    write("tcp6", "");
    table = new SocketTable(proc);
  }

  @ParameterizedTest
  @CsvSource({
    // The client's table and row, the server's, the address
    "tcp," + CLIENT_V4 + "," + SERVER_V4 + ",tcp," + SERVER_V4 + "," + CLIENT_V4 + ",127.0.0.1",
    "tcp,"
        + CLIENT_V4
        + ","
        + SERVER_V4
        + ",tcp6,"
        + SERVER_MAPPED
        + ","
        + CLIENT_MAPPED
        + ",127.0.0.1",
    "tcp6,"
        + CLIENT_MAPPED
        + ","
        + SERVER_MAPPED
        + ",tcp6,"
        + SERVER_MAPPED
        + ","
        + CLIENT_MAPPED
        + ",127.0.0.1",
    "tcp6," + CLIENT_V6 + "," + SERVER_V6 + ",tcp6," + SERVER_V6 + "," + CLIENT_V6 + ",::1",
  })
  void findsOwnerOfClientSocket(
      String clientTable,
      String clientLocal,
      String clientRemote,
      String serverTable,
      String serverLocal,
      String serverRemote,
      String address)
      throws IOException {
    append(clientTable, row(clientLocal, clientRemote, "01", 1234, 77));
    append(serverTable, row(serverLocal, serverRemote, "01", 5, 78));

    Connection connection = connection(address);

    assertThat(table.owners(List.of(connection))).containsOnly(Map.entry(connection, 1234L));
  }

  @Test
  void ignoresClosedClientSocket() throws IOException {
    String server = row(SERVER_V4, CLIENT_V4, "01", 5, 78);
    // The kernel shows user 0 for sockets without a process.
    write("tcp", row(CLIENT_V4, SERVER_V4, "06", 0, 0) + server);
    assertUnknown();
    write("tcp", row(CLIENT_V4, SERVER_V4, "04", 0, 0) + server);
    assertUnknown();
    write("tcp", row(CLIENT_V4, SERVER_V4, "06", 0, 77) + server);
    assertUnknown();
  }

  @Test
  void ignoresConnectionWithoutServerSocket() throws IOException {
    write("tcp", row(CLIENT_V4, SERVER_V4, "01", 5, 77));
    assertUnknown();
    // Another connection from the same port that the server has not accepted yet.
    write("tcp", row(CLIENT_V4, SERVER_V4, "01", 5, 77) + row(SERVER_V4, CLIENT_V4, "01", 5, 0));
    assertUnknown();
  }

  @Test
  void ignoresOtherConnections() throws IOException {
    write(
        "tcp",
        row(CLIENT_V4, "0100007F:1F92", "01", 5, 77)
            + row("0100007F:C351", SERVER_V4, "01", 5, 77)
            + row("0200007F:C350", SERVER_V4, "01", 5, 77)
            + row(CLIENT_V4, "0100000A:1F91", "01", 5, 77)
            + row(SERVER_V4, CLIENT_V4, "01", 5, 78)
            + row(SERVER_V4, "00000000:0000", "0A", 5, 79));
    assertUnknown();
  }

  @Test
  void findsOwnSocketsInKernelTable() throws IOException {
    SocketTable real = new SocketTable(Path.of("/proc"));
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort())) {
      Socket accepted = server.accept();
      Connection connection =
          new Connection(
              client.getLocalAddress(),
              client.getLocalPort(),
              client.getInetAddress(),
              client.getPort());
      assertThat(real.owners(List.of(connection))).containsEntry(connection, real.ownUser());
      accepted.setSoLinger(true, 0);
      accepted.close();
      assertThat(real.owners(List.of(connection))).isEmpty();
    }
  }

  @Test
  void readsTheEffectiveUser() throws IOException {
    Files.writeString(proc.resolve("self/status"), "Name:\tjava\nUid:\t1\t2\t3\t4\nGid:\t9\t9\n");
    assertThat(table.ownUser()).isEqualTo(2);
  }

  @Test
  void rejectsOverflowUser() throws IOException {
    Files.writeString(proc.resolve("self/status"), "Uid:\t65534\t65534\t65534\t65534\n");
    Files.writeString(proc.resolve("sys/kernel/overflowuid"), "65534\n");
    assertThat(table.overflowUser()).isEqualTo(OptionalLong.of(65534));
    assertThatThrownBy(() -> PeerAuthentication.of(table)).hasMessageContaining("65534");
  }

  /** As it happens while the process has no free file descriptor. */
  @Test
  void ownUserIsRecognizedWhenTheTableCanBeReadAgain() throws Exception {
    Files.writeString(proc.resolve("self/status"), "Uid:\t1234\t1234\t1234\t1234\n");
    Path tcp = proc.resolve("net/tcp");
    try (PeerAuthentication peers = PeerAuthentication.of(table)) {
      Files.delete(tcp);
      Files.createDirectory(tcp);
      InetAddress host = InetAddress.getLoopbackAddress();
      CompletableFuture<Boolean> own = new CompletableFuture<>();
      peers.lookUp(
          new InetSocketAddress(host, 50000), new InetSocketAddress(host, 8081), own::complete);
      while (!own.isDone() && !waitsForTable()) {
        Thread.onSpinWait();
      }
      assertThat(own).isNotDone();
      Files.delete(tcp);
      write(
          "tcp",
          row(CLIENT_V4, SERVER_V4, "01", 1234, 77) + row(SERVER_V4, CLIENT_V4, "01", 1234, 78));
      assertThat(own.get(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  private static boolean waitsForTable() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            thread ->
                thread.getName().equals("rest-peers")
                    && thread.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void reportsMissingTable() throws IOException {
    Files.delete(proc.resolve("net/tcp"));
    assertThatThrownBy(() -> PeerAuthentication.of(table)).hasMessageContaining("net/tcp");
  }

  private void assertUnknown() throws IOException {
    assertThat(table.owners(List.of(connection("127.0.0.1")))).isEmpty();
  }

  private static Connection connection(String address) throws IOException {
    InetAddress host = InetAddress.getByName(address);
    return new Connection(host, 50000, host, 8081);
  }

  private static String row(String local, String remote, String state, long uid, long inode) {
    return "   1: %s %s %s 00000000:00000000 00:00000000 00000000 %5d 0 %d 1 0000 20 4 30 10 -1\n"
        .formatted(local, remote, state, uid, inode);
  }

  private void write(String name, String rows) throws IOException {
    Files.writeString(proc.resolve("net").resolve(name), HEADER + rows);
  }

  private void append(String name, String row) throws IOException {
    Path file = proc.resolve("net").resolve(name);
    Files.writeString(file, Files.readString(file) + row);
  }
}
