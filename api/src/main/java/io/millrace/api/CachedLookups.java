package io.millrace.api;

import io.millrace.api.async.AsyncFunction;
import io.millrace.api.async.LookupCache;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * The requests of a lookup join by key, answered or not. Records of one key share a request that is
 * not answered yet. Used in the thread of the task only; other threads complete the answers.
 *
 * @param <K> keys
 * @param <V> values
 */
final class CachedLookups<K, V> {
  /**
   * @param sent when the request was sent, in nanoseconds
   */
  private record Lookup<V>(CompletableFuture<Collection<V>> answer, long sent) {}

  private final AsyncFunction<? super K, V> function;
  private final LookupCache cache;
  private final LongSupplier nanos;

  /** The key that was used least recently is the first one. */
  private final Map<K, Lookup<V>> lookups = new LinkedHashMap<>(16, 0.75f, true);

  CachedLookups(AsyncFunction<? super K, V> function, LookupCache cache, LongSupplier nanos) {
    this.function = function;
    this.cache = cache;
    this.nanos = nanos;
  }

  CompletionStage<Collection<V>> get(K key) throws Exception {
    Lookup<V> known = lookups.get(key);
    if (known != null && isUsable(known)) {
      return known.answer();
    }
    lookups.remove(key);
    long sent = nanos.getAsLong();
    CompletionStage<? extends Collection<? extends V>> stage = function.asyncInvoke(key);
    if (stage == null) {
      return null;
    }
    CompletableFuture<Collection<V>> answer = new CompletableFuture<>();
    stage.whenComplete(
        (values, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(failure);
          } else {
            answer.complete(values == null ? null : List.copyOf(values));
          }
        });
    Lookup<V> lookup = new Lookup<>(answer, sent);
    if (!answer.isDone() || isUsable(lookup)) {
      lookups.put(key, lookup);
      evict();
    }
    return answer;
  }

  /** Whether the values of a request can be used for another record. */
  private boolean isUsable(Lookup<V> lookup) {
    if (nanos.getAsLong() - lookup.sent() >= cache.expireAfter().toNanos()) {
      return false;
    }
    CompletableFuture<Collection<V>> answer = lookup.answer();
    if (!answer.isDone()) {
      return true;
    }
    if (answer.isCompletedExceptionally()) {
      return false;
    }
    Collection<V> values = answer.join();
    return values != null && (cache.keepsMissing() || !values.isEmpty());
  }

  private void evict() {
    Iterator<K> oldest = lookups.keySet().iterator();
    while (lookups.size() > cache.maxKeys()) {
      oldest.next();
      oldest.remove();
    }
  }

  /** Forgets a request that was not answered in time, so that later records send another one. */
  Collection<V> timeout(K key) throws Exception {
    Lookup<V> known = lookups.get(key);
    if (known != null && !known.answer().isDone()) {
      lookups.remove(key);
    }
    return new ArrayList<>(function.timeout(key));
  }

  int size() {
    return lookups.size();
  }
}
