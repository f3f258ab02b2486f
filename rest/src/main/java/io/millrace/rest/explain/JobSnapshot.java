package io.millrace.rest.explain;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.config.Durations;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.journal.DispatcherEvent.ClientLost;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.Plural;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A job at one point in time: its details, its history and the workers of its cluster.
 *
 * @param workers empty if the ResourceManager does not answer
 * @param now the time of the JobManager
 */
public record JobSnapshot(
    JobDetails job, History history, Optional<List<WorkerInfo>> workers, long now) {
  public JobSnapshot {
    Objects.requireNonNull(job);
    Objects.requireNonNull(history);
    workers = workers.map(OrderedCopies::list);
  }

  public Explanation explain() {
    List<String> notes = new ArrayList<>();
    tasks().ifPresent(notes::add);
    SlotPlacements places = new SlotPlacements(this);
    places.notes().forEach(notes::add);
    notes.addAll(new TaskThreadReport(this).notes());
    notes.addAll(new EventTimeReport(this).notes());
    notes.addAll(new SplitReport(this).notes());
    if (workers.isEmpty()) {
      notes.add("The ResourceManager does not answer; the state of workers is not known.");
    }
    truncation().ifPresent(notes::add);
    if (history.dropped() > 0) {
      notes.add("The journal has dropped " + history.dropped() + " older events of the job.");
    }
    return new Explanation(
        job.id(),
        job.graph().name(),
        job.status(),
        since(),
        summary(),
        new WaitReasons(this).unmet(),
        places.all(),
        new FailureChain(this).chain(),
        notes);
  }

  public Timeline timeline() {
    return new Timeline(
        job.id(),
        job.graph().name(),
        job.status(),
        now,
        new TimelineBuilder(this).steps(),
        history.dropped(),
        truncation().stream().toList());
  }

  /** A note if the history does not begin with the job: a JobManager only has its own events. */
  private Optional<String> truncation() {
    List<JournalEntry> events = history.events();
    if (events.isEmpty()) {
      return Optional.of("The history of the job is no longer available.");
    }
    JournalEntry first = events.get(0);
    return first.event() instanceof JobRecovered
        ? Optional.of(
            "The history of the job begins at "
                + Instant.ofEpochMilli(first.wallMillis()).truncatedTo(ChronoUnit.SECONDS)
                + ", when its JobManager was restarted; earlier events are not available.")
        : Optional.empty();
  }

  boolean hasEnded() {
    return job.status().isTerminal();
  }

  private long since() {
    return job.timestamps().getOrDefault(job.status(), -1L);
  }

  private String summary() {
    String ran = job.endedAt() < 0 ? "" : " after " + lasted(job.startedAt(), job.endedAt());
    return switch (job.status()) {
      case INITIALIZING, CREATED -> "The job is accepted; its JobMaster is being started.";
      case RUNNING, RESTARTING -> atWork();
      case FAILING -> "The job is failing; its tasks are being ended." + lastFailure();
      case FAILED -> "The job failed" + ran + "." + lastFailure();
      case CANCELLING ->
          clientLost()
              .map(why -> "The job is cancelled; its tasks are being ended. " + why)
              .orElse("The user has cancelled the job; its tasks are being ended.");
      case CANCELED ->
          clientLost()
              .map(why -> "The job was cancelled" + ran + ". " + why)
              .orElse("The user cancelled the job" + ran + ".");
      case FINISHED -> "The job finished" + ran + ".";
      case SUSPENDED, RECONCILING -> "The job waits for a JobMaster that leads it.";
    };
  }

  /** The loss of the client, if that is why the job was cancelled. */
  private Optional<String> clientLost() {
    return history.events().stream()
        .filter(entry -> entry.event() instanceof ClientLost)
        .reduce((earlier, later) -> later)
        .map(event -> Phrases.sentence(JournalText.of(event)));
  }

  private String atWork() {
    String restarts = job.restarts() == 0 ? "" : " It has restarted " + times(job.restarts()) + ".";
    int missing = job.slots().missing();
    if (missing > 0) {
      return "The job waits for "
          + missing
          + " of "
          + Plural.of(job.slots().required(), "slot")
          + WaitReasons.since(history)
              .map(began -> ", for " + lasted(began, now) + " now")
              .orElse("")
          + "."
          + restarts;
    }
    if (job.status() == JobStatus.RESTARTING) {
      return "The job is being restarted." + restarts;
    }
    int slots = job.slots().held().stream().mapToInt(JobSlots.Held::slots).sum();
    return "The job runs in "
        + Plural.of(slots, "slot")
        + " of "
        + Plural.of(job.slots().held().size(), "TaskManager")
        + ", for "
        + lasted(since(), now)
        + " now."
        + restarts;
  }

  private static String times(int count) {
    return count == 1 ? "once" : count + " times";
  }

  private String lastFailure() {
    return job.failures().isEmpty() ? "" : " " + FailureChain.sentence(job.failures().get(0));
  }

  /** The number of tasks per state; empty if there are no tasks. */
  private Optional<String> tasks() {
    Map<TaskState, Integer> counts = new EnumMap<>(TaskState.class);
    int total = 0;
    for (VertexDetails vertex : job.vertices()) {
      for (SubtaskDetails subtask : vertex.subtasks()) {
        counts.merge(subtask.state(), 1, Integer::sum);
        total++;
      }
    }
    if (total == 0) {
      return Optional.empty();
    }
    StringBuilder sentence = new StringBuilder("Tasks:");
    String separator = " ";
    for (TaskState state : TaskState.values()) {
      if (counts.containsKey(state)) {
        sentence.append(separator).append(counts.get(state)).append(' ').append(state);
        separator = ", ";
      }
    }
    return Optional.of(sentence.append('.').toString());
  }

  static String lasted(long from, long to) {
    return Durations.readable(Duration.ofMillis(Math.max(0, to - from)));
  }
}
