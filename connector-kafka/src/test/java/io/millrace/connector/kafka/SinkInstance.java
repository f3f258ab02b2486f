package io.millrace.connector.kafka;

import io.millrace.api.sink.Committer;
import io.millrace.api.sink.SinkContext;
import io.millrace.core.fs.FileSystems;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;

/** One instance of a transactional sink, called as by the engine. */
final class SinkInstance implements AutoCloseable {
  /** The state at a checkpoint. */
  record Checkpoint(List<TransactionalId> writer, List<KafkaTransaction> committables) {
    /** The state of all instances together. */
    static Checkpoint all(Checkpoint... instances) {
      List<TransactionalId> writers = new ArrayList<>();
      List<KafkaTransaction> committables = new ArrayList<>();
      for (Checkpoint each : instances) {
        writers.addAll(each.writer());
        committables.addAll(each.committables());
      }
      return new Checkpoint(writers, committables);
    }
  }

  private record Context(int subtask, int parallelism, boolean isRestored) implements SinkContext {
    @Override
    public int attempt() {
      return 0;
    }

    @Override
    public boolean isCheckpointing() {
      return true;
    }

    @Override
    public long currentProcessingTime() {
      return System.currentTimeMillis();
    }

    @Override
    public FileSystems files() {
      return FileSystems.withoutPlugins();
    }
  }

  private final Committer<KafkaTransaction> committer;
  private final TransactionalKafkaWriter<String> writer;
  private List<KafkaTransaction> pending = new ArrayList<>();

  private SinkInstance(TransactionalKafkaSink<String> sink, Context context, Checkpoint restored)
      throws Exception {
    committer = sink.createCommitter(context);
    try {
      if (!restored.committables().isEmpty()) {
        committer.commit(restored.committables());
      }
      writer =
          context.isRestored()
              ? sink.restoreWriter(context, restored.writer())
              : sink.createWriter(context);
    } catch (Exception e) {
      committer.close();
      throw e;
    }
  }

  static SinkInstance start(TransactionalKafkaSink<String> sink, int subtask, int parallelism)
      throws Exception {
    return new SinkInstance(
        copy(sink), new Context(subtask, parallelism, false), new Checkpoint(List.of(), List.of()));
  }

  /**
   * @param writers the state of all writers
   * @param committables those that this instance gets
   */
  static SinkInstance restore(
      TransactionalKafkaSink<String> sink,
      int subtask,
      int parallelism,
      List<TransactionalId> writers,
      List<KafkaTransaction> committables)
      throws Exception {
    return new SinkInstance(
        copy(sink), new Context(subtask, parallelism, true), new Checkpoint(writers, committables));
  }

  /** As for a task: the sink travels with the job. */
  @SuppressWarnings("unchecked")
  private static TransactionalKafkaSink<String> copy(TransactionalKafkaSink<String> sink)
      throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(sink);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (TransactionalKafkaSink<String>) in.readObject();
    }
  }

  SinkInstance write(String... values) throws Exception {
    for (String value : values) {
      writer.write(value);
    }
    return this;
  }

  void flush() {
    writer.flush(false);
  }

  Checkpoint checkpoint() throws Exception {
    writer.flush(false);
    pending.addAll(writer.prepareCommit());
    return new Checkpoint(writer.snapshot(1), List.copyOf(pending));
  }

  /** The last checkpoint is complete. */
  void complete() throws Exception {
    List<KafkaTransaction> committables = pending;
    pending = new ArrayList<>();
    if (!committables.isEmpty()) {
      committer.commit(committables);
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
    committer.close();
  }
}
