package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JobMasterEvent.WorkerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRequestsAnswered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsGranted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.rest.Timeline.Step;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.Plural;
import io.millrace.rpc.journal.JournalEntry;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The slots that one request brings to a job, from the request to their place in the slot pool. */
final class SlotAcquisition {
  private final int round;
  private final JournalEntry began;
  private final Set<WorkerId> grantors = new LinkedHashSet<>();
  private final Set<WorkerId> registered = new LinkedHashSet<>();
  private final Set<WorkerId> offering = new LinkedHashSet<>();
  private Optional<JournalEntry> answered = Optional.empty();
  private Optional<JournalEntry> firstRegistered = Optional.empty();
  private Optional<JournalEntry> lastRegistered = Optional.empty();
  private Optional<JournalEntry> firstAccepted = Optional.empty();
  private Optional<JournalEntry> lastAccepted = Optional.empty();
  private int granted;
  private int accepted;

  /**
   * @param began the request; if workers held slots for the job before, their registration or offer
   */
  SlotAcquisition(int round, JournalEntry began) {
    this.round = round;
    this.began = began;
    add(began);
  }

  boolean isAnswered() {
    return !isRequested() || answered.isPresent();
  }

  private boolean isRequested() {
    return began.event() instanceof SlotsRequested;
  }

  void add(JournalEntry entry) {
    if (entry.event() instanceof SlotsGranted) {
      entry.worker().ifPresent(grantors::add);
    } else if (entry.event() instanceof SlotRequestsAnswered answers) {
      answered = Optional.of(entry);
      granted += answers.granted();
    } else if (entry.event() instanceof WorkerRegistered) {
      entry.worker().ifPresent(registered::add);
      firstRegistered = firstRegistered.or(() -> Optional.of(entry));
      lastRegistered = Optional.of(entry);
    } else if (entry.event() instanceof SlotsAccepted slots) {
      entry.worker().ifPresent(offering::add);
      firstAccepted = firstAccepted.or(() -> Optional.of(entry));
      lastAccepted = Optional.of(entry);
      accepted += slots.accepted();
    }
  }

  /**
   * @param end when the round ended; -1 if it has not
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
              Phrases.after(start, answered.map(JournalEntry::wallMillis).orElse(end)),
              granted,
              Phrases.sentence(JournalText.of(answered.orElse(began)))));
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
                        ? Plural.of(registered.size(), "TaskManager") + " registered."
                        : Phrases.sentence(JournalText.of(last)))));
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
                  Phrases.sentence(JournalText.of(last))));
        });
  }
}
