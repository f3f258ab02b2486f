package io.millrace.rest.explain;

import io.millrace.api.execution.JobStatus;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.JobMasterEvent.CancelRequested;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointAbandoned;
import io.millrace.protocol.journal.JobMasterEvent.CheckpointFailed;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.StateRestored;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TaskFailed;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLossExplained;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.reason.CheckpointReason.CheckpointSubsumed;
import io.millrace.protocol.reason.CheckpointReason.TasksEnding;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.protocol.reason.JobReason.WorkerConnectionLost;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The failures, restarts and the end of a job, in the order in which they caused each other, with
 * the checkpoints that failed and those that restarted tasks began with.
 */
final class FailureChain {
  private static final int FIRST = 3;
  private static final int LAST = 7;

  private final JobSnapshot snapshot;

  FailureChain(JobSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  List<Said> chain() {
    List<Said> chain = new ArrayList<>();
    List<RecordedFailure> failures = snapshot.job().failures();
    for (int i = failures.size() - 1; i >= 0; i--) {
      chain.add(new Said(failures.get(i).at(), "jobmaster", sentence(failures.get(i))));
    }
    long oldestKnown = failures.isEmpty() ? -1 : failures.get(failures.size() - 1).at();
    boolean cancelled = false;
    for (JournalEntry event : snapshot.history().events()) {
      if (event.event() instanceof TaskFailed && event.wallMillis() < oldestKnown) {
        // The JobMaster keeps only the newest failures with their tasks.
        chain.add(said(event, JournalText.of(event)));
      } else if (event.event() instanceof RestartScheduled) {
        chain.add(said(event, JournalText.of(event)));
      } else if (event.event() instanceof StateRestored
          || event.event() instanceof CheckpointAbandoned
          || (event.event() instanceof CheckpointFailed failed && isCause(failed.reason()))) {
        chain.add(said(event, JournalText.of(event)));
      } else if (event.event() instanceof StatusChanged changed
          && changed.status() == JobStatus.FAILING) {
        chain.add(said(event, "The job fails: " + decision(changed.reason())));
      } else if (event.event() instanceof CancelRequested) {
        cancelled = true;
        chain.add(said(event, JournalText.of(event)));
      } else if (cancelled && event.event() instanceof WorkerLost lost) {
        // If the job was not cancelled, the failure names the lost TaskManager.
        chain.add(
            said(
                event,
                event
                    .worker()
                    .map(worker -> ReasonText.of(new WorkerConnectionLost(worker, lost.reason())))
                    .orElseGet(() -> JournalText.of(event))));
      } else if (event.event() instanceof JobRecovered) {
        chain.add(said(event, "The JobManager was restarted: " + JournalText.of(event)));
      }
    }
    // The sort is stable: within a millisecond a failure stays before its consequence.
    chain.sort(Comparator.comparingLong(Said::time));
    return shortened(chain);
  }

  /** A checkpoint that ends with the tasks, or before a later one, causes nothing. */
  private static boolean isCause(Reason reason) {
    return !(reason instanceof TasksEnding) && !(reason instanceof CheckpointSubsumed);
  }

  /** For example {@code Task Sink: print (2/4) on w1 failed: no space left.} */
  static String sentence(RecordedFailure failure) {
    String message = Phrases.sentence(failure.failure().message());
    if (failure.task().isEmpty()) {
      return message;
    }
    return "Task "
        + failure.task()
        + failure.worker().map(worker -> " on " + worker).orElse("")
        + " failed: "
        + message;
  }

  /** The decision about a failure, without the failure itself, which precedes it in the chain. */
  private String decision(Reason reason) {
    if (reason instanceof RestartRefused refused && isShown(refused.message())) {
      return ReasonText.refusal(refused);
    }
    if (reason instanceof JobFailure failure && isShown(failure.message())) {
      return "a restart would not help.";
    }
    return ReasonText.of(reason);
  }

  /** A failure whose cause was found later is shown with that cause instead. */
  private boolean isShown(String message) {
    return snapshot.job().failures().stream()
            .anyMatch(failure -> failure.failure().message().equals(message))
        || snapshot.history().events().stream()
            .anyMatch(
                event ->
                    event.event() instanceof WorkerLossExplained explained
                        && explained.message().equals(message));
  }

  private static Said said(JournalEntry event, String sentence) {
    return new Said(
        event.wallMillis(),
        JournalText.component(JournalEvent.of(event)),
        Phrases.sentence(sentence));
  }

  private static List<Said> shortened(List<Said> chain) {
    if (chain.size() <= FIRST + LAST + 1) {
      return chain;
    }
    List<Said> shortened = new ArrayList<>(chain.subList(0, FIRST));
    int left = chain.size() - FIRST - LAST;
    shortened.add(new Said(-1, "", "… " + left + " more like these …"));
    shortened.addAll(chain.subList(chain.size() - LAST, chain.size()));
    return shortened;
  }
}
