package io.millrace.control.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.protocol.BlobGateway;
import io.millrace.protocol.BlobGateway.BlobPart;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.rpc.Address;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlobServerTest {
  private final ManualEnv env = new ManualEnv();
  private final InProcessNetwork network = new InProcessNetwork();
  private final MemoryBlobStore blobs = new MemoryBlobStore();
  private final BlobGateway gateway =
      new Rpc(env, network.join("worker"), Duration.ofSeconds(10))
          .gateway(
              BlobGateway.class,
              new Address("jobmanager", BlobGateway.NAME),
              Optional.empty(),
              env.mailbox("test"));

  @BeforeEach
  void serve() {
    new BlobServer(new Rpc(env, network.join("jobmanager"), Duration.ofSeconds(10)), blobs).start();
    env.settle();
  }

  @Test
  void servesABlobInParts() {
    byte[] content = new byte[BlobGateway.PART + 1000];
    new Random(1).nextBytes(content);
    Bytes blob = Bytes.wrap(content);
    BlobKey key = blobs.put(blob);
    BlobPart first = read(key, 0).join();
    assertThat(first.total()).isEqualTo(blob.length());
    assertThat(first.content()).isEqualTo(blob.slice(0, BlobGateway.PART));
    BlobPart second = read(key, BlobGateway.PART).join();
    assertThat(second.content()).isEqualTo(blob.slice(BlobGateway.PART, blob.length()));
    assertThat(read(key, blob.length()).join().content()).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void failsForAMissingBlob() {
    CompletableFuture<BlobPart> missing = read(BlobKey.of(Bytes.EMPTY), 0);
    assertThatThrownBy(missing::join).hasMessageContaining("There is no blob");
  }

  @Test
  void rejectsANegativeOffset() {
    CompletableFuture<BlobPart> negative = read(blobs.put(Bytes.utf8("x")), -1);
    assertThatThrownBy(negative::join).hasMessageContaining("offset -1");
  }

  private CompletableFuture<BlobPart> read(BlobKey key, long offset) {
    CompletableFuture<BlobPart> answer = gateway.readBlob(new ReadBlob(key, offset));
    env.settle();
    return answer;
  }
}
