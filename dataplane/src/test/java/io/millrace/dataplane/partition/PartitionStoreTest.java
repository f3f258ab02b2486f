package io.millrace.dataplane.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.id.DataSetId;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.task.ClusterPartition;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions from their first byte to their deletion. */
class PartitionStoreTest {
  private static final DataSetId DATA = new DataSetId(new Id128(1, 1));
  private static final JobId JOB = new JobId(new Id128(2, 2));

  @TempDir Path directory;

  private PartitionStore store;

  private PartitionStore store() {
    if (store == null) {
      store = new PartitionStore(Optional.of(directory.resolve("partitions")));
    }
    return store;
  }

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
    }
  }

  private static ClusterPartition partition(int index) {
    return new ClusterPartition(DATA, JOB, 0, index, 4);
  }

  private static ExecutionId execution(int number) {
    return new ExecutionId(new Id128(7, number));
  }

  private void write(ClusterPartition partition, ExecutionId execution, byte[]... batches)
      throws IOException {
    try (PartitionWriter writer = store().begin(partition, execution)) {
      for (byte[] batch : batches) {
        writer.write(batch, batch.length, batch.length);
      }
      writer.finish();
    }
  }

  private byte[] readAll(ClusterPartition partition, int most) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    PartitionChunk chunk;
    do {
      chunk = store().read(partition, all.size(), most);
      assertThat(chunk.bytes().length).isBetween(1, most);
      all.writeBytes(chunk.bytes());
    } while (!chunk.last());
    return all.toByteArray();
  }

  /** The files that are not deleted, when everything that was asked for is done. */
  private List<Path> files() throws IOException {
    // One thread deletes and reads, in order.
    try {
      store().readAsync(partition(3), 0, 1).join();
    } catch (CompletionException missing) {
      assertThat(missing).hasRootCauseMessage("the TaskManager does not store it");
    }
    try (var list = Files.list(directory.resolve("partitions"))) {
      return list.toList();
    }
  }

  @Test
  void chunksOfAnySizeMakeUpThePartition() throws IOException {
    Random random = new Random(2);
    byte[] first = new byte[1000];
    byte[] second = new byte[70_000];
    random.nextBytes(first);
    random.nextBytes(second);
    write(partition(0), execution(1), first, new byte[0], second);
    store().promote(5, List.of(execution(1)));
    ClusterPartition finished = partition(0).finishedIn(5);
    byte[] whole = readAll(finished, 1 << 20);
    for (int most : new int[] {1_000, 1_004, 65_536, whole.length - 1, whole.length}) {
      assertThat(readAll(finished, most)).isEqualTo(whole);
    }
    assertThat(store().readAsync(finished, 10, 20).join().bytes()).hasSize(20);
    try (DataInputStream in = new DataInputStream(new java.io.ByteArrayInputStream(whole))) {
      for (byte[] batch : List.of(first, new byte[0], second)) {
        assertThat(in.readInt()).isEqualTo(batch.length);
        assertThat(in.readNBytes(batch.length)).isEqualTo(batch);
      }
      assertThat(in.readInt()).isEqualTo(PartitionWriter.END);
      assertThat(in.readLong()).isEqualTo(71_000);
      assertThat(in.read()).isNegative();
    }
  }

  @Test
  void onlyPromotedPartitionsOfTheRightTermAreRead() throws IOException {
    write(partition(0), execution(1), new byte[] {1});
    assertThat(store().hasResultsOf(JOB)).isTrue();
    assertThatThrownBy(() -> store().read(partition(0), 0, 10))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("the TaskManager does not store it");
    store().promote(5, List.of(execution(9), execution(1)));
    assertThat(store().hasResultsOf(JOB)).isFalse();
    assertThat(store().clusterPartitions()).containsExactly(partition(0).finishedIn(5));
    assertThatThrownBy(() -> store().read(partition(0).finishedIn(6), 0, 10))
        .hasMessage("the TaskManager does not store it");
    store().release(JOB);
    assertThat(store().read(partition(0).finishedIn(5), 0, 100).last()).isTrue();
    store().drop(List.of(partition(1), partition(0).finishedIn(5)));
    assertThat(store().clusterPartitions()).isEmpty();
    assertThat(files()).isEmpty();
  }

  @Test
  void wrongOffsetsAreRefused() throws IOException {
    write(partition(0), execution(1), new byte[] {1, 2, 3});
    store().promote(5, List.of(execution(1)));
    ClusterPartition finished = partition(0).finishedIn(5);
    long size = readAll(finished, 1000).length;
    for (long offset : new long[] {-1, Long.MIN_VALUE, size + 1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> store().read(finished, offset, 10))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessage("its file has no offset " + offset);
    }
    for (int most : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertThatThrownBy(() -> store().read(finished, 0, most))
          .isInstanceOf(UncheckedIOException.class);
    }
    PartitionChunk end = store().read(finished, size, 10);
    assertThat(end.bytes()).isEmpty();
    assertThat(end.last()).isTrue();
    assertThat(store().read(finished, 0, Integer.MAX_VALUE).bytes()).hasSize((int) size);
  }

  @Test
  void aLaterAttemptReplacesThePartitionOfAnEarlierOne() throws IOException {
    write(partition(0), execution(1), new byte[] {1});
    write(partition(1), execution(1), new byte[] {1});
    write(partition(0), execution(2), new byte[] {2});
    assertThat(files()).as("all of the attempt is gone").hasSize(1);
    store().promote(5, List.of(execution(1), execution(2)));
    assertThat(store().clusterPartitions()).containsExactly(partition(0).finishedIn(5));
    assertThat(readAll(partition(0).finishedIn(5), 1000)[4]).isEqualTo((byte) 2);
  }

  @Test
  void whatIsNotFinishedOrNotWantedIsDeleted() throws IOException {
    try (PartitionWriter writer = store().begin(partition(0), execution(1))) {
      writer.write(new byte[100_000], 100_000, 1);
    }
    assertThat(files()).as("a writer that was closed early").isEmpty();
    write(partition(0), execution(1), new byte[] {1});
    store().discard(execution(2));
    assertThat(files()).hasSize(1);
    store().discard(execution(1));
    assertThat(files()).isEmpty();
    write(partition(0), execution(1), new byte[] {1});
    write(partition(1), execution(2), new byte[] {1});
    store().release(new JobId(new Id128(9, 9)));
    assertThat(files()).as("those of another job").hasSize(2);
    store().release(JOB);
    assertThat(files()).isEmpty();
    assertThat(store().hasResultsOf(JOB)).isFalse();
    write(partition(0), execution(1), new byte[] {1});
    store().close();
    assertThat(directory.resolve("partitions")).doesNotExist();
  }

  @Test
  void aFileThatWasDeletedOrCutIsAnError() throws IOException {
    write(partition(0), execution(1), new byte[50]);
    store().promote(5, List.of(execution(1)));
    ClusterPartition finished = partition(0).finishedIn(5);
    Path file = files().get(0);
    PartitionChunk first = store().read(finished, 0, 30);
    assertThat(first.last()).isFalse();
    Files.write(file, new byte[20], StandardOpenOption.TRUNCATE_EXISTING);
    assertThatThrownBy(() -> store().read(finished, 30, 30))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage("its file has no offset 30");
    Files.delete(file);
    assertThatThrownBy(() -> store().read(finished, 0, 30))
        .isInstanceOf(UncheckedIOException.class);
  }

  /** Random attempts of subtasks: at the end there is one partition of each, that of the last. */
  @Test
  void everySubtaskHasThePartitionOfItsLastFinishedAttempt() throws IOException {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      try (PartitionStore own =
          new PartitionStore(Optional.of(directory.resolve("seed-" + seed)))) {
        int[] last = {-1, -1, -1};
        int executions = 0;
        for (int i = 0; i < 30; i++) {
          int subtask = random.nextInt(3);
          ExecutionId attempt = execution(executions++);
          PartitionWriter writer = own.begin(partition(subtask), attempt);
          writer.write(new byte[] {(byte) i}, 1, 1);
          if (random.nextBoolean()) {
            writer.finish();
            last[subtask] = i;
            if (random.nextInt(4) == 0) {
              own.discard(attempt);
              last[subtask] = -1;
            }
          }
          writer.close();
        }
        List<ExecutionId> all = new ArrayList<>();
        for (int i = 0; i < executions; i++) {
          all.add(execution(i));
        }
        own.promote(3, all);
        for (int subtask = 0; subtask < 3; subtask++) {
          ClusterPartition finished = partition(subtask).finishedIn(3);
          assertThat(own.clusterPartitions().contains(finished))
              .as("seed %s", seed)
              .isEqualTo(last[subtask] >= 0);
          if (last[subtask] >= 0) {
            assertThat(own.read(finished, 4, 1).bytes())
                .as("seed %s", seed)
                .containsExactly((byte) last[subtask]);
          }
        }
      }
    }
  }
}
