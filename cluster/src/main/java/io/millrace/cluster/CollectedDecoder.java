package io.millrace.cluster;

import io.millrace.client.RecordDecoder;
import io.millrace.core.Bytes;
import io.millrace.dataplane.CollectedRecordDecoder;
import java.util.List;

/** Lets clients read what collecting tasks of the data plane wrote. */
public final class CollectedDecoder implements RecordDecoder {
  private ClassLoader current;
  private Bytes currentSerializers = Bytes.EMPTY;
  private CollectedRecordDecoder decoder;

  /** All batches of a job come with the same loader, and a decoder for it is costly to make. */
  @Override
  public synchronized List<Object> decode(Bytes batch, ClassLoader program, Bytes serializers) {
    if (decoder == null || current != program || !currentSerializers.equals(serializers)) {
      current = program;
      currentSerializers = serializers;
      decoder = new CollectedRecordDecoder(program, serializers);
    }
    return decoder.decode(batch);
  }
}
