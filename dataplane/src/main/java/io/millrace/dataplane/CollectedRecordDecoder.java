package io.millrace.dataplane;

import io.millrace.core.Bytes;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.UserCodeObjectInputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Decodes the parts that collecting tasks send (see {@link
 * io.millrace.task.TaskListener#collected}). One decoder serves all parts of a job. Thread-safe.
 */
public final class CollectedRecordDecoder {
  private final RecordBatchCodec codec;

  /**
   * For records whose classes this loader finds.
   *
   * @param serializers of the job, as its graph has them
   */
  public CollectedRecordDecoder(ClassLoader classes, Bytes serializers) {
    codec =
        new RecordBatchCodec(
            classes, Runnable::run, UserCodeObjectInputStream.serializers(serializers, classes));
  }

  /** The records of one part, in their order. */
  public synchronized List<Object> decode(Bytes part) {
    return Collections.unmodifiableList(
        Arrays.asList(codec.decode(part.unsafeArray(), 0, part.length()).records()));
  }
}
