package io.millrace.api;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.LookupCache;
import io.millrace.api.function.FlatJoinFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.function.LookupFunction;
import io.millrace.api.operator.AsyncJoin;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Looks up the values of each record's key and joins them with the record. */
final class LookupJoinFunction<T, K, V, R> extends FunctionAdapters.Adapter
    implements AsyncJoin<T, V> {
  private static final long serialVersionUID = 1L;

  private final KeySelector<? super T, K> key;
  private final AsyncFunction<? super K, V> lookup;

  /** Null if there is none. */
  private final LookupCache cache;

  private final boolean isOuter;
  private final FlatJoinFunction<? super T, ? super V, R> function;
  private transient CachedLookups<K, V> cached;

  LookupJoinFunction(
      KeySelector<? super T, K> key,
      AsyncFunction<? super K, V> lookup,
      Optional<LookupCache> cache,
      boolean isOuter,
      FlatJoinFunction<? super T, ? super V, R> function) {
    super(key, lookup, Objects.requireNonNull(function, "function"));
    this.key = key;
    this.lookup = lookup;
    this.cache = cache.orElse(null);
    this.isOuter = isOuter;
    this.function = function;
  }

  private CachedLookups<K, V> cached() {
    if (cached == null) {
      cached = new CachedLookups<>(lookup, cache, System::nanoTime);
    }
    return cached;
  }

  @Override
  public CompletionStage<? extends Collection<? extends V>> asyncInvoke(T record) throws Exception {
    K of = key.key(record);
    return cache == null ? lookup.asyncInvoke(of) : cached().get(of);
  }

  @Override
  public Collection<? extends V> timeout(T record) throws Exception {
    K of = key.key(record);
    return cache == null ? lookup.timeout(of) : cached().timeout(of);
  }

  @Override
  public Collection<R> join(T record, Collection<? extends V> values) throws Exception {
    List<R> results = new ArrayList<>();
    for (V value : values) {
      function.join(record, value, results::add);
    }
    if (values.isEmpty() && isOuter) {
      function.join(record, null, results::add);
    }
    return results;
  }

  /** Calls a function that waits for its values. */
  static final class Synchronous<K, V> extends FunctionAdapters.Adapter
      implements AsyncFunction<K, V> {
    private static final long serialVersionUID = 1L;

    private final LookupFunction<? super K, V> function;

    Synchronous(LookupFunction<? super K, V> function) {
      super(Objects.requireNonNull(function, "lookup function"));
      this.function = function;
    }

    @Override
    public CompletionStage<? extends Collection<? extends V>> asyncInvoke(K key) throws Exception {
      return CompletableFuture.completedFuture(function.lookup(key));
    }
  }
}
