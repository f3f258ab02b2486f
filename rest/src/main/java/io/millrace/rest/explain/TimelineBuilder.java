package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.Timeline.Step;
import io.millrace.rpc.journal.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The steps of a job's life, read from its events: one round for every start. */
final class TimelineBuilder {
  private static final List<String> ABOUT_SLOTS =
      List.of(
          "slots wanted",
          "slots requested",
          "slots granted",
          "slots answered",
          "worker registered",
          "slots accepted");

  private final List<StartRound> rounds = new ArrayList<>();
  private final Set<WorkerId> hosts = new LinkedHashSet<>();
  private Optional<Event> sent = Optional.empty();
  private Optional<Event> accepted = Optional.empty();
  private Optional<Event> cancel = Optional.empty();
  private Optional<Event> failing = Optional.empty();
  private Optional<Event> ended = Optional.empty();
  private Optional<Event> archived = Optional.empty();

  TimelineBuilder(JobSnapshot story) {
    StartRound round = new StartRound(0, Optional.empty());
    List<Event> early = new ArrayList<>();
    rounds.add(round);
    for (Event event : story.history().events()) {
      boolean anew =
          event.what().equals("restart")
              || (event.what().equals("jobmaster started") && round.hasJobMaster());
      if (anew) {
        round = new StartRound(rounds.size(), Optional.of(event));
        rounds.add(round);
        early.forEach(round::add);
        early.clear();
      }
      // The ResourceManager may hear of a lost worker first, and has new slots before the restart.
      if (round.isComplete() && ABOUT_SLOTS.contains(event.what())) {
        early.add(event);
      } else {
        round.add(event);
      }
      whole(event);
      event.worker().ifPresent(worker -> host(worker, event.what()));
      if (event.what().equals("tasks deployed")) {
        round.deployedTo(hosts);
      }
    }
    early.forEach(round::add);
    story.history().cluster().forEach(this::aboutWorker);
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
              : cancel.or(() -> failing).or(() -> ended).map(Event::wallMillis).orElse(-1L);
      rounds.get(i).addTo(steps, i == 0 ? accepted : Optional.empty(), end);
    }
    addEnd(steps);
    steps.sort(Comparator.comparingInt(Step::round).thenComparingLong(Step::start));
    return steps;
  }

  private void host(WorkerId worker, String what) {
    if (what.equals("slots accepted")) {
      hosts.add(worker);
    } else if (what.equals("worker lost")) {
      hosts.remove(worker);
    }
  }

  private void whole(Event event) {
    switch (event.what()) {
      case "job sent" -> sent = sent.or(() -> Optional.of(event));
      case "job submitted", "job recovered" -> accepted = accepted.or(() -> Optional.of(event));
      case "cancel requested" -> cancel = cancel.or(() -> Optional.of(event));
      case "job FAILING" -> failing = Optional.of(event);
      case "job FINISHED", "job FAILED", "job CANCELED" -> ended = Optional.of(event);
      case "job archived" -> archived = Optional.of(event);
      default -> {}
    }
  }

  private void aboutWorker(Event event) {
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
    long end = ended.map(Event::wallMillis).orElse(-1L);
    cancel.ifPresent(
        event ->
            steps.add(at(round, step("Cancel", "jobmanager", event.wallMillis(), end, event))));
    failing.ifPresent(
        event -> steps.add(at(round, step("Fail", "jobmanager", event.wallMillis(), end, event))));
    ended.ifPresent(
        event -> {
          String state = event.what().substring("job ".length());
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

  private static Step step(String name, String process, long start, long end, Event event) {
    return new Step(
        0,
        name,
        process,
        start,
        end < 0 ? -1 : Math.max(start, end),
        event.count(),
        Phrases.sentence(event.detail()));
  }
}
