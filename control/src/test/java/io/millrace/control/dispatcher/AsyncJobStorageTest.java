package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.testing.FragileStore;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.core.testing.Behaviour;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.Messages;
import io.millrace.protocol.StoredJob;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two jobs with the same jar: one ends while the other is submitted. */
class AsyncJobStorageTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final RecordCodec codec = RecordCodec.of(Messages.table());
  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("dispatcher");
  private final MemoryBlobStore blobs = new MemoryBlobStore();
  private final FragileStore store = new FragileStore();
  private final AsyncJobStorage storage =
      new AsyncJobStorage(
          new JobStorage(
              blobs,
              store,
              new FileCheckpointStorage(FileSystems.withoutPlugins()),
              ArchiveTargets.NONE,
              codec),
          1,
          Integer.MAX_VALUE,
          env,
          mailbox);
  private final BlobKey jar = blobs.put(Bytes.utf8("classes"));
  private final SubmitJob ending = upload(new Graphs(1));
  private final SubmitJob submitted = upload(new Graphs(2));

  private CompletableFuture<?> accepted;
  private CompletableFuture<Acknowledge> removed;

  @BeforeEach
  void acceptFirstJob() {
    env.in(mailbox, () -> accepted = storage.accept(ending));
    assertThat(accepted).isCompleted();
  }

  @Test
  @Behaviour(
      "C3: the graph and the jars of an ended job are removed, with retries, unless another job"
          + " needs them")
  void keepsBlobsOfAJobThatIsBeingAccepted() {
    env.ioTime = SECOND;
    env.in(
        mailbox,
        () -> {
          accepted = storage.accept(submitted);
          removed = storage.forget(ending.job());
        });
    env.advance(SECOND.multipliedBy(3));

    assertThat(accepted).isCompleted();
    assertThat(removed).isCompleted();
    assertThat(blobs.contains(jar)).isTrue();
    assertThat(blobs.contains(ending.graph())).isFalse();
    assertThat(stored()).containsExactly(submitted);
  }

  @Test
  @Behaviour(
      "C3: the graph and the jars of an ended job are removed, with retries, unless another job"
          + " needs them")
  void rejectsAJobWhoseJarIsBeingRemoved() {
    env.ioTime = SECOND.multipliedBy(2);
    env.in(mailbox, () -> removed = storage.forget(ending.job()));
    env.ioTime = SECOND;
    env.in(mailbox, () -> accepted = storage.accept(submitted));
    env.advance(SECOND.multipliedBy(3));

    assertThat(removed).isCompleted();
    assertThat(blobs.contains(jar)).isFalse();
    assertThatThrownBy(() -> env.answer(accepted))
        .hasMessageContaining("'job.jar'")
        .hasMessageContaining("Upload it and submit again.");
    assertThat(stored()).isEmpty();
  }

  @Test
  @Behaviour(
      "C3: the graph and the jars of an ended job are removed, with retries, unless another job"
          + " needs them")
  void removesAJobWhenTheStorageIsBackAfterALongTime() {
    store.unreadable = key -> true;
    env.in(mailbox, () -> removed = storage.forget(ending.job()));
    env.advance(Duration.ofMinutes(10));
    assertThat(removed).isNotDone();

    store.unreadable = key -> false;
    env.advance(Duration.ofMinutes(1));

    assertThat(removed).isCompleted();
    assertThat(stored()).isEmpty();
    assertThat(blobs.contains(ending.graph())).isFalse();
  }

  /** The write happened, and the next leader may recover the job. */
  @Test
  @Behaviour("C3: a job whose storing had an unclear outcome keeps its graph and its jars")
  void keepsBlobsOfAJobThatMayBeStored() {
    store.failAfterWrite = true;
    env.in(mailbox, () -> accepted = storage.accept(submitted));
    assertThat(accepted).isCompletedExceptionally();

    env.in(mailbox, () -> removed = storage.forget(ending.job()));
    env.in(mailbox, () -> storage.discard(submitted.graph()));

    assertThat(removed).isCompleted();
    assertThat(stored()).containsExactly(submitted);
    assertThat(blobs.contains(jar)).isTrue();
    assertThat(blobs.contains(submitted.graph())).isTrue();
  }

  @Test
  void keepsBlobsWhileItCannotBeFoundOutWhetherAJobIsStored() {
    store.failAfterWrite = true;
    store.afterFailedWrite = () -> store.unreadable = key -> key.startsWith("jobs/");
    env.in(mailbox, () -> accepted = storage.accept(submitted));
    assertThat(accepted).isCompletedExceptionally();

    env.advance(Duration.ofMinutes(1));
    store.unreadable = key -> false;
    env.in(mailbox, () -> removed = storage.forget(ending.job()));

    assertThat(removed).isCompleted();
    assertThat(blobs.contains(jar)).isTrue();
  }

  @Test
  void removesBlobsOfAJobThatWasNotStored() {
    store.failWrites = true;
    env.in(mailbox, () -> accepted = storage.accept(submitted));
    assertThat(accepted).isCompletedExceptionally();
    store.failWrites = false;

    env.in(mailbox, () -> removed = storage.forget(ending.job()));
    assertThat(blobs.contains(jar)).isFalse();

    assertThat(blobs.contains(submitted.graph())).isTrue();
    env.in(mailbox, storage::clearUnused);
    env.in(mailbox, storage::clearUnused);
    assertThat(blobs.contains(submitted.graph())).isFalse();
  }

  /** A client may submit a job again that has ended and is not removed yet. */
  @Test
  void keepsTheGraphOfAStoredJobThatIsSubmittedAgain() {
    env.in(mailbox, () -> storage.discard(ending.graph()));
    assertThat(blobs.contains(ending.graph())).isTrue();

    env.in(mailbox, () -> removed = storage.forget(ending.job()));
    assertThat(blobs.contains(ending.graph())).isFalse();
  }

  private SubmitJob upload(Graphs graphs) {
    JobGraph graph = graphs.vertex("x", 1).build().withJars(List.of(new JarFile("job.jar", jar)));
    return new SubmitJob(graph.id(), blobs.put(Bytes.wrap(codec.encode(graph))));
  }

  private List<SubmitJob> stored() {
    return new JobStore(store, codec).all().stream().map(StoredJob::submission).toList();
  }
}
