package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobSlots.Held;
import io.millrace.protocol.journal.DispatcherEvent.JobRecovered;
import io.millrace.protocol.journal.JobMasterEvent.SlotsAccepted;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsGranted;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.rest.Explanation.Place;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.Plural;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** On which TaskManagers the slots of a job are and why; for an ended job, where its tasks were. */
final class SlotPlacements {
  private static final int SHOWN = 10;

  private final JobSnapshot snapshot;
  private final Map<WorkerId, Integer> slots = new LinkedHashMap<>();
  private final Map<WorkerId, Integer> tasks = new LinkedHashMap<>();
  private final Map<WorkerId, JournalEntry> grants = new LinkedHashMap<>();

  /** Offers of workers that held slots of the job when this JobManager started. */
  private final Map<WorkerId, JournalEntry> reoffers = new LinkedHashMap<>();

  SlotPlacements(JobSnapshot snapshot) {
    this.snapshot = snapshot;
    for (Held held : snapshot.job().slots().held()) {
      slots.put(held.worker(), held.slots());
      tasks.put(held.worker(), 0);
    }
    for (VertexDetails vertex : snapshot.job().vertices()) {
      for (SubtaskDetails subtask : vertex.subtasks()) {
        if (snapshot.hasEnded() || !subtask.state().isTerminal()) {
          subtask.worker().ifPresent(worker -> tasks.merge(worker, 1, Integer::sum));
        }
      }
    }
    boolean recovered = false;
    for (JournalEntry event : snapshot.history().events()) {
      recovered |= event.event() instanceof JobRecovered;
      if (event.event() instanceof SlotsGranted) {
        event.worker().ifPresent(worker -> grants.put(worker, event));
      } else if (recovered && event.event() instanceof SlotsAccepted) {
        event.worker().ifPresent(worker -> reoffers.putIfAbsent(worker, event));
      }
    }
    reoffers.keySet().removeAll(grants.keySet());
  }

  List<Place> all() {
    List<Place> places = new ArrayList<>();
    for (Map.Entry<WorkerId, Integer> entry : tasks.entrySet()) {
      if (places.size() < SHOWN) {
        places.add(place(entry.getKey(), entry.getValue()));
      }
    }
    return places;
  }

  List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (tasks.size() > SHOWN) {
      int others = 0;
      int index = 0;
      for (WorkerId worker : tasks.keySet()) {
        others += index++ < SHOWN ? 0 : slots.getOrDefault(worker, 0);
      }
      notes.add(
          Plural.of(tasks.size() - SHOWN, "more TaskManager")
              + (snapshot.hasEnded() ? "." : " with " + Plural.of(others, "slot") + "."));
    }
    if (!slots.isEmpty() && snapshot.job().slots().missing() == 0) {
      lastRequest()
          .ifPresent(request -> notes.add("Why there: " + JournalText.choice(request) + "."));
    }
    return notes;
  }

  private Optional<SlotsRequested> lastRequest() {
    Optional<SlotsRequested> last = Optional.empty();
    for (JournalEntry entry : snapshot.history().events()) {
      if (entry.event() instanceof SlotsRequested request) {
        last = Optional.of(request);
      }
    }
    return last;
  }

  private Place place(WorkerId worker, int tasks) {
    int here = slots.getOrDefault(worker, 0);
    JournalEntry grant = grants.get(worker);
    JournalEntry offer = reoffers.get(worker);
    StringBuilder sentence = new StringBuilder("TaskManager " + worker + ": ");
    if (here > 0) {
      sentence.append(Plural.of(here, "slot")).append(", ");
    }
    sentence
        .append(Plural.of(tasks, "task"))
        .append(
            grant == null
                ? ""
                : "; "
                    + Plural.of(JournalEvent.of(grant).count(), "slot")
                    + " granted in "
                    + grant.tookMillis()
                    + " ms")
        .append(offer == null ? "" : "; held for the job since before the JobManager started")
        .append('.');
    return new Place(
        worker,
        here,
        tasks,
        grant != null ? grant.wallMillis() : offer != null ? offer.wallMillis() : -1,
        grant == null ? -1 : grant.tookMillis(),
        sentence.toString());
  }
}
