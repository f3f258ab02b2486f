package io.millrace.api.function;

import java.io.Serializable;

/**
 * Turns each record into those that an {@link Iterable} holds. The compiler infers the type of the
 * results from a lambda of this kind, because it returns them; that of a {@link FlatMapFunction}
 * does not tell.
 *
 * <pre>{@code
 * env.readText("words.txt")
 *     .flatMap(line -> List.of(line.split(" ")))
 *     .keyBy(word -> word)
 *     .count()
 *     .print();
 * }</pre>
 */
@FunctionalInterface
public interface FlatMapIterableFunction<T, R> extends Serializable {
  /** The results; empty, but never null. */
  Iterable<? extends R> flatMap(T record) throws Exception;
}
