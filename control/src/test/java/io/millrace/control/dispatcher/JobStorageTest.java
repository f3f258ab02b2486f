package io.millrace.control.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.archive.ArchiveTargets;
import io.millrace.control.blob.FileBlobStore;
import io.millrace.control.ha.HaStore;
import io.millrace.control.ha.JobStore;
import io.millrace.control.ha.MemoryHaStore;
import io.millrace.control.ha.NewestTerm;
import io.millrace.control.ha.StaleWriteException;
import io.millrace.control.testing.Graphs;
import io.millrace.core.Bytes;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.BlobKey;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.DispatcherGateway.SubmitJob;
import io.millrace.protocol.Messages;
import io.millrace.task.checkpoint.FileCheckpointStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobStorageTest {
  private final RecordCodec codec = RecordCodec.of(Messages.table());
  private final HaStore store = new MemoryHaStore();

  @TempDir private Path directory;
  private BlobKey jar;
  private SubmitJob submission;

  @BeforeEach
  void acceptAJobWithAJar() throws IOException {
    FileBlobStore blobs = new FileBlobStore(directory);
    jar = blobs.put(Bytes.utf8("classes"));
    JobGraph graph = Graphs.pair(1).build().withJars(List.of(new JarFile("job.jar", jar)));
    submission = new SubmitJob(graph.id(), blobs.put(Bytes.wrap(codec.encode(graph))));
    accept(blobs, submission);
  }

  @Test
  void recoveryKeepsOnlyGraphsAndJarsOfStoredJobs() throws IOException {
    BlobKey unused = new FileBlobStore(directory).put(Bytes.utf8("of a client that died"));
    FileBlobStore reopened = new FileBlobStore(directory);

    assertThat(recover(storage(reopened)).jobs()).hasSize(1);

    assertThat(new FileBlobStore(directory).contains(submission.graph())).isTrue();
    assertThat(new FileBlobStore(directory).contains(jar)).isTrue();
    assertThat(new FileBlobStore(directory).contains(unused)).isFalse();
  }

  /** The process may end between the two removals: no entry may be left without its blobs. */
  @Test
  void removesTheEntryOfAJobBeforeItsBlobs() throws IOException {
    List<Boolean> jobWasStored = new ArrayList<>();
    FileBlobStore blobs = new FileBlobStore(directory);
    JobStorage storage =
        new JobStorage(
            new DeletionWatch(blobs, () -> jobWasStored.add(isStored())),
            store,
            new FileCheckpointStorage(FileSystems.withoutPlugins()),
            ArchiveTargets.NONE,
            codec);

    storage.forget(submission.job(), Set.of(submission.graph(), jar), 1);

    assertThat(jobWasStored).containsExactly(false, false);
    assertThat(blobs.contains(jar)).isFalse();
  }

  /** The successor may have accepted the same job. */
  @Test
  void formerLeaderDeletesNoBlobs() throws IOException {
    FileBlobStore blobs = new FileBlobStore(directory);
    JobStorage storage = storage(blobs);
    recover(storage);

    assertThatThrownBy(() -> storage.delete(List.of(submission.graph()), 1))
        .isInstanceOf(StaleWriteException.class);
    assertThatThrownBy(() -> storage.clearUnused(List.of(), 1))
        .isInstanceOf(StaleWriteException.class);

    assertThat(blobs.contains(submission.graph())).isTrue();
  }

  /** The successor has removed unused blobs and could not recover a job without its graph. */
  @Test
  void formerLeaderStoresNoJob() throws IOException {
    FileBlobStore blobs = new FileBlobStore(directory);
    JobGraph graph = Graphs.pair(2).build();
    SubmitJob late = new SubmitJob(graph.id(), blobs.put(Bytes.wrap(codec.encode(graph))));
    JobStorage storage = storage(blobs);
    storage.forget(submission.job(), Set.of(), 1);
    new NewestTerm(store).begin(2);

    assertThatThrownBy(() -> storage.store(late, graph, 1)).isInstanceOf(StaleWriteException.class);

    assertThat(isStored()).isFalse();
  }

  private static JobStorage.Recovery recover(JobStorage storage) throws IOException {
    JobStorage.Recovery stored = storage.begin(2);
    List<JobStorage.Recovered> jobs = new ArrayList<>();
    for (JobStorage.Recovered found : stored.jobs()) {
      jobs.add(storage.withGraph(found));
    }
    JobStorage.Recovery recovery = new JobStorage.Recovery(jobs, stored.ended());
    storage.clearRemains(recovery);
    return recovery;
  }

  private void accept(FileBlobStore blobs, SubmitJob job) throws IOException {
    JobStorage storage = storage(blobs);
    storage.store(job, storage.check(job), 1);
  }

  private boolean isStored() {
    return !new JobStore(store, codec).all().isEmpty();
  }

  private JobStorage storage(FileBlobStore blobs) {
    return new JobStorage(
        blobs,
        store,
        new FileCheckpointStorage(FileSystems.withoutPlugins()),
        ArchiveTargets.NONE,
        codec);
  }
}
