package io.millrace.dataplane;

import io.millrace.api.OutputTag;
import io.millrace.api.function.Collector;
import io.millrace.api.function.ProcessWindowFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.time.Timestamps;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.state.KeyTable;
import java.util.Optional;

/**
 * Windows of a keyed stream, in event or in processing time. Both are the same here: a window whose
 * last moment is at or before {@link #mark} has fired. In event time the mark is the watermark, in
 * processing time the last moment that is over.
 */
abstract class Windowing extends KeyedStage implements ProcessWindowFunction.Context {
  private final Stages.Place place;
  private final TaskTime time;
  private final boolean isEventTime;
  private final String lateOutput;
  private final ProcessWindowFunction<Object, Object, Object> function;
  private final boolean asItIs;
  private final Stage next;
  private final Collector<Object> out;
  private final SideOutputs sides;
  final Turn turn;
  final WindowContent content;
  final long lateness;

  long mark = Long.MIN_VALUE;
  private long watermark = Long.MIN_VALUE;

  // The window that is being emitted.
  private long start;
  private long end;

  Windowing(Stages.Place place, OperatorSpec.Window spec, Outputs outputs) {
    super(spec.key());
    WindowSpec window = spec.window();
    this.place = place;
    this.time = place.task().time();
    this.turn = place.task();
    this.isEventTime = window.assigner().isEventTime();
    this.lateness = isEventTime ? window.latenessMillis() : 0;
    this.lateOutput = window.lateOutput();
    this.content = WindowContent.of(window.content());
    this.function = window.function();
    this.asItIs =
        function == WindowSpec.AsItIs.RESULT
            && !(window.content() instanceof WindowSpec.Content.Records);
    this.next = outputs.main();
    this.out = new Emit(place.task(), outputs.main());
    this.sides = outputs.sides();
  }

  static Windowing open(Stages.Place place, OperatorSpec.Window spec, Outputs outputs) {
    WindowAssigner assigner = spec.window().assigner();
    if (assigner instanceof WindowAssigner.Session sessions) {
      return new SessionWindowing(place, spec, sessions, outputs);
    }
    WindowAssigner.Aligned aligned = (WindowAssigner.Aligned) assigner;
    boolean overlap = aligned.slide() < aligned.size();
    return overlap && spec.window().content().merges()
        ? new SlidingWindowing(place, spec, aligned, outputs)
        : new AlignedWindowing(place, spec, aligned, outputs);
  }

  /** Puts a record into its windows; false if there is none left for it. */
  abstract boolean take(Object key, Object record, long timestamp) throws Exception;

  /** Fires and forgets what the mark has passed, as far as the turn goes; true when done. */
  abstract boolean fire();

  /** A moment at which something has to fire, none that is later than the first. */
  abstract long firstMoment();

  @Override
  final void push(Object record) {
    long timestamp = isEventTime ? time.timestamp : time.now();
    try {
      if (timestamp == Timestamps.NONE) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record without a timestamp came to a window in event time. Say"
                + " assignTimestampsAndWatermarks before keyBy, or use processing time.");
      }
      if (!take(keyOf(record), record, timestamp) && plus(timestamp, lateness) <= mark) {
        if (lateOutput.isEmpty()) {
          place.task().eventTime().lateDropped();
        } else {
          sides.push(lateOutput, record);
        }
      }
    } catch (Throwable thrown) {
      throw place.failed(thrown, record);
    }
  }

  /** Tells the task that user code failed. */
  final Error failed(Throwable thrown) {
    return place.failed(thrown);
  }

  /** The last moment at which a window takes records, plus one if that can be said. */
  static long plus(long moment, long distance) {
    long sum = moment + distance;
    return sum < moment ? Long.MAX_VALUE : sum;
  }

  final void emit(Object key, long from, long to, Object kept) {
    try {
      make(key, from, to, kept);
    } catch (Throwable thrown) {
      throw failed(thrown, key, from, to);
    }
  }

  /** The same for a key in a table, which is read only if somebody asks for it. */
  final void emit(KeyTable keys, int slot, long from, long to, Object kept) {
    try {
      make(asItIs ? null : keys.key(slot), from, to, kept);
    } catch (Throwable thrown) {
      throw failed(thrown, keys.key(slot), from, to);
    }
  }

  private Error failed(Throwable thrown, Object key, long from, long to) {
    throw place.failed(thrown, Optional.of(new Fault.OnWindow(key, from, to)));
  }

  private void make(Object key, long from, long to, Object kept) throws Exception {
    long before = time.timestamp;
    time.timestamp = to - 1;
    if (asItIs) {
      next.push(content.result(kept));
    } else {
      start = from;
      end = to;
      function.process(key, this, content.all(kept), out);
    }
    time.timestamp = before;
  }

  @Override
  final boolean eventTime(long now) {
    watermark = now;
    if (!isEventTime) {
      return true;
    }
    mark = now;
    return fire();
  }

  @Override
  final boolean processingTime(long now) {
    if (isEventTime) {
      return true;
    }
    mark = now - 1;
    return fire();
  }

  @Override
  final long nextProcessingTime() {
    return isEventTime ? Long.MAX_VALUE : plus(firstMoment(), 1);
  }

  @Override
  final Ended end() {
    mark = Long.MAX_VALUE;
    return fire() ? Ended.YES : Ended.LATER;
  }

  // --- what the window function sees

  @Override
  public final TimeWindow window() {
    return new TimeWindow(start, end);
  }

  @Override
  public final long currentWatermark() {
    return watermark;
  }

  @Override
  public final long currentProcessingTime() {
    return time.read();
  }

  @Override
  public final <X> void output(OutputTag<X> tag, X record) {
    sides.emit(tag, record);
  }
}
