package io.millrace.api.operator;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.ProcessWindowFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.window.WindowAssigner;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.util.Objects;

/**
 * Windows of a keyed stream.
 *
 * @param latenessMillis how long after its end a window still takes records
 * @param lateOutput id of the side output for records that come after that, empty to drop them
 * @param content what a window keeps of its records
 * @param function makes the results when a window fires
 */
public record WindowSpec(
    WindowAssigner assigner,
    long latenessMillis,
    String lateOutput,
    Content content,
    ProcessWindowFunction<Object, Object, Object> function)
    implements Serializable {
  public WindowSpec {
    Objects.requireNonNull(assigner);
    Objects.requireNonNull(lateOutput);
    Objects.requireNonNull(content);
    Objects.requireNonNull(function);
  }

  /** What a window keeps of its records. */
  public sealed interface Content extends Serializable {
    /** Whether what was kept of two parts of a window makes what is kept of both. */
    boolean merges();

    /** One record, into which the others are combined. */
    record Reduced(ReduceFunction<Object> function) implements Content {
      @Override
      public boolean merges() {
        return true;
      }
    }

    /** One accumulator. */
    record Aggregated(AggregateFunction<Object, Object, Object> function) implements Content {
      @Override
      public boolean merges() {
        for (Method method : function.getClass().getMethods()) {
          if (method.getName().equals("merge")
              && method.getParameterCount() == 2
              && method.getDeclaringClass() != AggregateFunction.class) {
            return true;
          }
        }
        return false;
      }
    }

    /** All of them. */
    record Records() implements Content {
      // Sharing them between windows would save memory, but reading a window would copy it.
      @Override
      public boolean merges() {
        return false;
      }
    }
  }

  /** Emits the content as it is; the engine knows it and does without the call. */
  public enum PassThrough implements ProcessWindowFunction<Object, Object, Object> {
    INSTANCE;

    @Override
    public void process(
        Object key, Context context, Iterable<Object> content, Collector<Object> out) {
      content.forEach(out::emit);
    }
  }
}
