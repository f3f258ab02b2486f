package io.millrace.rest.explain;

import io.millrace.protocol.Explanation.Said;
import io.millrace.protocol.JobDetails.RecordedFailure;
import io.millrace.rpc.journal.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** How failures, restarts and the end of a job followed from each other. */
final class FailureChain {
  private static final int FIRST = 3;
  private static final int LAST = 7;

  private final JobSnapshot story;

  FailureChain(JobSnapshot story) {
    this.story = story;
  }

  List<Said> chain() {
    List<Said> chain = new ArrayList<>();
    List<RecordedFailure> failures = story.job().failures();
    for (int i = failures.size() - 1; i >= 0; i--) {
      chain.add(new Said(failures.get(i).at(), "jobmaster", sentence(failures.get(i))));
    }
    long known = failures.isEmpty() ? -1 : failures.get(failures.size() - 1).at();
    boolean cancelled = false;
    for (Event event : story.history().events()) {
      if (event.what().equals("failure") && event.wallMillis() < known) {
        // Only the newest are remembered with their task.
        chain.add(said(event, event.detail()));
      } else if (event.what().equals("restart")) {
        chain.add(said(event, event.detail()));
      } else if (event.what().equals("job FAILING")) {
        chain.add(said(event, "The job fails: " + decision(event.detail())));
      } else if (event.what().equals("cancel requested")) {
        cancelled = true;
        chain.add(said(event, event.detail()));
      } else if (cancelled && event.what().equals("worker lost")) {
        // Otherwise a failure says so.
        chain.add(said(event, event.detail()));
      } else if (event.what().equals("job recovered")) {
        chain.add(said(event, "The JobManager was started anew: " + event.detail()));
      }
    }
    // What happened in the same millisecond stays as it is: a failure before what it led to.
    chain.sort(Comparator.comparingLong(Said::time));
    return shortened(chain);
  }

  /** Such as {@code Task Sink: print (2/4) on w1 failed: no space left.} */
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

  /** What was decided about a failure, without the failure itself, which comes before it. */
  private String decision(String reason) {
    for (RecordedFailure failure : story.job().failures()) {
      String message = failure.failure().message();
      if (!message.isEmpty() && reason.startsWith(message)) {
        String rest = reason.substring(message.length()).strip();
        return rest.isEmpty() ? "no restart would help." : rest;
      }
    }
    return reason;
  }

  private static Said said(Event event, String sentence) {
    return new Said(event.wallMillis(), event.component(), Phrases.sentence(sentence));
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
