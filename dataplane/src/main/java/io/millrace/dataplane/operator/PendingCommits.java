package io.millrace.dataplane.operator;

import io.millrace.api.sink.CommitFailedException;
import io.millrace.api.sink.Committer;
import io.millrace.core.error.Failure;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The committables of a sink that are not committed yet. Those of a checkpoint are part of its
 * state until the checkpoint is complete. Belongs to the task's step.
 */
final class PendingCommits {
  private static final Logger LOG = LoggerFactory.getLogger(PendingCommits.class);
  private static final int MAX_ATTEMPTS = 3;
  private static final long RETRY_MILLIS = 50;

  /** The checkpoint of committables that no checkpoint contains yet. */
  private static final long NONE = Long.MAX_VALUE;

  private record Pending(long checkpoint, Object committable) {}

  private final String operator;
  private final Committer<Object> committer;
  private final OperatorList state;
  private List<Pending> pending = new ArrayList<>();

  PendingCommits(String operator, Committer<Object> committer, OperatorList state) {
    this.operator = operator;
    this.committer = committer;
    this.state = state;
  }

  /**
   * Commits what the restored checkpoint contains, because that checkpoint is complete.
   *
   * @return what was committed
   */
  List<Object> commitRestored() throws Exception {
    List<Object> restored = List.copyOf(state.elements());
    commit(restored);
    state.clear();
    return restored;
  }

  void add(List<Object> committables) {
    committables.forEach(committable -> pending.add(new Pending(NONE, committable)));
  }

  /** Makes all committables part of the state of a checkpoint. */
  void snapshot(long checkpoint) {
    pending.replaceAll(
        each -> each.checkpoint() == NONE ? new Pending(checkpoint, each.committable()) : each);
    state.update(committables(pending));
  }

  /**
   * Commits what this checkpoint contains. That of earlier ones, which were aborted, is a part of
   * it.
   *
   * @return what was committed
   */
  List<Object> checkpointCompleted(long checkpoint) throws Exception {
    List<Object> complete =
        committables(pending.stream().filter(each -> each.checkpoint() <= checkpoint).toList());
    commit(complete);
    pending.removeIf(each -> each.checkpoint() <= checkpoint);
    return complete;
  }

  /**
   * Commits without a checkpoint.
   *
   * @return what was committed
   */
  List<Object> commitAll() throws Exception {
    List<Object> all = committables(pending);
    commit(all);
    pending = new ArrayList<>();
    return all;
  }

  boolean isEmpty() {
    return pending.isEmpty();
  }

  private static List<Object> committables(List<Pending> of) {
    return of.stream().map(Pending::committable).toList();
  }

  private void commit(List<Object> committables) throws Exception {
    if (!committables.isEmpty()) {
      retrying(() -> committer.commit(committables));
    }
  }

  /** A part of a commit. */
  interface CommitAction {
    void run() throws Exception;
  }

  /** Repeats a part of a commit that fails, a few times and with growing pauses. */
  void retrying(CommitAction action) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        action.run();
        return;
      } catch (InterruptedException | CommitFailedException e) {
        throw e;
      } catch (Exception e) {
        if (attempt == MAX_ATTEMPTS) {
          throw e;
        }
        // As text: a log appender must not call methods of a user exception.
        LOG.warn(
            "Operator '{}' failed to commit in attempt {} of {}, and tries again: {}",
            operator,
            attempt,
            MAX_ATTEMPTS,
            Failure.sentence(e));
        Thread.sleep(RETRY_MILLIS << 2 * (attempt - 1));
      }
    }
  }

  void close() throws Exception {
    committer.close();
  }
}
