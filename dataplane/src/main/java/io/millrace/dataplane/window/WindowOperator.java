package io.millrace.dataplane.window;

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
import io.millrace.dataplane.operator.FailureContext;
import io.millrace.dataplane.operator.OperatorContext;
import io.millrace.dataplane.operator.OperatorOutputs;
import io.millrace.dataplane.operator.OutputCollector;
import io.millrace.dataplane.operator.SideOutputs;
import io.millrace.dataplane.operator.StepBudget;
import io.millrace.dataplane.operator.StreamOperator;
import io.millrace.dataplane.operator.TaskClock;
import io.millrace.dataplane.operator.TimedKeyedOperator;
import io.millrace.dataplane.state.KeyTable;
import java.util.Optional;

/**
 * Windows of a keyed stream, in event or in processing time. Both are the same here: a window whose
 * last moment is at or before {@link #mark} has fired. In event time the mark is the watermark, in
 * processing time the last moment that is over.
 */
public abstract class WindowOperator extends TimedKeyedOperator
    implements ProcessWindowFunction.Context {
  private final OperatorContext context;
  private final TaskClock clock;
  private final boolean isEventTime;
  private final String lateOutput;
  private final ProcessWindowFunction<Object, Object, Object> function;
  private final boolean passThrough;
  private final StreamOperator next;
  private final Collector<Object> out;
  private final SideOutputs sideOutputs;
  final StepBudget budget;
  final WindowContent content;
  final long lateness;

  long mark = Long.MIN_VALUE;
  private long watermark = Long.MIN_VALUE;

  // The window that is being emitted.
  private long start;
  private long end;

  WindowOperator(OperatorContext context, OperatorSpec.Window spec, OperatorOutputs outputs) {
    super(spec.key());
    WindowSpec window = spec.window();
    this.context = context;
    this.clock = context.task().clock();
    this.budget = context.task();
    this.isEventTime = window.assigner().isEventTime();
    this.lateness = isEventTime ? window.latenessMillis() : 0;
    this.lateOutput = window.lateOutput();
    this.content = WindowContent.of(window.content());
    this.function = window.function();
    this.passThrough =
        function == WindowSpec.PassThrough.INSTANCE
            && !(window.content() instanceof WindowSpec.Content.Records);
    this.next = outputs.main();
    this.out = new OutputCollector(context.task(), outputs.main());
    this.sideOutputs = outputs.sideOutputs();
  }

  public static WindowOperator open(
      OperatorContext context, OperatorSpec.Window spec, OperatorOutputs outputs) {
    WindowAssigner assigner = spec.window().assigner();
    if (assigner instanceof WindowAssigner.Session sessions) {
      return new SessionWindowOperator(context, spec, sessions, outputs);
    }
    WindowAssigner.Aligned aligned = (WindowAssigner.Aligned) assigner;
    boolean overlap = aligned.slide() < aligned.size();
    return overlap && spec.window().content().merges()
        ? new SlidingWindowOperator(context, spec, aligned, outputs)
        : new AlignedWindowOperator(context, spec, aligned, outputs);
  }

  /** Puts a record into its windows; false if there is none left for it. */
  abstract boolean take(Object key, Object record, long timestamp) throws Exception;

  /** Fires and forgets what the mark has passed, as far as the turn goes; true when done. */
  abstract boolean fire();

  /** A moment at which something has to fire, none that is later than the first. */
  abstract long firstMoment();

  @Override
  public final void processElement(Object record) {
    long timestamp = isEventTime ? clock.timestamp : clock.now();
    try {
      if (timestamp == Timestamps.NONE) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record without a timestamp came to a window in event time. Say"
                + " assignTimestampsAndWatermarks before keyBy, or use processing time.");
      }
      if (!take(keyOf(record), record, timestamp) && plus(timestamp, lateness) <= mark) {
        if (lateOutput.isEmpty()) {
          context.task().eventTime().lateDropped();
        } else {
          sideOutputs.emitUnchecked(lateOutput, record);
        }
      }
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  /** Tells the task that user code failed. */
  final Error failed(Throwable thrown) {
    return context.failed(thrown);
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
      make(passThrough ? null : keys.key(slot), from, to, kept);
    } catch (Throwable thrown) {
      throw failed(thrown, keys.key(slot), from, to);
    }
  }

  private Error failed(Throwable thrown, Object key, long from, long to) {
    throw context.failed(thrown, Optional.of(new FailureContext.OnWindow(key, from, to)));
  }

  private void make(Object key, long from, long to, Object kept) throws Exception {
    long before = clock.timestamp;
    clock.timestamp = to - 1;
    if (passThrough) {
      next.processElement(content.result(kept));
    } else {
      start = from;
      end = to;
      function.process(key, this, content.all(kept), out);
    }
    clock.timestamp = before;
  }

  @Override
  public final boolean eventTime(long now) {
    watermark = now;
    if (!isEventTime) {
      return true;
    }
    mark = now;
    return fire();
  }

  @Override
  public final boolean processingTime(long now) {
    if (isEventTime) {
      return true;
    }
    mark = now - 1;
    return fire();
  }

  @Override
  public final long nextProcessingTime() {
    return isEventTime ? Long.MAX_VALUE : plus(firstMoment(), 1);
  }

  @Override
  public final EndStatus end() {
    mark = Long.MAX_VALUE;
    return fire() ? EndStatus.DONE : EndStatus.YIELDED;
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
    return clock.read();
  }

  @Override
  public final <X> void output(OutputTag<X> tag, X record) {
    sideOutputs.emit(tag, record);
  }
}
