package io.millrace.test;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.time.TimestampAssigner;
import io.millrace.api.time.WatermarkGenerator;
import io.millrace.api.time.WatermarkGeneratorSupplier;
import io.millrace.api.time.WatermarkOutput;
import io.millrace.api.time.WatermarkStrategy;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An input of a harness: a source in one subtask that emits what the test pushes. Functions travel
 * as bytes to the tasks, so that they find the input by its number.
 */
final class ScriptedInput implements AutoCloseable {
  private static final Map<Long, ScriptedInput> OPEN = new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final long number = NUMBERS.incrementAndGet();
  private final int index;
  private final ConcurrentLinkedQueue<Element> elements = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;
  private volatile SourceContext context;

  /**
   * @param index the position among the inputs of the harness
   */
  ScriptedInput(int index) {
    this.index = index;
    OPEN.put(number, this);
  }

  /** What a test pushes: a record, a watermark, or that the input is idle. */
  sealed interface Element extends Serializable {}

  record Value(Object value, long timestamp) implements Element {
    private static final long serialVersionUID = 1L;
  }

  record Watermark(long time) implements Element {
    private static final long serialVersionUID = 1L;
  }

  record Idle() implements Element {
    private static final long serialVersionUID = 1L;
  }

  /** The stream of the pushed records. */
  @SuppressWarnings("unchecked") // The type of the records is the test's.
  <T> DataStream<T> stream(StreamEnvironment env) {
    String name = "input " + (index + 1);
    return env.fromSource(new Elements(number), name)
        .parallelism(1)
        .assignTimestampsAndWatermarks(
            WatermarkStrategy.forGenerator(new Watermarks()).withTimestampAssigner(new Times()))
        .name(name + " watermarks")
        .parallelism(1)
        .flatMap((FlatMapFunction<Element, T>) new Values<T>())
        .name(name + " records")
        .parallelism(1);
  }

  void push(Element element) {
    elements.add(element);
    context.wake();
  }

  void end() {
    ended = true;
    context.wake();
  }

  boolean hasEnded() {
    return ended;
  }

  @Override
  public void close() {
    OPEN.remove(number);
  }

  private record Elements(long number) implements NonReplayableSource<Element> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public int maxParallelism() {
      return 1;
    }

    @Override
    public PollingReader<Element> open(SourceContext context) {
      ScriptedInput input = OPEN.get(number);
      input.context = context;
      return (SourceOutput<Element> out, int limit) -> {
        boolean isLast = input.ended;
        Element element;
        while ((element = input.elements.poll()) != null) {
          out.emit(element);
        }
        return isLast ? PollingReader.Status.END : PollingReader.Status.WAIT;
      };
    }
  }

  private static final class Times implements TimestampAssigner<Element> {
    private static final long serialVersionUID = 1L;

    @Override
    public long timestamp(Element element, long before) {
      return element instanceof Value value ? value.timestamp() : 0;
    }
  }

  private static final class Watermarks implements WatermarkGeneratorSupplier<Element> {
    private static final long serialVersionUID = 1L;

    @Override
    public WatermarkGenerator<Element> generator() {
      return (Element element, long timestamp, WatermarkOutput output) -> {
        if (element instanceof Watermark watermark) {
          output.emitWatermark(watermark.time());
        } else if (element instanceof Idle) {
          output.markIdle();
        }
      };
    }
  }

  private static final class Values<T> implements FlatMapFunction<Element, T> {
    private static final long serialVersionUID = 1L;

    @Override
    @SuppressWarnings("unchecked") // The type of the records is the test's.
    public void flatMap(Element element, Collector<T> out) {
      if (element instanceof Value value) {
        out.emit((T) value.value());
      }
    }
  }
}
