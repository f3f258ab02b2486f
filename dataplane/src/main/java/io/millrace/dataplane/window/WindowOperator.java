package io.millrace.dataplane.window;

import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
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
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.snapshot.KeyedStateVisitor;
import io.millrace.dataplane.snapshot.OperatorSnapshotBuilder;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.dataplane.state.KeyTable;
import io.millrace.dataplane.state.KeyedStateBackend;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StatePart;
import io.millrace.dataplane.store.StoredState;
import io.millrace.graph.KeyGroups;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Windows of a keyed stream in event time or processing time. In both, a window has fired if its
 * last millisecond is at or before {@link #currentTime}. In event time that is the watermark, in
 * processing time the last millisecond that is over.
 *
 * <p>After a restore from several subtasks, key groups may be ahead of {@link #currentTime}. A
 * window has then also fired for the keys of a group that had reached its last millisecond. That
 * lasts until the current time has passed the highest of them.
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
  private final UnaryOperator<Object> copyForChange;
  private final Optional<KeyedStateBackend> functionState;

  long currentTime = Long.MIN_VALUE;
  private long watermark = Long.MIN_VALUE;

  /** The event time of key groups, of which some are ahead of the current time; else null. */
  private KeyGroupWatermarks ahead;

  /** The time of the key of the record that is processed, if groups are ahead. */
  private long aheadTime = Long.MIN_VALUE;

  // The window that fires now.
  private long start;
  private long end;

  WindowOperator(
      OperatorContext context,
      OperatorSpec.Window spec,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState) {
    super(spec.key());
    WindowSpec window = spec.window();
    this.context = context;
    this.clock = context.task().clock();
    this.budget = context.task();
    this.isEventTime = window.assigner().isEventTime();
    this.lateness = isEventTime ? window.latenessMillis() : 0;
    this.lateOutput = window.lateOutput();
    this.functionState = functionState;
    WindowContent plain = WindowContent.of(window.content());
    this.content =
        functionState.isEmpty()
            ? plain
            : new KeyedWindowContent(plain, spec.key(), functionState.get());
    ValueCopier copier = context.task().valueCopier();
    this.copyForChange = value -> content.copyForChange(value, copier);
    this.function = window.function();
    this.passThrough =
        function == WindowSpec.PassThrough.INSTANCE
            && functionState.isEmpty()
            && !(window.content() instanceof WindowSpec.Content.Records);
    this.next = outputs.main();
    this.out = new OutputCollector(context.task(), outputs.main());
    this.sideOutputs = outputs.sideOutputs();
  }

  /**
   * @param functionState the keyed state of the functions, empty if they have none
   */
  public static WindowOperator open(
      OperatorContext context,
      OperatorSpec.Window spec,
      OperatorOutputs outputs,
      Optional<KeyedStateBackend> functionState) {
    WindowAssigner assigner = spec.window().assigner();
    if (context.store().isPresent()) {
      StoredState store = context.store().get();
      if (assigner instanceof WindowAssigner.Session sessions) {
        return new StoredSessionWindowOperator(
            context, spec, sessions, outputs, functionState, store);
      } else if (assigner instanceof WindowAssigner.Aligned aligned) {
        return new StoredWindowOperator(context, spec, aligned, outputs, functionState, store);
      }
    }
    if (assigner instanceof WindowAssigner.Session sessions) {
      return new SessionWindowOperator(context, spec, sessions, outputs, functionState);
    }
    if (assigner instanceof WindowAssigner.Aligned aligned) {
      boolean overlap = aligned.slide() < aligned.size();
      return overlap && spec.window().content().merges()
          ? new SlidingWindowOperator(context, spec, aligned, outputs, functionState)
          : new AlignedWindowOperator(context, spec, aligned, outputs, functionState);
    }
    throw new IllegalStateException("Unknown window assigner " + assigner.getClass().getName());
  }

  /** The contents of all windows as they are now. */
  abstract List<StatePart> freeze();

  /** Adds the content of a window from a checkpoint, before {@link #currentTime} is restored. */
  abstract void restore(Object key, RestoredWindow window);

  /** Completes the restored state. */
  abstract void restored();

  /** The name of the state of this kind of windows. */
  abstract String stateName();

  /**
   * The content of a window in a checkpoint.
   *
   * @param fired whether it had fired
   */
  record RestoredWindow(long start, long end, Object content, boolean fired) {}

  /**
   * Windows in a checkpoint are other ones than those of the operator.
   *
   * @param expected the length of the operator's window or pane there
   */
  final MillraceException changed(long from, long to, long expected) {
    String difference =
        to - from == expected
            ? "windows or panes that begin at %d ms of operator '%s', which begin at other times now"
                .formatted(from, context.operator())
            : "windows or panes of %d ms of operator '%s', which have %d ms now"
                .formatted(to - from, context.operator(), expected);
    return new MillraceException(
        ErrorKind.USER,
        "the checkpoint has "
            + difference
            + ". Give the operator another uid if its windows are other ones");
  }

  final StateInfo stateInfo() {
    return new StateInfo(stateName(), content.kind(), true);
  }

  /** The state in a store, which must not have contents of other windows from a checkpoint. */
  final StateInfo stateInfoIn(StoredState store) {
    StateInfo own = stateInfo();
    for (StateInfo found : store.states()) {
      boolean isOther =
          found.name().equals(own.name()) ? !found.equals(own) : !store.isEmpty(found);
      if (isOther && (functionState.isEmpty() || !functionState.get().owns(found))) {
        throw changed(found);
      }
    }
    return own;
  }

  /** A content for a change while a snapshot has the given one. */
  final Object copyForChange(Object value) {
    return copyForChange.apply(value);
  }

  /** The content in a slot for a change. */
  final Object owned(KeyTable table, int slot) {
    return table.owned(slot, copyForChange);
  }

  @Override
  public boolean hasKeyedState() {
    return true;
  }

  @Override
  public final void snapshot(OperatorSnapshotBuilder snapshot) {
    KeyGroupWatermarks reached =
        ahead != null
            ? ahead.atLeast(currentTime)
            : KeyGroupWatermarks.same(isEventTime ? currentTime : Long.MIN_VALUE);
    if (context.store().isPresent()) {
      context.store().get().snapshot(snapshot, reached);
    } else {
      snapshot.keyed(freeze(), reached);
      functionState.ifPresent(state -> snapshot.keyed(state.freeze()));
    }
  }

  @Override
  public final void restore(RestoredState state) {
    KeyGroupWatermarks reached =
        state.forEachKeyed(
            new KeyedStateVisitor() {
              private long former;

              @Override
              public void group(long watermark) {
                former = watermark;
              }

              @Override
              public boolean wants(StateInfo info) {
                return functionState.isEmpty() || !functionState.get().owns(info);
              }

              @Override
              public void entry(StateInfo info, Object key, long from, long to, Object value) {
                if (!info.equals(stateInfo())) {
                  throw changed(info);
                }
                restore(key, new RestoredWindow(from, to, value, to - 1 <= former));
              }
            });
    if (isEventTime) {
      currentTime = reached.lowest();
      watermark = currentTime;
      ahead = reached.isSame() ? null : reached;
    }
    restored();
  }

  private MillraceException changed(StateInfo info) {
    return new MillraceException(
        ErrorKind.USER,
        "the checkpoint has "
            + info.kind().text()
            + " '"
            + info.name()
            + "' of the windows of operator '"
            + context.operator()
            + "', which have "
            + content.kind().text()
            + " '"
            + stateName()
            + "' now. Give the operator another uid if its windows are other ones");
  }

  /** Whether a window of which this is the last millisecond may have fired for some key groups. */
  final boolean isAhead(long last) {
    return ahead != null && last <= ahead.highest();
  }

  /** Whether a key group has reached a time that the current time may not have reached. */
  final boolean isAhead(int group, long time) {
    return time <= ahead.of(group);
  }

  /** As for the group of a key. */
  final boolean isAhead(Object key, long time) {
    return isAhead(KeyGroups.groupOf(key, context.maxParallelism()), time);
  }

  /**
   * Adds a record to its windows; false if all of them are closed.
   *
   * @param now the current time, or a later one that the key's group has reached
   */
  abstract boolean add(Object key, Object record, long timestamp, long now) throws Exception;

  /** Fires and removes the windows that are due; false if the step budget is exhausted. */
  abstract boolean fire();

  /** A time at or before the next firing; {@link Long#MAX_VALUE} if there is none. */
  abstract long nextFiring();

  @Override
  public final void processElement(Object record) {
    long timestamp = isEventTime ? clock.timestamp : clock.now();
    try {
      if (timestamp == Timestamps.NONE) {
        throw new MillraceException(
            ErrorKind.USER,
            "A record without a timestamp reached an event-time window. Call"
                + " assignTimestampsAndWatermarks before keyBy, or use processing time.");
      }
      Object key = keyOf(record);
      long now = ahead == null ? currentTime : timeOf(key);
      if (!add(key, record, timestamp, now) && plus(timestamp, lateness) <= now) {
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

  private long timeOf(Object key) {
    aheadTime = ahead.of(KeyGroups.groupOf(key, context.maxParallelism()));
    return Math.max(currentTime, aheadTime);
  }

  /** Records a failure of user code. */
  final Error failed(Throwable thrown) {
    return context.failed(thrown);
  }

  /** The sum of two times, {@link Long#MAX_VALUE} if it overflows. */
  static long plus(long time, long distance) {
    long sum = time + distance;
    return sum < time ? Long.MAX_VALUE : sum;
  }

  final void emit(Object key, long from, long to, Object kept) {
    try {
      process(key, from, to, kept);
    } catch (Throwable thrown) {
      throw failed(thrown, key, from, to);
    }
  }

  /** Emits the window of a key in a table; reads the key only if the function needs it. */
  final void emit(KeyTable keys, int slot, long from, long to, Object kept) {
    try {
      process(passThrough ? null : keys.key(slot), from, to, kept);
    } catch (Throwable thrown) {
      throw failed(thrown, keys.key(slot), from, to);
    }
  }

  private Error failed(Throwable thrown, Object key, long from, long to) {
    throw context.failed(thrown, Optional.of(new FailureContext.OnWindow(key, from, to)));
  }

  private void process(Object key, long from, long to, Object kept) throws Exception {
    long before = clock.timestamp;
    clock.timestamp = to - 1;
    if (passThrough) {
      next.processElement(content.result(kept));
    } else {
      start = from;
      end = to;
      content.enter(key);
      function.process(key, this, content.all(kept), out);
      content.leave();
    }
    clock.timestamp = before;
  }

  @Override
  public final boolean eventTime(long now) {
    watermark = Math.max(watermark, now);
    if (!isEventTime) {
      return true;
    }
    currentTime = Math.max(currentTime, now);
    return fireDue();
  }

  private boolean fireDue() {
    aheadTime = Long.MIN_VALUE;
    if (!fire()) {
      return false;
    }
    if (ahead != null && ahead.highest() <= currentTime) {
      ahead = null;
    }
    return true;
  }

  @Override
  public final boolean processingTime(long now) {
    if (isEventTime) {
      return true;
    }
    currentTime = now - 1;
    return fire();
  }

  @Override
  public final long nextProcessingTime() {
    return isEventTime ? Long.MAX_VALUE : plus(nextFiring(), 1);
  }

  @Override
  public final EndStatus end() {
    currentTime = Long.MAX_VALUE;
    return fireDue() ? EndStatus.DONE : EndStatus.YIELDED;
  }

  // --- the context of the window function

  @Override
  public final TimeWindow window() {
    return new TimeWindow(start, end);
  }

  @Override
  public final long currentWatermark() {
    return Math.max(watermark, aheadTime);
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
