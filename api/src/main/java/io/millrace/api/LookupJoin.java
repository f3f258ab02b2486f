package io.millrace.api;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.AsyncRetryStrategy;
import io.millrace.api.async.LookupCache;
import io.millrace.api.function.FlatJoinFunction;
import io.millrace.api.function.JoinFunction;
import io.millrace.api.function.KeySelector;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A stream whose records are joined with the values that another system has for their keys. It is
 * an inner join without a cache, until something else is chosen. {@link AsyncDataStream} says what
 * holds for its requests.
 *
 * <pre>{@code
 * DataStream<String> codes = env.fromElements("CH", "NO");
 * codes
 *     .lookupJoin(code -> code, code -> code.equals("CH") ? List.of("Switzerland") : List.of())
 *     .cache(LookupCache.of(1_000, Duration.ofMinutes(10)))
 *     .leftOuter()
 *     .apply((code, country) -> code + " is " + country)
 *     .print();
 * }</pre>
 *
 * @param <T> records
 * @param <K> their keys
 * @param <V> the values of keys
 */
public final class LookupJoin<T, K, V> {
  private final DataStream<T> stream;
  private final KeySelector<? super T, K> key;
  private final AsyncFunction<? super K, V> lookup;
  private Optional<LookupCache> cache = Optional.empty();
  private Duration timeout = Duration.ofMinutes(1);
  private int capacity = 100;
  private AsyncRetryStrategy<? super V> retry = AsyncRetryStrategy.none();
  private boolean isOrdered = true;
  private boolean isOuter;

  LookupJoin(
      DataStream<T> stream, KeySelector<? super T, K> key, AsyncFunction<? super K, V> lookup) {
    this.stream = stream;
    this.key = Objects.requireNonNull(key, "key selector");
    this.lookup = Objects.requireNonNull(lookup, "lookup function");
  }

  /** Keeps values in memory. Records of one key then share a request that is under way. */
  public LookupJoin<T, K, V> cache(LookupCache cache) {
    this.cache = Optional.of(cache);
    return this;
  }

  /** The time after which a record fails the job, or gets the values of {@code timeout}. */
  public LookupJoin<T, K, V> timeout(Duration timeout) {
    this.timeout = Objects.requireNonNull(timeout, "timeout");
    return this;
  }

  /** The number of records that wait at a time. */
  public LookupJoin<T, K, V> capacity(int capacity) {
    this.capacity = capacity;
    return this;
  }

  /** Repeats requests that fail. */
  public LookupJoin<T, K, V> retry(AsyncRetryStrategy<? super V> retry) {
    this.retry = Objects.requireNonNull(retry, "retry");
    return this;
  }

  /** Emits results as they come, not in the order of the records. */
  public LookupJoin<T, K, V> unordered() {
    this.isOrdered = false;
    return this;
  }

  /** Records whose key has no value are joined with null. */
  public LookupJoin<T, K, V> leftOuter() {
    this.isOuter = true;
    return this;
  }

  /** Calls the function for each record and value of its key: {@code (record, value) -> result}. */
  public <R> DataStream<R> apply(JoinFunction<? super T, ? super V, R> function) {
    return apply(new CoGroupWindow.EmitJoined<T, V, R>(function));
  }

  /** The same with any number of results: {@code (record, value, out) -> …}. */
  public <R> DataStream<R> apply(FlatJoinFunction<? super T, ? super V, R> function) {
    return stream
        .<V, R>async(
            new LookupJoinFunction<T, K, V, R>(key, lookup, cache, isOuter, function),
            isOrdered,
            timeout,
            capacity,
            retry)
        .name("lookup join");
  }

  /** The same with the class of the results, for a lambda in the middle of a chain of calls. */
  public <R> DataStream<R> apply(
      Class<R> results, FlatJoinFunction<? super T, ? super V, R> function) {
    Objects.requireNonNull(results, "results");
    return apply(function);
  }
}
