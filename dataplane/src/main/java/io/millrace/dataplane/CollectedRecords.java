package io.millrace.dataplane;

import io.millrace.core.Bytes;
import io.millrace.dataplane.records.RecordCodec;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Reads the parts that collecting tasks hand over (see {@link
 * io.millrace.graph.task.TaskListener#collected}). One for all parts of a job; safe for any thread.
 */
public final class CollectedRecords {
  private final RecordCodec codec;

  /**
   * For records whose classes this loader finds.
   *
   * @param serializers of the job, as its graph has them
   */
  public CollectedRecords(ClassLoader classes, Bytes serializers) {
    codec = new RecordCodec(classes, Runnable::run, UserObjects.serializers(serializers, classes));
  }

  /** The records of one part, in their order. */
  public synchronized List<Object> decode(Bytes part) {
    return Collections.unmodifiableList(
        Arrays.asList(codec.decode(part.unsafeArray(), 0, part.length()).records()));
  }
}
