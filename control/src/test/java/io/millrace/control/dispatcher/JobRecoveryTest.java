package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.BlobStore;
import io.millrace.control.blob.MemoryBlobStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobRecoveryTest {
  private static final int JOBS = 160;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final RecordCodec codec = RecordCodec.of(Messages.table());
  private final ManualEnv env = new ManualEnv();
  private final Mailbox mailbox = env.mailbox("test");
  private final BlobStore blobs = new MemoryBlobStore();
  private final JobStorage storage =
      new JobStorage(
          blobs,
          new MemoryHaStore(),
          new FileCheckpointStorage(FileSystems.withoutPlugins()),
          ArchiveTargets.NONE,
          codec);
  private final List<SubmitJob> submitted = new ArrayList<>();

  @BeforeEach
  void storeJobs() throws IOException {
    for (int i = 1; i <= JOBS; i++) {
      JobGraph graph = new Graphs(i).vertex("source", 1).build();
      SubmitJob job = new SubmitJob(graph.id(), blobs.put(Bytes.wrap(codec.encode(graph))));
      storage.store(job, graph, 1);
      submitted.add(job);
    }
    env.ioTime = SECOND;
  }

  private CompletableFuture<JobStorage.Recovery> recover() {
    CompletableFuture<JobStorage.Recovery> recovered = new CompletableFuture<>();
    mailbox.post(
        () ->
            new JobRecovery(storage, env, mailbox)
                .run(2)
                .whenComplete(
                    (recovery, failure) -> {
                      if (failure != null) {
                        recovered.completeExceptionally(failure);
                      } else {
                        recovered.complete(recovery);
                      }
                    }));
    return recovered;
  }

  @Test
  void readsGraphsInParallelAndReturnsJobsInTheirOrder() {
    CompletableFuture<JobStorage.Recovery> recovered = recover();

    env.advance(SECOND.multipliedBy(JOBS / 8));

    List<JobId> found =
        recovered.join().jobs().stream().map(job -> job.graph().orElseThrow().id()).toList();
    assertThat(found)
        .containsExactlyElementsOf(
            submitted.stream().map(SubmitJob::job).sorted(JobRecoveryTest::byName).toList());
  }

  private static int byName(JobId one, JobId other) {
    return one.toString().compareTo(other.toString());
  }

  /** Another process can try. A job that is left out would be lost. */
  @Test
  void failsAsAWholeIfOneGraphCannotBeRead() throws IOException {
    blobs.delete(submitted.get(JOBS / 2).graph());
    CompletableFuture<JobStorage.Recovery> recovered = recover();

    env.advance(SECOND.multipliedBy(JOBS));

    assertThat(recovered).isCompletedExceptionally();
    assertThat(blobs.contains(submitted.get(0).graph())).isTrue();
  }
}
