package io.millrace.dataplane.records;

import io.millrace.core.id.OperatorId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The codecs for the state of a deployment's operators. Each operator has its own, because a codec
 * tells which classes it has written, and a checkpoint stores the schemas of these. Any thread may
 * call it.
 */
public final class StateCodecs {
  private final Map<OperatorId, CodecPool> pools = new ConcurrentHashMap<>();
  private final Map<Integer, CodecPool> edges = new ConcurrentHashMap<>();
  private final Supplier<RecordBatchCodec> create;

  /**
   * @param create a codec whose bytes describe the fields of classes
   */
  public StateCodecs(Supplier<RecordBatchCodec> create) {
    this.create = create;
  }

  public CodecPool of(OperatorId operator) {
    return pools.computeIfAbsent(operator, id -> new CodecPool(create));
  }

  /** The codecs for records that are in flight on an edge. */
  public CodecPool ofEdge(int edge) {
    return edges.computeIfAbsent(edge, id -> new CodecPool(create));
  }

  /** Drops all codecs, and with them the references to classes of the job. */
  public void clear() {
    pools.clear();
    edges.clear();
  }
}
