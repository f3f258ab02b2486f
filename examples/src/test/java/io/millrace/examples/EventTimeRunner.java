package io.millrace.examples;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;
import io.millrace.api.time.Timestamps;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.api.window.TimeWindow;
import io.millrace.api.window.WindowAssigner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Runs the programs of this package with event time, one transformation after the other in one
 * subtask. Records and watermarks keep their order, so that results depend on nothing else.
 */
final class EventTimeRunner implements JobExecutor {
  private static final long END = Long.MAX_VALUE;

  private final List<Object> collected = new ArrayList<>();

  /** What the job collected, as text. */
  List<String> lines() {
    return collected.stream().map(String.class::cast).toList();
  }

  /** A record, or a watermark where there is no value. */
  private record Element(Object value, long time) {
    boolean isWatermark() {
      return value == null;
    }
  }

  private interface Step {
    void on(Element element, Output out) throws Exception;
  }

  private static final class Output {
    private final List<Element> main = new ArrayList<>();
    private final Map<String, List<Element>> sides = new LinkedHashMap<>();

    void emit(Object value, long time) {
      main.add(new Element(value, time));
    }

    void side(String tag, Object value, long time) {
      sides.computeIfAbsent(tag, absent -> new ArrayList<>()).add(new Element(value, time));
    }
  }

  @Override
  public JobClient execute(Program program) {
    List<Output> outputs = new ArrayList<>();
    for (Transformation transformation : program.transformations()) {
      Output out = new Output();
      try {
        if (transformation instanceof Transformation.SideOutput side) {
          out.main.addAll(outputs.get(side.input()).sides.getOrDefault(side.tag(), List.of()));
        } else {
          List<Element> input = new ArrayList<>();
          transformation.inputs().forEach(from -> input.addAll(outputs.get(from).main));
          if (transformation instanceof Transformation.Operator operator) {
            run(operator.spec(), input, out);
          } else {
            out.main.addAll(input);
          }
        }
      } catch (Exception e) {
        throw new IllegalStateException(transformation.toString(), e);
      }
      outputs.add(out);
    }
    return new FinishedJobClient(program.name(), collected);
  }

  private void run(OperatorSpec spec, List<Element> input, Output out) throws Exception {
    if (spec instanceof OperatorSpec.Source source) {
      BatchRunner.read(source.source(), record -> out.emit(record, Timestamps.NONE));
      out.emit(null, END);
      return;
    }
    Step step = step(spec);
    for (Element element : input) {
      step.on(element, out);
    }
  }

  private Step step(OperatorSpec spec) throws Exception {
    if (spec instanceof OperatorSpec.Map map) {
      return (element, out) ->
          out.emit(
              element.isWatermark() ? null : map.function().map(element.value()), element.time());
    } else if (spec instanceof OperatorSpec.Timestamps timestamps) {
      return assigning(timestamps);
    } else if (spec instanceof OperatorSpec.Window window) {
      return new Windows(window);
    } else if (spec instanceof OperatorSpec.KeyedProcessing processing) {
      return new Keyed(processing);
    } else if (spec instanceof OperatorSpec.Collect) {
      return (element, out) -> {
        if (!element.isWatermark()) {
          collected.add(element.value());
        }
      };
    }
    throw new UnsupportedOperationException(spec.getClass().getSimpleName());
  }

  private static Step assigning(OperatorSpec.Timestamps spec) throws Exception {
    WatermarkGenerator<? super Object> generator = spec.strategy().generator();
    return (element, out) -> {
      if (element.isWatermark()) {
        out.emit(null, END);
        return;
      }
      long time = spec.strategy().assigner().timestamp(element.value(), element.time());
      out.emit(element.value(), time);
      generator.onEvent(
          element.value(),
          time,
          new WatermarkOutput() {
            @Override
            public void emitWatermark(long watermark) {
              out.emit(null, watermark);
            }

            @Override
            public void markIdle() {
              throw new UnsupportedOperationException();
            }
          });
    };
  }

  /** Windows of one operator: tumbling ones and sessions, with an aggregation. */
  private static final class Windows implements Step {
    private final OperatorSpec.Window operator;
    private final WindowSpec spec;
    private final WindowSpec.Content.Aggregated content;
    private final Map<Object, Map<TimeWindow, Object>> open = new LinkedHashMap<>();
    private long watermark = Long.MIN_VALUE;

    Windows(OperatorSpec.Window operator) {
      this.operator = operator;
      this.spec = operator.window();
      this.content = (WindowSpec.Content.Aggregated) spec.content();
    }

    @Override
    public void on(Element element, Output out) throws Exception {
      if (element.isWatermark()) {
        advance(element.time(), out);
      } else {
        add(element, out);
      }
    }

    private void add(Element element, Output out) throws Exception {
      Object key = operator.key().key(element.value());
      Map<TimeWindow, Object> windows = open.computeIfAbsent(key, x -> new LinkedHashMap<>());
      Object accumulator = content.function().add(content.function().create(), element.value());
      TimeWindow window;
      if (spec.assigner() instanceof WindowAssigner.Session session) {
        window = new TimeWindow(element.time(), element.time() + session.gap());
        for (TimeWindow other : new ArrayList<>(windows.keySet())) {
          if (other.start() <= window.end() && window.start() <= other.end()) {
            window =
                new TimeWindow(
                    Math.min(window.start(), other.start()), Math.max(window.end(), other.end()));
            accumulator = content.function().merge(windows.remove(other), accumulator);
          }
        }
      } else {
        WindowAssigner.Aligned aligned = (WindowAssigner.Aligned) spec.assigner();
        long start = aligned.lastStart(element.time());
        window = new TimeWindow(start, start + aligned.size());
        if (windows.containsKey(window)) {
          accumulator = content.function().merge(windows.get(window), accumulator);
        }
      }
      if (isOver(window)) {
        out.side(spec.lateOutput(), element.value(), element.time());
        return;
      }
      windows.put(window, accumulator);
      if (window.maxTimestamp() <= watermark) {
        fire(key, window, accumulator, out);
      }
    }

