package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.ha.LeaderRecord;
import io.millrace.ha.zookeeper.nodes.NodeCoordinator;
import io.millrace.ha.zookeeper.nodes.PeerConnections;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections to ports of this machine. */
class TcpPeersTest {
  private final TcpPeers peers = new TcpPeers(Duration.ofSeconds(30));
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private final PeerConnections.Listener listener =
      new PeerConnections.Listener() {
        @Override
        public void connected() {
          events.add("connected");
        }

        @Override
        public void refused() {
          events.add("refused");
        }

        @Override
        public void unanswered() {
          events.add("unanswered");
        }

        @Override
        public void broken() {
          events.add("broken");
        }
      };
  private ListeningPorts ports;
  private String address;

  @BeforeEach
  void listen() throws IOException {
    ports = new ListeningPorts();
    LeaderRecord both = ports.address();
    address = both.rpc() + NodeCoordinator.SEPARATOR + both.rest();
  }

  @AfterEach
  void close() throws IOException {
    ports.close();
  }

  private void expect(String event) throws InterruptedException {
    assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo(event);
  }

  /** Waits for the end of all threads that watch an address. No event follows. */
  private static void awaitEnd(String watched) throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().endsWith(watched)) {
        thread.join(60_000);
        assertThat(thread.isAlive()).isFalse();
      }
    }
  }

  @Test
  void endOfTheProcessBreaksTheConnection() throws Exception {
    peers.connect(address, listener);
    expect("connected");

    ports.awaitConnection().close();

    expect("broken");
    awaitEnd(address);
    assertThat(events).isEmpty();
  }

  @Test
  void whatTheOtherProcessSendsIsIgnored() throws Exception {
    peers.connect(address, listener);
    expect("connected");
    Socket other = ports.awaitConnection();

    other.getOutputStream().write(new byte[100_000]);
    other.close();

    expect("broken");
  }

  @Test
  void connectionThatIsResetIsBroken() throws Exception {
    peers.connect(address, listener);
    expect("connected");
    Socket other = ports.awaitConnection();

    other.setSoLinger(true, 0);
    other.close();

    expect("broken");
  }

  @Test
  void closedPortRefuses() throws Exception {
    ports.close();

    peers.connect(address, listener);

    expect("refused");
    awaitEnd(address);
    assertThat(events).isEmpty();
  }

  /** A process whose RPC port accepts is alive, whatever its REST server does. */
  @Test
  void closedRestPortAloneIsNoRefusal() throws Exception {
    ports.closeRest();

    peers.connect(address, listener);

    expect("unanswered");
  }

  /** Whoever may create contenders names their addresses. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",",
        "nothing",
        "nothing,nothing",
        ":,:",
        "127.0.0.1:x,127.0.0.1:y",
        "127.0.0.1:65536,127.0.0.1:1",
        "127.0.0.1:-1,127.0.0.1:1",
        "127.0.0.1:99999999999,127.0.0.1:1",
        "host.invalid:1,host.invalid:2"
      })
  void textThatIsNoAddressIsUnanswered(String text) throws Exception {
    peers.connect(text, listener);

    expect("unanswered");
  }

  @Test
  void restAddressThatIsNoneIsUnanswered() throws Exception {
    peers.connect(ports.address().rpc() + NodeCoordinator.SEPARATOR + "127.0.0.1:x", listener);

    expect("unanswered");
  }

  @Test
  void closedConnectionEndsItsThreadWithoutAnEvent() throws Exception {
    PeerConnections.Connection connection = peers.connect(address, listener);
    expect("connected");
    Socket other = ports.awaitConnection();

    connection.close();

    assertThat(other.getInputStream().read()).as("the other process sees the end").isEqualTo(-1);
    awaitEnd(address);
    assertThat(events).isEmpty();
  }

  @Test
  void connectionsToOneAddressAreIndependent() throws Exception {
    PeerConnections.Connection first = peers.connect(address, listener);
    expect("connected");
    ports.awaitConnection();
    peers.connect(address, listener);
    expect("connected");
    Socket second = ports.awaitConnection();

    first.close();
    second.close();

    expect("broken");
    awaitEnd(address);
    assertThat(events).isEmpty();
  }
}
