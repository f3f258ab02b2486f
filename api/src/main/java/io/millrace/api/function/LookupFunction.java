package io.millrace.api.function;

import java.io.Serializable;
import java.util.Collection;

/**
 * Reads the values of a key from another system, and waits for them. A function with connections
 * also implements {@link io.millrace.api.process.RichFunction} and opens them there.
 *
 * <pre>{@code
 * LookupFunction<String, String> countries =
 *     code -> code.equals("CH") ? List.of("Switzerland") : List.of();
 * }</pre>
 *
 * @param <K> keys
 * @param <V> values
 */
@FunctionalInterface
public interface LookupFunction<K, V> extends Serializable {
  /** The values of a key; an empty list if there are none. */
  Collection<? extends V> lookup(K key) throws Exception;
}
