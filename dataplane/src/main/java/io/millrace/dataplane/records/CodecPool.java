package io.millrace.dataplane.records;

import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;

/**
 * The codecs and output buffers of one deployment. A codec is not thread-safe and expensive to
 * create, so a task borrows one for a batch and returns it. Any thread may call the pool.
 */
public final class CodecPool {
  private final ConcurrentLinkedDeque<RecordBatchCodec> codecs = new ConcurrentLinkedDeque<>();
  private final ConcurrentLinkedDeque<ByteArrayOutput> outputs = new ConcurrentLinkedDeque<>();
  private final Supplier<RecordBatchCodec> create;

  public CodecPool(Supplier<RecordBatchCodec> create) {
    this.create = create;
  }

  /** Borrows a codec for one batch; the caller gives it to {@link #returnCodec}. */
  public RecordBatchCodec borrowCodec() {
    RecordBatchCodec codec = codecs.pollFirst();
    return codec == null ? create.get() : codec;
  }

  public void returnCodec(RecordBatchCodec codec) {
    codecs.addFirst(codec);
  }

  /** Borrows an empty buffer for one batch; the caller gives it to {@link #returnOutput}. */
  public ByteArrayOutput borrowOutput() {
    ByteArrayOutput output = outputs.pollFirst();
    return output == null ? new ByteArrayOutput() : output;
  }

  public void returnOutput(ByteArrayOutput output) {
    output.clear();
    outputs.addFirst(output);
  }

  /** Drops all codecs and buffers, and with them the references to classes of the job. */
  public void clear() {
    codecs.clear();
    outputs.clear();
  }
}
