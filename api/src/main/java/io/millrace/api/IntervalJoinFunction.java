package io.millrace.api;

import io.millrace.api.function.Collector;
import io.millrace.api.function.JoinFunction;
import io.millrace.api.operator.EngineContext;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.KeyedCoProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessJoinFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.time.Timestamps;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The interval join. Each record is kept by its timestamp until the watermark has passed the last
 * timestamp of a match, and compared with the kept records of the other side when it arrives. A
 * record at or before the watermark is late: its matches may be gone.
 */
final class IntervalJoinFunction<K, A, B, R> extends KeyedCoProcessFunction<K, A, B, R>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  /**
   * @param lower of the timestamp of a right record, relative to that of a left one
   * @param leftLate id of the side output for late records, empty to drop them
   */
  record Settings(long lower, long upper, JoinSides outer, String leftLate, String rightLate)
      implements Serializable {}

  /** One side of the join. */
  private final class Side implements Serializable {
    private static final long serialVersionUID = 1L;

    private final boolean isLeft;
    private transient MapState<Long, List<BufferedRecord>> buffer;

    Side(boolean isLeft) {
      this.isLeft = isLeft;
    }

    void open(RuntimeContext context) {
      buffer = context.mapState(new MapStateDescriptor<>(isLeft ? "left" : "right"));
    }

    /** The first timestamp of a match, relative to that of a record of this side. */
    long from() {
      return isLeft ? settings.lower() : -settings.upper();
    }

    /** The last timestamp of a match, relative to that of a record of this side. */
    long to() {
      return isLeft ? settings.upper() : -settings.lower();
    }

    boolean isOuter() {
      return isLeft ? settings.outer().left() : settings.outer().right();
    }

    String lateOutput() {
      return isLeft ? settings.leftLate() : settings.rightLate();
    }

    /** When a record is removed: a match cannot come after this time. */
    long expiry(long timestamp) {
      return plus(timestamp, Math.max(0, to()));
    }

    void add(long timestamp, Object record, boolean matched) {
      List<BufferedRecord> same = buffer.get(timestamp);
      List<BufferedRecord> more = same == null ? new ArrayList<>() : new ArrayList<>(same);
      more.add(new BufferedRecord(record, matched));
      buffer.put(timestamp, more);
    }
  }

  private final ProcessJoinFunction<? super A, ? super B, R> function;
  private final Settings settings;
  private final Side left = new Side(true);
  private final Side right = new Side(false);

  IntervalJoinFunction(ProcessJoinFunction<? super A, ? super B, R> function, Settings settings) {
    this.function = Objects.requireNonNull(function, "function");
    this.settings = settings;
  }

  @Override
  public void open(RuntimeContext context) throws Exception {
    left.open(context);
    right.open(context);
    function.open(context);
  }

  @Override
  public void close() throws Exception {
    function.close();
  }

  @Override
  public void snapshotState(long checkpoint) throws Exception {
    if (function instanceof CheckpointedFunction checkpointed) {
      checkpointed.snapshotState(checkpoint);
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    if (function instanceof CheckpointedFunction checkpointed) {
      checkpointed.checkpointCompleted(checkpoint);
    }
  }

  @Override
  public void process1(A record, Context<K> context, Collector<R> out) throws Exception {
    process(left, right, record, context, out);
  }

  @Override
  public void process2(B record, Context<K> context, Collector<R> out) throws Exception {
    process(right, left, record, context, out);
  }

  private void process(Side own, Side other, Object record, Context<K> context, Collector<R> out)
      throws Exception {
    long timestamp = context.timestamp();
    if (timestamp == Timestamps.NONE) {
      throw new MillraceException(
          ErrorKind.USER,
          "A record without a timestamp reached an interval join. Call"
              + " assignTimestampsAndWatermarks before keyBy.");
    }
    if (timestamp <= context.timerService().currentWatermark()) {
      if (own.lateOutput().isEmpty()) {
        ((EngineContext) context).lateDropped();
      } else {
        context.output(new OutputTag<Object>(own.lateOutput()), record);
      }
      return;
    }
    boolean matched = joinAll(own, other, record, timestamp, new Pair(context, out));
    own.add(timestamp, record, matched);
    context.timerService().registerEventTimeTimer(own.expiry(timestamp));
  }

  private boolean joinAll(Side own, Side other, Object record, long timestamp, Pair pair)
      throws Exception {
    long first = plus(timestamp, own.from());
    long last = plus(timestamp, own.to());
    boolean matched = false;
    List<Long> unmatched = new ArrayList<>();
    for (Map.Entry<Long, List<BufferedRecord>> entry : other.buffer.entries().entrySet()) {
      long at = entry.getKey();
      if (at < first || at > last) {
        continue;
      }
      matched = true;
      for (BufferedRecord buffered : entry.getValue()) {
        pair.join(own.isLeft, record, timestamp, buffered.record(), at);
      }
      if (other.isOuter() && entry.getValue().stream().anyMatch(one -> !one.matched())) {
        unmatched.add(at);
      }
    }
    // The map must not change while it is iterated.
    for (long at : unmatched) {
      List<BufferedRecord> now = new ArrayList<>();
      other.buffer.get(at).forEach(one -> now.add(new BufferedRecord(one.record(), true)));
      other.buffer.put(at, now);
    }
    return matched;
  }

  @Override
  public void onTimer(long time, OnTimerContext<K> context, Collector<R> out) throws Exception {
    Pair pair = new Pair(context, out);
    expire(left, time, pair);
    expire(right, time, pair);
  }

  private void expire(Side side, long time, Pair pair) throws Exception {
    long timestamp = time - Math.max(0, side.to());
    List<BufferedRecord> expired = side.buffer.get(timestamp);
    if (expired == null) {
      return;
    }
    side.buffer.remove(timestamp);
    if (side.isOuter()) {
      for (BufferedRecord buffered : expired) {
        if (!buffered.matched()) {
          pair.join(side.isLeft, buffered.record(), timestamp, null, Timestamps.NONE);
        }
      }
    }
  }

  /** The sum of two times, within the range of timestamps. */
  private static long plus(long time, long distance) {
    long sum = time + distance;
    if (distance >= 0) {
      return sum < time ? Long.MAX_VALUE - 1 : sum;
    }
    return sum > time ? Long.MIN_VALUE + 1 : sum;
  }

  /** Calls the function for a pair; it is the context of the call. */
  private final class Pair implements ProcessJoinFunction.Context {
    private final Context<K> context;
    private final Collector<R> out;
    private long leftTimestamp;
    private long rightTimestamp;
    private boolean isMatch;

    Pair(Context<K> context, Collector<R> out) {
      this.context = context;
      this.out = out;
    }

    @SuppressWarnings("unchecked") // Each side keeps records of its stream.
    void join(boolean isLeft, Object own, long ownTimestamp, Object other, long otherTimestamp)
        throws Exception {
      leftTimestamp = isLeft ? ownTimestamp : otherTimestamp;
      rightTimestamp = isLeft ? otherTimestamp : ownTimestamp;
      isMatch = other != null;
      if (isMatch) {
        ((EngineContext) context).resultTimestamp(Math.max(ownTimestamp, otherTimestamp));
      }
      function.process((A) (isLeft ? own : other), (B) (isLeft ? other : own), this, out);
    }

    @Override
    public long leftTimestamp() {
      return leftTimestamp;
    }

    @Override
    public long rightTimestamp() {
      return rightTimestamp;
    }

    @Override
    public long timestamp() {
      // Without a match that of the timer: the result is not late, although its record would be.
      return isMatch ? Math.max(leftTimestamp, rightTimestamp) : context.timestamp();
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      context.output(tag, record);
    }
  }

  /** Emits the one result of each pair. */
  static final class EmitPair<A, B, R> extends FunctionAdapters.Adapter
      implements ProcessJoinFunction<A, B, R> {
    private static final long serialVersionUID = 1L;

    private final JoinFunction<? super A, ? super B, ? extends R> function;

    EmitPair(JoinFunction<? super A, ? super B, ? extends R> function) {
      super(Objects.requireNonNull(function, "function"));
      this.function = function;
    }

    @Override
    public void process(A left, B right, ProcessJoinFunction.Context context, Collector<R> out)
        throws Exception {
      out.emit(function.join(left, right));
    }
  }
}
