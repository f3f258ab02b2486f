package io.millrace.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.id.JobId;
import io.millrace.core.secret.SecretProof;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Strangers, on either side of a data connection, learn nothing and get nothing. */
class HandshakeTest {
  private static final Bytes SECRET = Bytes.utf8("the secret of this cluster");
  private final JobId job = JobId.random(new Random(1));
  private final AtomicInteger asked = new AtomicInteger();
  private final DataTransport wire =
      new DataTransport(
          DataPort.loopback(0, SECRET),
          (job, number) -> {
            asked.incrementAndGet();
            return Optional.empty();
          });

  @AfterEach
  void close() {
    wire.close();
  }

  /** What the wire sends to whoever listens, from its HELLO on until it closes the connection. */
  private byte[] heardBy(ServerSocket listener, Answer answer) throws Exception {
    BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    wire.open(
        "127.0.0.1:" + listener.getLocalPort(),
        job,
        1,
        wire.pool().reserve(window -> 1).orElseThrow(),
        new OutboundStream.Listener() {
          @Override
          public void opened() {
            failures.add("opened");
          }

          @Override
          public void credit(int edge, int producer, int consumer, int count) {}

          @Override
          public void splitRequest(int edge, int producer, int consumer, long total) {}

          @Override
          public void failed(String why) {
            failures.add(why);
          }
        });
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    try (Socket socket = listener.accept()) {
      socket.setSoTimeout(20_000);
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] hello = new byte[in.readInt()];
      in.readFully(new byte[Frames.HEAD - 4]);
      in.readFully(hello);
      heard.write(hello);
      socket.getOutputStream().write(answer.to(hello));
      heard.write(in.readAllBytes());
    } catch (java.net.SocketException reset) {
      heard.write(new byte[0]);
    }
    String failure = failures.poll(60, TimeUnit.SECONDS);
    assertThat(failure).contains("127.0.0.1:" + listener.getLocalPort(), "is not connected");
    assertThat(heard.toString(StandardCharsets.ISO_8859_1))
        .doesNotContain(new String(SECRET.toArray(), StandardCharsets.ISO_8859_1));
    return heard.toByteArray();
  }

  private interface Answer {
    byte[] to(byte[] hello) throws IOException;
  }

  private static byte[] challenge(Bytes nonce, Bytes proof) {
    byte[] body = new byte[1 + nonce.length() + proof.length()];
    body[0] = Frames.CHALLENGE;
    System.arraycopy(nonce.unsafeArray(), 0, body, 1, nonce.length());
    System.arraycopy(proof.unsafeArray(), 0, body, 1 + nonce.length(), proof.length());
    return RawConnection.frame(body);
  }

  private static Bytes nonceOf(byte[] hello) {
    return Bytes.copyOf(hello, 6, 6 + SecretProof.NONCE_BYTES);
  }

  @Test
  void aRogueServerSeesNothingButAHello() throws Exception {
    Bytes nonce = SecretProof.nonce(new SecureRandom());
    for (Answer answer :
        List.<Answer>of(
            hello -> challenge(nonce, nonce),
            hello -> challenge(nonceOf(hello), nonceOf(hello)),
            hello -> challenge(nonce, Bytes.EMPTY),
            hello -> RawConnection.frame(new byte[] {Frames.OPENED, 0, 0, 0, 1}),
            hello -> RawConnection.frame(new byte[] {Frames.CREDIT}),
            hello -> new byte[] {0x7f, 0, 0, 0, 1})) {
      try (ServerSocket rogue = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
        byte[] heard = heardBy(rogue, answer);
        String address = "127.0.0.1:" + rogue.getLocalPort();
        assertThat(heard)
            .hasSize(6 + SecretProof.NONCE_BYTES + 2 + wire.address().length() + address.length());
      }
    }
  }

  /** One who listens elsewhere and lets a true host of the cluster answer for it. */
  @Test
  void aProofCannotBePassedOn() throws Exception {
    try (DataTransport truth =
            new DataTransport(DataPort.loopback(0, SECRET), (job, number) -> Optional.empty());
        ServerSocket rogue = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      try (RawConnection between = new RawConnection(truth.address())) {
        byte[] heard =
            heardBy(
                rogue,
                hello -> {
                  between.send(
                      RawConnection.hello(nonceOf(hello), wire.address(), truth.address()));
                  return RawConnection.frame(between.next());
                });
        assertThat(heard[0]).isEqualTo(Frames.HELLO);
        assertThat(heard.length).isLessThan(128);
      }
      try (RawConnection asItCame = new RawConnection(truth.address())) {
        asItCame.send(
            RawConnection.hello(
                asItCame.nonce, wire.address(), "127.0.0.1:" + rogue.getLocalPort()));
        assertThat(asItCame.rest()).isEmpty();
      }
    }
  }

  @Test
  void aRogueClientLearnsNothingAndOpensNothing() throws Exception {
    for (int attempt = 0; attempt < 6; attempt++) {
      try (RawConnection rogue = new RawConnection(wire.address())) {
        rogue.hello();
        assertThat(rogue.calledProof.length()).isEqualTo(SecretProof.BYTES);
        assertThat(rogue.calledProof).isNotEqualTo(SECRET);
        byte[] shown =
            switch (attempt) {
              case 0 -> RawConnection.shown(Bytes.EMPTY);
              case 1 -> RawConnection.shown(rogue.calledProof);
              case 2 -> RawConnection.shown(rogue.calledNonce);
              case 3 -> rogue.proof(Bytes.utf8("the secret of that cluster"));
              case 4 -> RawConnection.frame(new byte[0]);
              default -> RawConnection.hello(rogue.nonce, RawConnection.ADDRESS, wire.address());
            };
        rogue.send(shown, open());
        assertThat(rogue.rest()).isEmpty();
      }
    }
    assertThat(asked).hasValue(0);
  }

  private byte[] open() {
    byte[] body = new byte[29];
    body[0] = Frames.OPEN;
    return RawConnection.frame(body);
  }

  @Test
  void aProofIsWorthNothingOnAnotherConnection() throws Exception {
    byte[] proof;
    Bytes nonce;
    try (RawConnection first = new RawConnection(wire.address())) {
      first.hello();
      proof = first.proof(SECRET);
      nonce = first.nonce;
    }
    try (RawConnection second = new RawConnection(wire.address())) {
      second.hello(nonce);
      second.send(proof, open());
      assertThat(second.rest()).isEmpty();
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void aProofForTheRpcIsNoneHere() throws Exception {
    try (RawConnection connection = new RawConnection(wire.address())) {
      connection.hello();
      SecretProof.Meeting rpc =
          new SecretProof.Meeting(
              "millrace.Rpc",
              Frames.VERSION,
              RawConnection.ADDRESS,
              wire.address(),
              connection.nonce,
              connection.calledNonce);
      connection.send(
          RawConnection.shown(SecretProof.of(SECRET, SecretProof.Side.CALLER, rpc)), open());
      assertThat(connection.rest()).isEmpty();
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void refusesAGreetingThatMakesNoSense() throws Exception {
    Bytes nonce = SecretProof.nonce(new SecureRandom());
    for (byte[] hello :
        List.of(
            RawConnection.hello(nonce.slice(0, 5), "127.0.0.1:1", wire.address()),
            RawConnection.hello(nonce, "", wire.address()),
            RawConnection.hello(nonce, "a:1\nINFO b", wire.address()),
            RawConnection.hello(nonce, "127.0.0.1:1", "127.0.0.1:1"),
            RawConnection.hello(nonce, "127.0.0.1:1", ""))) {
      try (RawConnection connection = new RawConnection(wire.address())) {
        connection.send(hello);
        assertThat(connection.rest()).isEmpty();
      }
    }
  }
}
