package io.millrace.worker.blobcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.Failure;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.BlobGateway.ReadBlob;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.worker.testing.FakeBlobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlobCacheTest {
  private static final Bytes CONTENT = Bytes.utf8("a text that needs more than one part");

  @TempDir private Path temporary;
  private final ManualEnv env = new ManualEnv();
  private final InProcessNetwork network = new InProcessNetwork();
  private final FakeBlobs server =
      new FakeBlobs(new Rpc(env, network.join("jm"), Duration.ofSeconds(10)));
  private final Rpc rpc = new Rpc(env, network.join("tm"), Duration.ofSeconds(10));
  private final Mailbox mailbox = env.mailbox("test");
  private Path directory;
  private BlobCache cache;

  @BeforeEach
  void start() {
    directory = temporary.resolve("blobs");
    cache = new BlobCache(rpc, BlobCacheStore.inDirectory(directory));
    cache.fetchFrom(server.address());
    server.start();
    env.settle();
  }

  @Test
  @Behaviour(
      "F5: user jars come from the blob cache, verified by hash and deleted with the last lease")
  void fetchesBlobInPartsAndKeepsItAsFile() throws IOException {
    BlobKey key = server.put(CONTENT);
    BlobCache.Lease lease = cache.lease();

    env.answer(lease.fetch(key, mailbox));

    assertThat(lease.read(key)).isEqualTo(CONTENT);
    assertThat(lease.location(key)).isPresent();
    assertThat(server.reads).extracting(ReadBlob::offset).containsExactly(0L, 10L, 20L, 30L);
    try (var files = Files.list(directory)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void fetchesEmptyBlob() throws IOException {
    BlobKey key = server.put(Bytes.EMPTY);
    BlobCache.Lease lease = cache.lease();
    env.answer(lease.fetch(key, mailbox));
    assertThat(lease.read(key)).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void concurrentRequestsShareOneFetch() {
    BlobKey key = server.put(Bytes.utf8("short"));
    CompletableFuture<Void> first = cache.lease().fetch(key, mailbox);
    CompletableFuture<Void> second = cache.lease().fetch(key, mailbox);

    env.answer(first);
    env.answer(second);
    env.answer(cache.lease().fetch(key, mailbox));

    assertThat(server.reads).hasSize(1);
  }

  @Test
  @Behaviour(
      "F5: user jars come from the blob cache, verified by hash and deleted with the last lease")
  void deletesBlobWhenItsLastLeaseEnds() {
    BlobKey key = server.put(CONTENT);
    BlobCache.Lease first = cache.lease();
    BlobCache.Lease second = cache.lease();
    env.answer(first.fetch(key, mailbox));
    env.answer(second.fetch(key, mailbox));

    first.end();
    env.settle();
    assertThat(files()).isEqualTo(1);

    second.end();
    env.settle();
    assertThat(files()).isZero();
  }

  @Test
  void fetchesABlobAgainAfterItsDeletion() throws IOException {
    BlobKey key = server.put(CONTENT);
    BlobCache.Lease first = cache.lease();
    env.answer(first.fetch(key, mailbox));
    BlobCache.Lease second = cache.lease();

    env.ioTime = Duration.ofSeconds(1);
    first.end();
    env.settle();
    env.ioTime = Duration.ZERO;
    CompletableFuture<Void> fetched = second.fetch(key, mailbox);
    env.advance(Duration.ofSeconds(1));

    assertThat(fetched).isCompleted();
    assertThat(second.read(key)).isEqualTo(CONTENT);
  }

  @Test
  void fetchWithoutUsersLeavesNoFile() {
    BlobKey key = server.put(CONTENT);
    BlobCache.Lease lease = cache.lease();
    lease.fetch(key, mailbox);
    lease.end();
    env.settle();
    assertThat(files()).isZero();
  }

  @Test
  @Behaviour(
      "F5: user jars come from the blob cache, verified by hash and deleted with the last lease")
  void retriesAfterFailuresAndWrongBytes() throws IOException {
    BlobKey key = server.put(Bytes.utf8("short"));
    server.failures = 1;
    server.corruptions = 1;
    BlobCache.Lease lease = cache.lease();
    CompletableFuture<Void> fetched = lease.fetch(key, mailbox);

    env.advance(Duration.ofSeconds(1));

    assertThat(fetched).isCompleted();
    assertThat(lease.read(key)).isEqualTo(Bytes.utf8("short"));
    assertThat(server.reads).hasSize(3);
  }

  @Test
  void failsAfterSeveralAttemptsWithBlobAndServer() {
    BlobKey key = server.put(Bytes.utf8("short"));
    server.corruptions = 100;
    CompletableFuture<Void> fetched = cache.lease().fetch(key, mailbox);

    env.advance(Duration.ofSeconds(10));

    assertThatThrownBy(fetched::join)
        .extracting(Failure::unwrap)
        .extracting(Throwable::getMessage)
        .asString()
        .contains(key.toString(), "jm/blobs", "SHA-256", "4 attempts");
    assertThat(files()).isZero();
  }

  @Test
  void failedBlobCanBeFetchedAgain() {
    BlobKey key = BlobKey.of(CONTENT);
    CompletableFuture<Void> early = cache.lease().fetch(key, mailbox);
    env.advance(Duration.ofSeconds(10));
    assertThat(early).isCompletedExceptionally();

    server.put(CONTENT);
    env.answer(cache.lease().fetch(key, mailbox));
  }

  @Test
  void closeRemovesTheDirectory() {
    BlobKey key = server.put(CONTENT);
    env.answer(cache.lease().fetch(key, mailbox));
    env.answer(cache.close(mailbox));
    assertThat(directory).doesNotExist();
  }

  @Test
  void memoryStoreHasNoFiles() throws IOException {
    BlobKey key = server.put(CONTENT);
    BlobCache inMemory = new BlobCache(rpc, BlobCacheStore.inMemory());
    inMemory.fetchFrom(server.address());
    BlobCache.Lease lease = inMemory.lease();
    env.answer(lease.fetch(key, mailbox));
    assertThat(lease.read(key)).isEqualTo(CONTENT);
    assertThat(lease.location(key)).isEmpty();

    lease.end();
    env.settle();
    assertThatThrownBy(() -> lease.read(key)).isInstanceOf(IOException.class);
  }

  private long files() {
    if (!Files.exists(directory)) {
      return 0;
    }
    try (var files = Files.list(directory)) {
      return files.count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
