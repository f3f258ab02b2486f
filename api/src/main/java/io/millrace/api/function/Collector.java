package io.millrace.api.function;

/**
 * Takes the results of a function. A record must not be changed after it was emitted.
 *
 * <pre>{@code
 * FlatMapFunction<String, String> words =
 *     (line, out) -> {
 *       for (String word : line.split(" ")) {
 *         out.emit(word);
 *       }
 *     };
 * env.readText("words.txt").flatMap(words).print();
 * }</pre>
 */
@FunctionalInterface
public interface Collector<T> {
  void emit(T record);
}
