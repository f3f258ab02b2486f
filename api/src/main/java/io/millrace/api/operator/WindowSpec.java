package io.millrace.api.operator;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.window.WindowAssigner;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.util.Objects;

/**
 * Windows of a keyed stream.
 *
 * @param latenessMillis the time after its end during which a window accepts records
 * @param lateOutput id of the side output for later records, empty to drop them
 * @param content the way in which a window stores its records
 * @param function computes the results when a window fires
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

  /** The way in which a window stores its records. */
  public sealed interface Content extends Serializable {
    /** Whether the contents of two parts of a window can be merged. */
    boolean merges();

    /** A reduced record. */
    record Reduced(ReduceFunction<Object> function) implements Content {
      @Override
      public boolean merges() {
        return true;
      }
    }

    /** An accumulator. */
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

    /** All records. */
    record Records() implements Content {
      // Sharing records between windows would save memory, but reading a window would copy them.
      @Override
      public boolean merges() {
        return false;
      }
    }
  }

  /** Emits the content unchanged; the engine skips the call. */
  public enum PassThrough implements ProcessWindowFunction<Object, Object, Object> {
    INSTANCE;

    @Override
    public void process(
        Object key, Context context, Iterable<Object> content, Collector<Object> out) {
      content.forEach(out::emit);
    }
  }
}
