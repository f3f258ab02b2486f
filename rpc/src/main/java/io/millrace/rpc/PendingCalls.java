package io.millrace.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The calls of a process that have no answer yet, indexed by correlation id and by target process.
 * The second index exists because in a large cluster some process is always lost while many calls
 * to others are pending.
 */
final class PendingCalls {
  private final Map<Long, PendingCall> byNumber = new ConcurrentHashMap<>();

  /** The sets are accessed only inside the atomic methods of the map, by one thread at a time. */
  private final Map<String, NavigableSet<Long>> byProcess = new ConcurrentHashMap<>();

  static final class PendingCall {
    final Address to;
    final String message;
    final Mailbox caller;
    final CompletableFuture<Record> answer = new CompletableFuture<>();
    volatile Mailbox.Timer deadline = () -> {};

    PendingCall(Address to, String message, Mailbox caller) {
      this.to = to;
      this.message = message;
      this.caller = caller;
    }
  }

  void add(long number, PendingCall call) {
    byNumber.put(number, call);
    byProcess.compute(
        call.to.process(),
        (process, known) -> {
          NavigableSet<Long> numbers = known == null ? new TreeSet<>() : known;
          numbers.add(number);
          return numbers;
        });
  }

  Optional<PendingCall> find(long number) {
    return Optional.ofNullable(byNumber.get(number));
  }

  /** Removes a call. If several threads try, one of them gets it. */
  Optional<PendingCall> remove(long number) {
    PendingCall call = byNumber.remove(number);
    if (call != null) {
      byProcess.computeIfPresent(
          call.to.process(),
          (process, numbers) -> {
            numbers.remove(number);
            return numbers.isEmpty() ? null : numbers;
          });
    }
    return Optional.ofNullable(call);
  }

  /** The calls to a process, in the order in which they were made. */
  List<Long> to(String process) {
    List<Long> found = new ArrayList<>();
    byProcess.computeIfPresent(
        process,
        (same, numbers) -> {
          found.addAll(numbers);
          return numbers;
        });
    return found;
  }

  List<Long> all() {
    return new ArrayList<>(byNumber.keySet());
  }
}
