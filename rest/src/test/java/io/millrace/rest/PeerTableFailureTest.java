package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is answered if the table of sockets is missing, damaged or of another user. */
class PeerTableFailureTest {
  private static final String HEADER = "  sl  local_address rem_address   st\n";
  private static final String CLIENT = "0100007F:C350";
  private static final String SERVER = "0100007F:1F91";

  @TempDir private Path proc;

  @BeforeEach
  void prepare() throws IOException {
    Files.createDirectories(proc.resolve("net"));
    Files.createDirectories(proc.resolve("self"));
    Files.createDirectories(proc.resolve("sys/kernel"));
    Files.writeString(proc.resolve("net/tcp"), HEADER);
    Files.writeString(proc.resolve("self/status"), "Name:\tjava\nUid:\t5\t7\t7\t7\n");
    Files.writeString(proc.resolve("sys/kernel/overflowuid"), "65534\n");
  }

  private static String row(String local, String remote, String uid) {
    return "   0: "
        + local
        + " "
        + remote
        + " 01 00000000:00000000 00:00000000 00000000 "
        + uid
        + " 0 4711 1 0\n";
  }

  private void table(String... rows) throws IOException {
    Files.writeString(proc.resolve("net/tcp"), HEADER + String.join("", rows));
  }

  private boolean isOwn() throws Exception {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    try (PeerAuthentication peers = PeerAuthentication.of(new SocketTable(proc))) {
      peers.lookUp(
          new InetSocketAddress(loopback, 0xC350),
          new InetSocketAddress(loopback, 0x1F91),
          answer::complete);
      return answer.get(1, TimeUnit.MINUTES);
    }
  }

  /** The second number of the line is the effective user. */
  @Test
  void connectionOfTheOwnUserIsRecognised() throws Exception {
    table(row(CLIENT, SERVER, "7"), row(SERVER, CLIENT, "7"));
    assertThat(isOwn()).isTrue();
    table(row(CLIENT, SERVER, "5"), row(SERVER, CLIENT, "7"));
    assertThat(isOwn()).isFalse();
  }

  @Test
  void connectionThatIsNotInTheTableIsOfAnotherUser() throws Exception {
    assertThat(isOwn()).isFalse();
    table(row(CLIENT, SERVER, "7"));
    assertThat(isOwn()).as("the server side is closed").isFalse();
    table(row(SERVER, CLIENT, "7"));
    assertThat(isOwn()).isFalse();
  }

  @Test
  void damagedRowsNeverGrantAccess() throws Exception {
    for (String row :
        List.of(
            row(CLIENT, SERVER, "x"),
            row("0100007F", SERVER, "7"),
            row("01:C350", SERVER, "7"),
            row("ZZZZZZZZ:C350", SERVER, "7"),
            row(CLIENT, "0100007F:1F91F", "7"),
            "   0: 0100007F:C350 0100007F:1F91 01\n")) {
      table(row, row(SERVER, CLIENT, "7"));
      assertThat(isOwn()).as(row).isFalse();
    }
  }

  /** Mostly for lack of file descriptors; the table is read again for two seconds. */
  @Test
  void tableThatCannotBeReadGrantsNoAccess() throws Exception {
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    try (PeerAuthentication peers = PeerAuthentication.of(new SocketTable(proc))) {
      Files.delete(proc.resolve("net/tcp"));
      Files.createDirectory(proc.resolve("net/tcp"));
      peers.lookUp(
          new InetSocketAddress(loopback, 0xC350),
          new InetSocketAddress(loopback, 0x1F91),
          answer::complete);
      assertThat(answer.get(1, TimeUnit.MINUTES)).isFalse();
      // The next look-up starts another attempt, which succeeds.
      Files.delete(proc.resolve("net/tcp"));
      table(row(CLIENT, SERVER, "7"), row(SERVER, CLIENT, "7"));
      CompletableFuture<Boolean> next = new CompletableFuture<>();
      peers.lookUp(
          new InetSocketAddress(loopback, 0xC350),
          new InetSocketAddress(loopback, 0x1F91),
          next::complete);
      assertThat(next.get(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  private void assertUnavailable(String file) {
    assertThatThrownBy(() -> PeerAuthentication.of(new SocketTable(proc)))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.EXTERNAL))
        .hasMessageContaining(proc.resolve(file) + " cannot be read");
  }

  @Test
  void machineThatDoesNotShowSocketsIsRefused() throws IOException {
    Files.writeString(proc.resolve("net/tcp"), "");
    assertUnavailable("net/tcp");
    Files.delete(proc.resolve("net/tcp"));
    assertUnavailable("net/tcp");
  }

  @Test
  void unknownOwnUserIsRefused() throws IOException {
    for (String status : List.of("", "Name:\tjava\n", "Uid:\n", "Uid:\tx\ty\n")) {
      Files.writeString(proc.resolve("self/status"), status);
      assertUnavailable("self/status");
    }
    Files.delete(proc.resolve("self/status"));
    assertUnavailable("self/status");
  }

  /** The overflow user stands for all users that a namespace does not map. */
  @Test
  void overflowUserIsRefused() throws IOException {
    Files.writeString(proc.resolve("sys/kernel/overflowuid"), "7\n");
    assertThatThrownBy(() -> PeerAuthentication.of(new SocketTable(proc)))
        .hasMessageContaining("user 7 is also the overflow user");
    for (String other : List.of("", "none", "8")) {
      Files.writeString(proc.resolve("sys/kernel/overflowuid"), other);
      PeerAuthentication.of(new SocketTable(proc)).close();
    }
  }

  @Test
  void hostsOfAnOptionAreResolved() {
    assertThat(KnownAddresses.of(List.of())).isEmpty();
    assertThat(KnownAddresses.of(List.of("127.0.0.1", "::1", "10.1.2.3")))
        .containsExactly("127.0.0.1", "0:0:0:0:0:0:0:1", "10.1.2.3");
    assertThatThrownBy(() -> KnownAddresses.of(List.of("127.0.0.1", "[::1")))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("There is no host '[::1'");
  }
}
