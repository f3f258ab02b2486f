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
 * The calls of a process that wait for their answers. They are also kept by whom they were made to:
 * on a large cluster there is always somebody who is lost, and many calls that others will answer.
 */
final class PendingCalls {
  private final Map<Long, OpenCall> byNumber = new ConcurrentHashMap<>();

  /** The sets are only touched inside the map's own methods, one thread at a time. */
  private final Map<String, NavigableSet<Long>> byProcess = new ConcurrentHashMap<>();

  static final class OpenCall {
    final Address to;
    final String message;
    final Mailbox caller;
    final CompletableFuture<Record> answer = new CompletableFuture<>();
    volatile Mailbox.Timer deadline = () -> {};

    OpenCall(Address to, String message, Mailbox caller) {
      this.to = to;
      this.message = message;
      this.caller = caller;
    }
  }

  void add(long number, OpenCall call) {
    byNumber.put(number, call);
    byProcess.compute(
        call.to.process(),
        (process, known) -> {
          NavigableSet<Long> numbers = known == null ? new TreeSet<>() : known;
          numbers.add(number);
          return numbers;
        });
  }

  Optional<OpenCall> find(long number) {
    return Optional.ofNullable(byNumber.get(number));
  }

  /** Takes a call out; of several who try one gets it. */
  Optional<OpenCall> remove(long number) {
    OpenCall call = byNumber.remove(number);
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

  /** Those to a process, in the order in which they were made. */
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
