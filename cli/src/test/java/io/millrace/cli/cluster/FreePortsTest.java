package io.millrace.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
      assertThatThrownBy(() -> ports.exactly(port, "REST", "--rest-port"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageStartingWith("Port " + port + " for REST cannot be used on 127.0.0.1: ")
          .hasMessageEndingWith(". Choose another one with --rest-port.");
      assertThat(ports.preferably(port)).isNotEqualTo(port).isPositive();
    }
  }

  @Test
  void freePortIsUsedAsItIs() {
    int free = ports.free();
    assertThat(ports.exactly(free, "REST", "--rest-port")).isEqualTo(free);
    assertThat(ports.preferably(free)).isEqualTo(free);
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
    assertThat(ports.exactly(0, "RPC", "--rpc-port")).isBetween(1, 65535);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65536, Integer.MAX_VALUE})
  void numberThatIsNoPortIsRefused(int port) {
    assertThatThrownBy(() -> ports.exactly(port, "REST", "--rest-port"))
        .hasMessage(port + " is not a port. Ports are numbers from 1 to 65535.");
  }

  @Test
  void unknownBindAddressIsRefusedWithItsOption() {
    assertThatThrownBy(() -> new FreePorts("no-such-host.invalid"))
        .isInstanceOf(MillraceException.class)
        .hasMessage(
            "The bind address 'no-such-host.invalid' cannot be resolved. Check rest.bind-address.");
  }
}
