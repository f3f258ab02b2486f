package io.millrace.api.accumulator;

import io.millrace.core.accumulator.AccumulatorValue;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;

/**
 * A short list of texts. Records belong into a sink.
 *
 * <pre>{@code
 * class Counting implements MapFunction<String, String>, RichFunction {
 *   private transient ListAccumulator empty;
 *
 *   public void open(RuntimeContext context) {
 *     empty = context.accumulator("empty", ListAccumulator::new);
 *   }
 *
 *   public String map(String line) {
 *     empty.add("no name");
 *     return line;
 *   }
 * }
 *
 * orders.map(Order::toString).map(new Counting()).print();
 * }</pre>
 */
public final class ListAccumulator extends Accumulator {
  private final List<String> values = new ArrayList<>();
  private int characters;

  /**
   * @throws MillraceException if the texts of the task have more than {@link
   *     AccumulatorValue#MAX_LIST_CHARACTERS} characters
   */
  public synchronized void add(String value) {
    characters += 1 + value.length();
    if (characters > AccumulatorValue.MAX_LIST_CHARACTERS) {
      throw new MillraceException(
          ErrorKind.USER,
          "The list of an accumulator has at most "
              + AccumulatorValue.MAX_LIST_CHARACTERS
              + " characters in a task. Write long lists to a sink.");
    }
    values.add(value);
  }

  @Override
  public synchronized AccumulatorValue value() {
    return new AccumulatorValue.Texts(values, 0);
  }
}
