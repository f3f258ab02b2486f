package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  private final FreePorts ports = new FreePorts("127.0.0.1");

  @AfterEach
  void close() {
    ports.close();
  }

  @Test
  void portInUseIsRefusedWithTheOptionThatChangesIt() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> ports.anyOf(given(String.valueOf(port))))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageStartingWith("Cannot listen on 127.0.0.1:" + port + " (--rest-port): ")
          .hasMessageContaining("set --rest-port to another port");
      assertThat(ports.preferably(port)).isNotEqualTo(port).isPositive();
    }
  }

  @Test
  void freePortIsUsedAsItIs() {
    int free = ports.free();
    ports.close();
    try (FreePorts others = new FreePorts("127.0.0.1")) {
      assertThat(others.anyOf(given(String.valueOf(free)))).isEqualTo(free);
    }
    try (FreePorts others = new FreePorts("127.0.0.1")) {
      assertThat(others.preferably(free)).isEqualTo(free);
    }
  }

  @Test
  void nextPortOfARangeIsTakenForOneThatIsInUseOrReserved() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int first = ports.free();
      int second = ports.free();
      ports.close();
      String list = taken.getLocalPort() + "," + first + "," + second;
      try (FreePorts others = new FreePorts("127.0.0.1")) {
        assertThat(others.anyOf(given(list))).isEqualTo(first);
        assertThat(others.anyOf(given(list))).isEqualTo(second);
        assertThatThrownBy(() -> others.anyOf(given(list)))
            .hasMessageStartingWith("None of the 3 ports " + list + " (--rest-port) can be bound");
      }
    }
  }

  @Test
  void reservedPortIsForAServerThatIsToldToUseIt() throws IOException {
    int port = ports.free();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try (ServerSocket other = new ServerSocket()) {
      other.setReuseAddress(false);
      assertThatThrownBy(() -> other.bind(address)).isInstanceOf(BindException.class);
    }
    try (ServerSocketChannel server = ServerSocketChannel.open().bind(address)) {
      ports.close();
      try (Socket client = new Socket(address.getAddress(), port);
          SocketChannel accepted = server.accept()) {
        assertThat(accepted.getRemoteAddress()).isEqualTo(client.getLocalSocketAddress());
      }
    }
  }

  @Test
  void zeroMeansAnyPort() {
    assertThat(ports.anyOf(given("0"))).isBetween(1, 65535);
  }

  private static BindPorts given(String ports) {
    return new BindPorts("--rest-port", PortRange.parse(ports), OptionalInt.empty());
  }

  @Test
  void unknownBindAddressIsRefusedWithItsOption() {
    assertThatThrownBy(() -> new FreePorts("no-such-host.invalid"))
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "The bind address 'no-such-host.invalid' cannot be resolved. Check rest.bind-address.");
  }
}
