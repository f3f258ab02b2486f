package io.millrace.api.process;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;

/**
 * Names a side output of an operator. Tags with the same id are the same output.
 *
 * <pre>{@code
 * OutputTag<Order> late = new OutputTag<>("late");
 * DataStream<Counted<String>> counts =
 *     orders
 *         .keyBy(Order::customer)
 *         .window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)))
 *         .sideOutputLateData(late)
 *         .count();
 * counts.sideOutput(late).print();
 * }</pre>
 *
 * @param <T> the type of its records
 */
@SuppressWarnings("UnusedTypeParameter") // It types the records.
public record OutputTag<T>(String id) implements Serializable {
  public OutputTag {
    if (id == null || id.isBlank()) {
      throw new MillraceException(ErrorKind.USER, "The side output's id must not be empty.");
    }
  }
}
