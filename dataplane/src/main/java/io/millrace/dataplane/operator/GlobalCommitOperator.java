package io.millrace.dataplane.operator;

import io.millrace.api.sink.GlobalCommitter;
import io.millrace.api.sink.GlobalCommittingSink;
import io.millrace.dataplane.snapshot.OperatorStateBackend.OperatorList;
import io.millrace.task.checkpoint.OperatorSnapshot.Redistribution;
import java.util.List;

/**
 * Commits the output of all subtasks of a sink. Its records are their committables: those before
 * the barriers of a checkpoint are a part of it.
 */
public final class GlobalCommitOperator extends StreamOperator {
  /** The name of the operator state. */
  private static final String COMMITTABLES = "committables";

  private final OperatorContext context;
  private final GlobalCommitter<Object> committer;
  private final PendingCommits commits;
  private final boolean isCheckpointing;
  private boolean ended;

  private GlobalCommitOperator(
      OperatorContext context, GlobalCommitter<Object> committer, PendingCommits commits) {
    this.context = context;
    this.committer = committer;
    this.commits = commits;
    this.isCheckpointing = SinkOperator.isCheckpointing(context);
  }

  /** Creates the committer and commits what a restored checkpoint contains. */
  @SuppressWarnings("unchecked") // A committer gets only committables of its own sink.
  static GlobalCommitOperator open(OperatorContext context, GlobalCommittingSink<Object, ?> sink)
      throws Exception {
    GlobalCommitter<Object> committer =
        ((GlobalCommittingSink<Object, Object>) sink)
            .createGlobalCommitter(new SinkOperator.Context(context));
    OperatorList state = context.operatorState().list(COMMITTABLES, Redistribution.SPLIT);
    PendingCommits commits = new PendingCommits(context.operator(), committer, state);
    try {
      commits.commitRestored();
    } catch (Throwable thrown) {
      try {
        commits.close();
      } catch (Throwable closing) {
        thrown.addSuppressed(closing);
      }
      throw thrown;
    }
    return new GlobalCommitOperator(context, committer, commits);
  }

  @Override
  public void processElement(Object committable) {
    commits.add(List.of(committable));
  }

  @Override
  public EndStatus end() {
    ended = true;
    return EndStatus.DONE;
  }

  @Override
  public void prepareSnapshot(long checkpoint) {
    commits.snapshot(checkpoint);
  }

  @Override
  public void checkpointCompleted(long checkpoint) throws Exception {
    commits.checkpointCompleted(checkpoint);
  }

  @Override
  public boolean awaitsCheckpoint() {
    return ended && isCheckpointing && !commits.isEmpty();
  }

  @Override
  public void finish() {
    try {
      if (!isCheckpointing) {
        commits.commitAll();
      }
      if (ended) {
        commits.retrying(committer::endOfInput);
      }
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  @Override
  public void close() throws Exception {
    commits.close();
  }
}
