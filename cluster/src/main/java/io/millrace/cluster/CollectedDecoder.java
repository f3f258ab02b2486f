package io.millrace.cluster;

import io.millrace.client.RecordDecoder;
import io.millrace.core.Bytes;
import io.millrace.dataplane.CollectedRecords;
import java.util.List;

/** Lets clients read what collecting tasks of the data plane wrote. */
public final class CollectedDecoder implements RecordDecoder {
  private ClassLoader current;
  private CollectedRecords reader;

  /** All batches of a job come with the same loader, and a reader for it is costly to make. */
  @Override
  public synchronized List<Object> decode(Bytes batch, ClassLoader program) {
    if (reader == null || current != program) {
      current = program;
      reader = new CollectedRecords(program);
    }
    return reader.decode(batch);
  }
}