    private boolean isOver(TimeWindow window) {
      return watermark != Long.MIN_VALUE
          && window.maxTimestamp() <= watermark - spec.latenessMillis();
    }

    private void advance(long time, Output out) throws Exception {
      long before = watermark;
      watermark = time;
      for (Map.Entry<Object, Map<TimeWindow, Object>> ofKey : open.entrySet()) {
        for (Map.Entry<TimeWindow, Object> one : ofKey.getValue().entrySet()) {
          if (one.getKey().maxTimestamp() <= time && one.getKey().maxTimestamp() > before) {
            fire(ofKey.getKey(), one.getKey(), one.getValue(), out);
          }
        }
        ofKey.getValue().keySet().removeIf(this::isOver);
      }
      out.emit(null, time);
    }

    private void fire(Object key, TimeWindow window, Object accumulator, Output out)
        throws Exception {
      ProcessWindowFunction.Context context =
          new ProcessWindowFunction.Context() {
            @Override
            public TimeWindow window() {
              return window;
            }

            @Override
            public long currentWatermark() {
              return watermark;
            }

            @Override
            public long currentProcessingTime() {
              throw new UnsupportedOperationException();
            }

            @Override
            public <X> void output(OutputTag<X> tag, X record) {
              out.side(tag.id(), record, window.maxTimestamp());
            }
          };
      spec.function()
          .process(
              key,
              context,
              List.of(content.function().result(accumulator)),
              result -> out.emit(result, window.maxTimestamp()));
    }
  }

  /** A process function with value states, list states and timers of event time. */
  private static final class Keyed implements Step, RuntimeContext, TimerService {
    private final OperatorSpec.KeyedProcessing operator;
    private final Map<Object, TreeSet<Long>> timers = new LinkedHashMap<>();
    private Object key;
    private long watermark = Long.MIN_VALUE;

    Keyed(OperatorSpec.KeyedProcessing operator) throws Exception {
      this.operator = operator;
      operator.function().open(this);
    }

    @Override
    public void on(Element element, Output out) throws Exception {
      if (!element.isWatermark()) {
        key = operator.key().key(element.value());
        operator
            .function()
            .process(
                element.value(),
                new OfElement(element.time()),
                result -> out.emit(result, element.time()));
        return;
      }
      watermark = element.time();
      for (Map.Entry<Object, TreeSet<Long>> ofKey : timers.entrySet()) {
        while (!ofKey.getValue().isEmpty() && ofKey.getValue().first() <= watermark) {
          long due = ofKey.getValue().pollFirst();
          key = ofKey.getKey();
          operator.function().onTimer(due, new OfElement(due), result -> out.emit(result, due));
        }
      }
      out.emit(null, watermark);
    }

    private final class OfElement implements KeyedProcessFunction.OnTimerContext<Object> {
      private final long time;

      OfElement(long time) {
        this.time = time;
      }

      @Override
      public Object currentKey() {
        return key;
      }

      @Override
      public long timestamp() {
        return time;
      }

      @Override
      public TimerService timerService() {
        return Keyed.this;
      }

      @Override
      public <X> void output(OutputTag<X> tag, X record) {
        throw new UnsupportedOperationException();
      }

      @Override
      public TimeDomain timeDomain() {
        return TimeDomain.EVENT_TIME;
      }
    }

    @Override
    public long currentWatermark() {
      return watermark;
    }

    @Override
    public long currentProcessingTime() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void registerEventTimeTimer(long time) {
      timers.computeIfAbsent(key, absent -> new TreeSet<>()).add(time);
    }

    @Override
    public void registerProcessingTimeTimer(long time) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void deleteEventTimeTimer(long time) {
      timers.getOrDefault(key, new TreeSet<>()).remove(time);
    }

    @Override
    public void deleteProcessingTimeTimer(long time) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
      Map<Object, T> byKey = new LinkedHashMap<>();
      return new ValueState<>() {
        @Override
        public T value() {
          return byKey.get(key);
        }

        @Override
        public void update(T value) {
          byKey.put(key, value);
        }

        @Override
        public void clear() {
          byKey.remove(key);
        }
      };
    }

    @Override
    public <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
      Map<Object, List<T>> byKey = new LinkedHashMap<>();
      return new ListState<>() {
        @Override
        public List<T> values() {
          return List.copyOf(byKey.getOrDefault(key, List.of()));
        }

        @Override
        public void add(T element) {
          byKey.computeIfAbsent(key, absent -> new ArrayList<>()).add(element);
        }

        @Override
        public void addAll(Iterable<? extends T> elements) {
          elements.forEach(this::add);
        }

        @Override
        public void update(Iterable<? extends T> elements) {
          clear();
          addAll(elements);
        }

        @Override
        public void clear() {
          byKey.remove(key);
        }
      };
    }

    @Override
    public String name() {
      return "process";
    }

    @Override
    public int subtask() {
      return 0;
    }

    @Override
    public int parallelism() {
      return 1;
    }

    @Override
    public int attempt() {
      return 0;
    }

    @Override
    public List<ExternalResourceInfo> externalResourceInfos(String resource) {
      return List.of();
    }
  }
}
