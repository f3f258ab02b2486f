package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.Timeline.Step;
import io.millrace.rpc.journal.Event;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Slots on their way to a job, from their request to their place in its pool. */
final class SlotWave {
  private final int round;
  private final Event began;
  private final Set<WorkerId> grantors = new LinkedHashSet<>();
  private final Set<WorkerId> registered = new LinkedHashSet<>();
  private final Set<WorkerId> offering = new LinkedHashSet<>();
  private Optional<Event> answered = Optional.empty();
  private Optional<Event> firstRegistered = Optional.empty();
  private Optional<Event> lastRegistered = Optional.empty();
  private Optional<Event> firstAccepted = Optional.empty();
  private Optional<Event> lastAccepted = Optional.empty();
  private int granted;
  private int accepted;

  /**
   * @param began the request; where workers had kept slots for the job, what they did with them
   *     first
   */
  SlotWave(int round, Event began) {
    this.round = round;
    this.began = began;
    add(began);
  }

  boolean isAnswered() {
    return !isRequested() || answered.isPresent();
  }

  private boolean isRequested() {
    return began.what().equals("slots requested");
  }

  void add(Event event) {
    switch (event.what()) {
      case "slots granted" -> event.worker().ifPresent(grantors::add);
      case "slots answered" -> {
        answered = Optional.of(event);
        granted += event.count();
      }
      case "worker registered" -> {
        event.worker().ifPresent(registered::add);
        firstRegistered = firstRegistered.or(() -> Optional.of(event));
        lastRegistered = Optional.of(event);
      }
      case "slots accepted" -> {
        event.worker().ifPresent(offering::add);
        firstAccepted = firstAccepted.or(() -> Optional.of(event));
        lastAccepted = Optional.of(event);
        accepted += event.count();
      }
      default -> {}
    }
  }

  /**
   * @param end when the round was over; -1 where it is not
   */
  void addTo(List<Step> steps, long end) {
    long start = began.wallMillis();
    if (isRequested()) {
      steps.add(
          new Step(
              round,
              "Grant slots",
              Phrases.process(grantors),
              start,
              Phrases.after(start, answered.map(Event::wallMillis).orElse(end)),
              granted,
              Phrases.sentence(answered.orElse(began).detail())));
    }
    lastRegistered.ifPresent(
        last ->
            steps.add(
                new Step(
                    round,
                    "Register at JobMaster",
                    Phrases.process(registered),
                    start,
                    Phrases.after(start, last.wallMillis()),
                    registered.size(),
                    registered.size() > 1
                        ? Phrases.counted(registered.size(), "TaskManager") + " registered."
                        : Phrases.sentence(last.detail()))));
    lastAccepted.ifPresent(
        last -> {
          long offered = firstRegistered.or(() -> firstAccepted).orElseThrow().wallMillis();
          steps.add(
              new Step(
                  round,
                  "Offer and accept slots",
                  Phrases.process(offering),
                  offered,
                  Phrases.after(offered, last.wallMillis()),
                  accepted,
                  Phrases.sentence(last.detail())));
        });
  }
}
