package io.millrace.api;

import io.millrace.api.function.Collector;
import io.millrace.api.operator.EngineContext;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.KeyedStateStore;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.Timestamps;
import io.millrace.api.window.Evictor;
import io.millrace.api.window.GlobalWindows;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.TimestampedValue;
import io.millrace.api.window.Trigger;
import io.millrace.api.window.TriggerResult;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Windows with a trigger or an evictor of the program, global windows, and sessions with a dynamic
 * gap. Other windows have operators of their own, which do less for each record.
 *
 * <p>A window of a key ends when time has passed its end and the allowed lateness; a global window
 * does not end.
 */
final class TriggeredWindowFunction extends KeyedProcessFunction<Object, Object, Object>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  private final WindowSpec spec;
  private final Trigger<Object> trigger;

  /** Null if there is none. */
  private final Evictor<Object> evictor;

  private final ArrayList<RichFunction> richFunctions = new ArrayList<>();
  private transient TriggeredWindowContents contents;
  private transient MapState<Long, List<TimeWindow>> eventTimers;
  private transient MapState<Long, List<TimeWindow>> processingTimers;

  /** The windows of a key that may merge. */
  private transient MapState<TimeWindow, Boolean> sessions;

  private transient WindowStates triggerStates;
  private transient WindowStates functionStates;
  private transient RuntimeContext runtime;

  TriggeredWindowFunction(
      WindowSpec spec, Trigger<Object> trigger, Optional<Evictor<Object>> evictor) {
    this.spec = spec;
    this.trigger = Objects.requireNonNull(trigger, "trigger");
    this.evictor = evictor.orElse(null);
    if (spec.content() instanceof WindowSpec.Content.Reduced reduced
        && reduced.function() instanceof RichFunction rich) {
      richFunctions.add(rich);
    } else if (spec.content() instanceof WindowSpec.Content.Aggregated aggregated
        && aggregated.function() instanceof RichFunction rich) {
      richFunctions.add(rich);
    }
    if (spec.function() instanceof RichFunction rich) {
      richFunctions.add(rich);
    }
    if (merges() && !trigger.canMerge()) {
      throw new MillraceException(
          ErrorKind.USER,
          "Sessions merge, and "
              + trigger.getClass().getName()
              + " does not say how. Override Trigger.canMerge and Trigger.onMerge.");
    }
  }

  private boolean merges() {
    return spec.assigner() instanceof WindowAssigner.Session
        || spec.assigner() instanceof WindowAssigner.DynamicSession;
  }

  private boolean isGlobal() {
    return spec.assigner() instanceof WindowAssigner.Global;
  }

  // --- the function

  @Override
  public void open(RuntimeContext context) throws Exception {
    contents =
        new TriggeredWindowContents(
            spec.content(),
            evictor != null || spec.content() instanceof WindowSpec.Content.Records,
            context);
    eventTimers = context.mapState(new MapStateDescriptor<>("window.event-timers"));
    processingTimers = context.mapState(new MapStateDescriptor<>("window.processing-timers"));
    sessions = merges() ? context.mapState(new MapStateDescriptor<>("window.sessions")) : null;
    runtime = context;
    triggerStates = new WindowStates(context.mapState(new MapStateDescriptor<>("window.trigger")));
    functionStates =
        FunctionAdapters.hasWindowState(spec.function())
            ? new WindowStates(context.mapState(new MapStateDescriptor<>("window.function")))
            : null;
    for (RichFunction function : richFunctions) {
      function.open(context);
    }
  }

  @Override
  public void close() throws Exception {
    for (RichFunction function : richFunctions) {
      function.close();
    }
  }

  @Override
  public void snapshotState(long checkpoint) throws Exception {
    for (RichFunction function : richFunctions) {
      if (function instanceof CheckpointedFunction checkpointed) {
        checkpointed.snapshotState(checkpoint);
      }
    }
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    for (RichFunction function : richFunctions) {
      if (function instanceof CheckpointedFunction checkpointed) {
        checkpointed.checkpointCompleted(checkpoint);
      }
    }
  }

  @Override
  public void process(Object record, Context<Object> context, Collector<Object> out)
      throws Exception {
    boolean isEventTime = spec.assigner().isEventTime();
    long timestamp =
        isEventTime || isGlobal()
            ? context.timestamp()
            : context.timerService().currentProcessingTime();
    if (isEventTime && timestamp == Timestamps.NONE) {
      throw new MillraceException(
          ErrorKind.USER,
          "A record without a timestamp reached an event-time window. Call"
              + " assignTimestampsAndWatermarks before keyBy, or use processing time.");
    }
    boolean isTaken = false;
    for (TimeWindow assigned : windowsOf(record, timestamp)) {
      Call call = new Call(context, out, merges() ? covering(assigned) : assigned);
      if (isEventTime && cleanupTime(call.window) <= call.currentWatermark()) {
        continue;
      }
      isTaken = true;
      if (merges()) {
        call.merge();
      }
      contents.add(call.window, record, timestamp);
      call.apply(trigger.onElement(record, timestamp, call.window, call));
      call.registerCleanup();
    }
    long lateUntil = timestamp + spec.latenessMillis();
    if (!isTaken && isEventTime && lateUntil <= context.timerService().currentWatermark()) {
      if (spec.lateOutput().isEmpty()) {
        ((EngineContext) context).lateDropped();
      } else {
        context.output(new OutputTag<Object>(spec.lateOutput()), record);
      }
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext<Object> context, Collector<Object> out)
      throws Exception {
    boolean isEventTime = context.timeDomain() == TimeDomain.EVENT_TIME;
    MapState<Long, List<TimeWindow>> timers = isEventTime ? eventTimers : processingTimers;
    List<TimeWindow> due = timers.get(time);
    if (due == null) {
      return;
    }
    timers.remove(time);
    for (TimeWindow window : due) {
      Call call = new Call(context, out, window);
      call.apply(
          isEventTime
              ? trigger.onEventTime(time, window, call)
              : trigger.onProcessingTime(time, window, call));
      if (!isGlobal()
          && isEventTime == spec.assigner().isEventTime()
          && time == cleanupTime(window)) {
        call.cleanup();
      }
    }
  }

  // --- windows

  private Collection<TimeWindow> windowsOf(Object record, long timestamp) throws Exception {
    WindowAssigner assigner = spec.assigner();
    if (assigner instanceof WindowAssigner.Aligned aligned) {
      List<TimeWindow> windows = new ArrayList<>();
      for (long start = aligned.lastStart(timestamp);
          start > timestamp - aligned.size();
          start -= aligned.slide()) {
        windows.add(new TimeWindow(start, start + aligned.size()));
      }
      return windows;
    } else if (assigner instanceof WindowAssigner.Session session) {
      return List.of(new TimeWindow(timestamp, timestamp + session.gap()));
    } else if (assigner instanceof WindowAssigner.DynamicSession session) {
      long gap = session.gap().extract(record);
      if (gap < 1) {
        throw new MillraceException(
            ErrorKind.USER, "The gap between sessions is 1 ms or more, not " + gap + " ms.");
      }
      return List.of(new TimeWindow(timestamp, timestamp + gap));
    } else if (assigner instanceof WindowAssigner.Custom custom) {
      Collection<TimeWindow> windows = custom.selector().windows(record, timestamp);
      if (windows == null) {
        throw new MillraceException(
            ErrorKind.USER,
            "A WindowSelector returned null. Return an empty list for a record without windows.");
      }
      return windows;
    } else if (assigner instanceof WindowAssigner.Global) {
      return List.of(GlobalWindows.WINDOW);
    }
    throw new IllegalStateException("Unknown window assigner " + assigner.getClass().getName());
  }

  /** When a window ends; {@link Long#MAX_VALUE} if it does not. */
  private long cleanupTime(TimeWindow window) {
    long lateness = spec.assigner().isEventTime() ? spec.latenessMillis() : 0;
    long time = window.maxTimestamp() + lateness;
    return isGlobal() || time < window.maxTimestamp() ? Long.MAX_VALUE : time;
  }

  private List<TimeWindow> touching(TimeWindow window) {
    List<TimeWindow> touching = new ArrayList<>();
    for (TimeWindow other : sessions.entries().keySet()) {
      if (other.start() <= window.end() && window.start() <= other.end()) {
        touching.add(other);
      }
    }
    return touching;
  }

  /** A session together with the sessions of the key that it touches. */
  private TimeWindow covering(TimeWindow window) {
    long start = window.start();
    long end = window.end();
    for (TimeWindow other : touching(window)) {
      start = Math.min(start, other.start());
      end = Math.max(end, other.end());
    }
    return new TimeWindow(start, end);
  }

  /** A call for a window of the current key: the context of the trigger and of the functions. */
  private final class Call
      implements Trigger.OnMergeContext, ProcessWindowFunction.Context, Evictor.EvictorContext {
    private final Context<Object> context;
    private final Collector<Object> out;
    private final TimeWindow window;
    private List<TimeWindow> absorbed = List.of();

    Call(Context<Object> context, Collector<Object> out, TimeWindow window) {
      this.context = context;
      this.out = out;
      this.window = window;
    }

    void apply(TriggerResult result) throws Exception {
      if (result.isFire()) {
        fire();
      }
      if (result.isPurge()) {
        contents.clear(window);
      }
    }

    private void fire() throws Exception {
      List<TimestampedValue<Object>> records = List.of();
      List<Object> results;
      if (evictor == null) {
        results = contents.results(window);
      } else {
        records = contents.records(window);
        evictor.evictBefore(records, window, this);
        results = contents.results(records);
      }
      if (!results.isEmpty()) {
        if (!isGlobal()) {
          ((EngineContext) context).resultTimestamp(window.maxTimestamp());
        }
        spec.function().process(context.currentKey(), this, results, out);
      }
      if (evictor != null) {
        evictor.evictAfter(records, window, this);
        contents.replace(window, records);
      }
    }

    /** Merges the sessions that the window covers. */
    void merge() throws Exception {
      absorbed = touching(window);
      if (absorbed.size() == 1 && absorbed.get(0).equals(window)) {
        return;
      }
      absorbed.forEach(sessions::remove);
      sessions.put(window, true);
      if (absorbed.isEmpty()) {
        return;
      }
      contents.merge(absorbed, window);
      trigger.onMerge(window, this);
      for (TimeWindow other : absorbed) {
        if (!other.equals(window)) {
          Call gone = new Call(context, out, other);
          trigger.clear(other, gone);
          gone.deleteCleanup();
        }
      }
    }

    void registerCleanup() {
      long time = cleanupTime(window);
      if (time == Long.MAX_VALUE) {
        return;
      }
      if (spec.assigner().isEventTime()) {
        registerEventTimeTimer(time);
      } else {
        registerProcessingTimeTimer(time);
      }
    }

    private void deleteCleanup() {
      if (spec.assigner().isEventTime()) {
        deleteEventTimeTimer(cleanupTime(window));
      } else {
        deleteProcessingTimeTimer(cleanupTime(window));
      }
    }

    void cleanup() throws Exception {
      contents.clear(window);
      trigger.clear(window, this);
      if (functionStates != null) {
        spec.function().clear(context.currentKey(), this);
      }
      if (sessions != null) {
        sessions.remove(window);
      }
    }

    @Override
    public TimeWindow window() {
      return window;
    }

    @Override
    public long currentWatermark() {
      return context.timerService().currentWatermark();
    }

    @Override
    public long currentProcessingTime() {
      return context.timerService().currentProcessingTime();
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      context.output(tag, record);
    }

    // --- timers; a timer of the key stands for those of all its windows

    @Override
    public void registerEventTimeTimer(long time) {
      if (add(eventTimers, time)) {
        context.timerService().registerEventTimeTimer(time);
      }
    }

    @Override
    public void registerProcessingTimeTimer(long time) {
      if (add(processingTimers, time)) {
        context.timerService().registerProcessingTimeTimer(time);
      }
    }

    @Override
    public void deleteEventTimeTimer(long time) {
      if (remove(eventTimers, time)) {
        context.timerService().deleteEventTimeTimer(time);
      }
    }

    @Override
    public void deleteProcessingTimeTimer(long time) {
      if (remove(processingTimers, time)) {
        context.timerService().deleteProcessingTimeTimer(time);
      }
    }

    /** Whether the window is the first one with a timer for the time. */
    private boolean add(MapState<Long, List<TimeWindow>> timers, long time) {
      List<TimeWindow> windows = timers.get(time);
      if (windows == null) {
        timers.put(time, new ArrayList<>(List.of(window)));
        return true;
      }
      if (!windows.contains(window)) {
        List<TimeWindow> more = new ArrayList<>(windows);
        more.add(window);
        timers.put(time, more);
      }
      return false;
    }

    /** Whether no window has a timer for the time any more. */
    private boolean remove(MapState<Long, List<TimeWindow>> timers, long time) {
      List<TimeWindow> windows = timers.get(time);
      if (windows == null || !windows.contains(window)) {
        return false;
      }
      List<TimeWindow> fewer = new ArrayList<>(windows);
      fewer.remove(window);
      if (!fewer.isEmpty()) {
        timers.put(time, fewer);
        return false;
      }
      timers.remove(time);
      return true;
    }

    // --- states of the window function

    @Override
    public KeyedStateStore windowState() {
      if (functionStates == null) {
        return ProcessWindowFunction.Context.super.windowState();
      }
      if (merges()) {
        throw new MillraceException(
            ErrorKind.USER,
            "Sessions merge, so that their windows have no state. Use globalState, or other"
                + " windows.");
      }
      return functionStates.of(window);
    }

    @Override
    public KeyedStateStore globalState() {
      return functionStates == null
          ? ProcessWindowFunction.Context.super.globalState()
          : new KeyStates(runtime);
    }

    // --- states of the trigger

    @Override
    public <S> ValueState<S> state(ValueStateDescriptor<S> descriptor) {
      return triggerStates.of(window).state(descriptor);
    }

    @Override
    public <S> ReducingState<S> reducingState(ReducingStateDescriptor<S> descriptor) {
      return triggerStates.of(window).reducingState(descriptor);
    }

    @Override
    public <S> void mergeState(ReducingStateDescriptor<S> descriptor) throws Exception {
      triggerStates.merge(absorbed, window, descriptor);
    }
  }

  /** The states of the current key. */
  private record KeyStates(RuntimeContext context) implements KeyedStateStore {
    @Override
    public <S> ValueState<S> state(ValueStateDescriptor<S> descriptor) {
      return context.state(descriptor);
    }

    @Override
    public <S> ListState<S> listState(ListStateDescriptor<S> descriptor) {
      return context.listState(descriptor);
    }

    @Override
    public <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
      return context.mapState(descriptor);
    }

    @Override
    public <S> ReducingState<S> reducingState(ReducingStateDescriptor<S> descriptor) {
      return context.reducingState(descriptor);
    }

    @Override
    public <S, A, R> AggregatingState<S, R> aggregatingState(
        AggregatingStateDescriptor<S, A, R> descriptor) {
      return context.aggregatingState(descriptor);
    }
  }
}
