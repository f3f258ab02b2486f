package io.millrace.rest.explain;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.ClientEvent.JobSent;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.journal.DispatcherEvent.JobEnded;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.protocol.journal.JobMasterEvent.CancelRequested;
import io.millrace.protocol.journal.JobMasterEvent.JobMasterStarted;
import io.millrace.protocol.journal.JobMasterEvent.RestartScheduled;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JobMasterEvent.StatusChanged;
import io.millrace.protocol.journal.JobMasterEvent.TasksDeployed;
import io.millrace.protocol.journal.JobMasterEvent.WorkerLost;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRequestsAnswered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsGranted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.rest.Timeline.Step;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Builds the steps of a timeline from the events of a job, one round per start. */
final class TimelineBuilder {

  private final List<StartRound> rounds = new ArrayList<>();
  private final Set<WorkerId> hosts = new LinkedHashSet<>();
  private Optional<JournalEntry> sent = Optional.empty();
  private Optional<JournalEntry> accepted = Optional.empty();
  private Optional<JournalEntry> cancel = Optional.empty();
  private Optional<JournalEntry> failing = Optional.empty();
  private Optional<JournalEntry> ended = Optional.empty();
  private Optional<JobStatus> endStatus = Optional.empty();
  private Optional<JournalEntry> archived = Optional.empty();

  TimelineBuilder(JobSnapshot snapshot) {
    StartRound round = new StartRound();
    List<JournalEntry> early = new ArrayList<>();
    rounds.add(round);
    for (JournalEntry event : snapshot.history().events()) {
      boolean starts =
          event.event() instanceof RestartScheduled
              || (event.event() instanceof JobMasterStarted && round.hasJobMaster());
      if (starts) {
        round = new StartRound(rounds.size(), event);
        rounds.add(round);
        early.forEach(round::add);
        early.clear();
      }
      // The ResourceManager may notice a lost worker first and allocate slots before the restart.
      if (round.isComplete() && isAboutSlots(event)) {
        early.add(event);
      } else {
        round.add(event);
      }
      addToJob(event);
      event.worker().ifPresent(worker -> updateHosts(worker, event));
      if (event.event() instanceof TasksDeployed) {
        round.deployedTo(hosts);
      }
    }
    early.forEach(round::add);
    snapshot.history().cluster().forEach(this::addWorkerEvent);
  }

  List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    sent.ifPresent(
        event -> steps.add(step("Submit", "client", event.since(), event.wallMillis(), event)));
    accepted.ifPresent(
        event ->
            steps.add(
                step("Store and accept", "jobmanager", event.since(), event.wallMillis(), event)));
    for (int i = 0; i < rounds.size(); i++) {
      long end =
          i + 1 < rounds.size()
              ? rounds.get(i + 1).began().orElseThrow().wallMillis()
              : cancel.or(() -> failing).or(() -> ended).map(JournalEntry::wallMillis).orElse(-1L);
      rounds
          .get(i)
          .addTo(steps, i == 0 ? accepted.map(JournalEntry::wallMillis).orElse(-1L) : -1, end);
    }
    addEnd(steps);
    steps.sort(Comparator.comparingInt(Step::round).thenComparingLong(Step::start));
    return steps;
  }

  private static boolean isAboutSlots(JournalEntry entry) {
    return entry.event() instanceof SlotsWanted
        || entry.event() instanceof SlotsRequested
        || entry.event() instanceof SlotsGranted
        || entry.event() instanceof SlotRequestsAnswered
        || entry.event() instanceof WorkerRegistered
        || entry.event() instanceof SlotsAccepted;
  }

  private void updateHosts(WorkerId worker, JournalEntry entry) {
    if (entry.event() instanceof SlotsAccepted) {
      hosts.add(worker);
    } else if (entry.event() instanceof WorkerLost) {
      hosts.remove(worker);
    }
  }

  private void addToJob(JournalEntry entry) {
    if (entry.event() instanceof JobSent) {
      sent = sent.or(() -> Optional.of(entry));
    } else if (entry.event() instanceof JobSubmitted || entry.event() instanceof JobRecovered) {
      accepted = accepted.or(() -> Optional.of(entry));
    } else if (entry.event() instanceof CancelRequested) {
      cancel = cancel.or(() -> Optional.of(entry));
    } else if (entry.event() instanceof StatusChanged changed) {
      status(changed.status(), entry);
    } else if (entry.event() instanceof JobEnded over) {
      status(over.status(), entry);
    } else if (entry.event() instanceof JobArchived) {
      archived = Optional.of(entry);
    }
  }

  private void status(JobStatus status, JournalEntry entry) {
    if (status == JobStatus.FAILING) {
      failing = Optional.of(entry);
    } else if (status.isTerminal()) {
      ended = Optional.of(entry);
      endStatus = Optional.of(status);
    }
  }

  private void addWorkerEvent(JournalEntry event) {
    StartRound during = rounds.get(0);
    for (StartRound round : rounds) {
      if (round.began().isPresent() && round.began().get().id() < event.id()) {
        during = round;
      }
    }
    during.addWorker(event);
  }

  private void addEnd(List<Step> steps) {
    int round = rounds.size() - 1;
    long end = ended.map(JournalEntry::wallMillis).orElse(-1L);
    cancel.ifPresent(
        event ->
            steps.add(at(round, step("Cancel", "jobmanager", event.wallMillis(), end, event))));
    failing.ifPresent(
        event -> steps.add(at(round, step("Fail", "jobmanager", event.wallMillis(), end, event))));
    ended.ifPresent(
        event -> {
          String state = endStatus.orElseThrow().name();
          steps.add(at(round, step(state, "jobmanager", end, end, event)));
          archived.ifPresent(
              last ->
                  steps.add(
                      at(round, step("Store result", "jobmanager", end, last.wallMillis(), last))));
        });
  }

  private static Step at(int round, Step step) {
    return new Step(
        round, step.step(), step.process(), step.start(), step.end(), step.count(), step.detail());
  }

  private static Step step(String name, String process, long start, long end, JournalEntry event) {
    return new Step(
        0,
        name,
        process,
        start,
        end < 0 ? -1 : Math.max(start, end),
        JournalEvent.of(event).count(),
        Phrases.sentence(JournalText.of(event)));
  }
}
