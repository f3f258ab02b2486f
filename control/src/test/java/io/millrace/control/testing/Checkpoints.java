package io.millrace.control.testing;

import io.millrace.control.checkpoint.CheckpointServices;
import io.millrace.control.ha.HaStore;
import io.millrace.control.jobmaster.JobStores;
import io.millrace.core.codec.RecordCodec;
import io.millrace.core.fs.FileSystems;
import io.millrace.protocol.Messages;
import io.millrace.task.checkpoint.FileCheckpointStorage;

/** Where checkpoints of tests are stored. */
public final class Checkpoints {
  private Checkpoints() {}

  /** Files, and records in the given store. */
  public static CheckpointServices in(HaStore store) {
    return stores(store).checkpoints();
  }

  /** Files, and all records of jobs in the given store. */
  public static JobStores stores(HaStore store) {
    return new JobStores(
        store,
        RecordCodec.of(Messages.table()),
        new FileCheckpointStorage(FileSystems.withoutPlugins()));
  }
}
