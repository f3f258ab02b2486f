package io.millrace.cluster;

import io.millrace.client.RecordDecoder;
import io.millrace.core.Bytes;
import io.millrace.dataplane.CollectedRecordDecoder;
import java.util.List;

/** Decodes the batches of collecting sinks for clients. */
public final class CollectedDecoder implements RecordDecoder {
  private ClassLoader current;
  private Bytes currentSerializers = Bytes.EMPTY;
  private CollectedRecordDecoder decoder;

  /** Caches the decoder: it is expensive, and all batches of a job have the same class loader. */
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
