package io.millrace.rest.explain;

import io.millrace.core.id.WorkerId;
import io.millrace.protocol.Explanation.Place;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobSlots.Held;
import io.millrace.rpc.journal.Event;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where the slots of a job are and why there, or where its tasks were when it ended. */
final class SlotPlacements {
  private static final int SHOWN = 10;

  private final JobSnapshot story;
  private final Map<WorkerId, Integer> slots = new LinkedHashMap<>();
  private final Map<WorkerId, Integer> tasks = new LinkedHashMap<>();
  private final Map<WorkerId, Event> grants = new LinkedHashMap<>();

  /** Offers of workers that had slots of the job before this JobManager was started. */
  private final Map<WorkerId, Event> kept = new LinkedHashMap<>();

  SlotPlacements(JobSnapshot story) {
    this.story = story;
    for (Held held : story.job().slots().held()) {
      slots.put(held.worker(), held.slots());
      tasks.put(held.worker(), 0);
    }
    for (VertexDetails vertex : story.job().vertices()) {
      for (SubtaskDetails subtask : vertex.subtasks()) {
        if (story.hasEnded() || !subtask.state().isTerminal()) {
          subtask.worker().ifPresent(worker -> tasks.merge(worker, 1, Integer::sum));
        }
      }
    }
    boolean recovered = false;
    for (Event event : story.history().events()) {
      recovered |= event.what().equals("job recovered");
      if (event.what().equals("slots granted")) {
        event.worker().ifPresent(worker -> grants.put(worker, event));
      } else if (recovered && event.what().equals("slots accepted")) {
        event.worker().ifPresent(worker -> kept.putIfAbsent(worker, event));
      }
    }
    kept.keySet().removeAll(grants.keySet());
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
          Phrases.counted(tasks.size() - SHOWN, "more TaskManager")
              + (story.hasEnded() ? "." : " with " + Phrases.counted(others, "slot") + "."));
    }
    if (!slots.isEmpty() && story.job().slots().missing() == 0) {
      lastRequest().ifPresent(event -> notes.add("Why there: " + choice(event.detail()) + "."));
    }
    return notes;
  }

  /** How workers were chosen is what a request says last. */
  private static String choice(String request) {
    String choice = request.substring(request.lastIndexOf(", ") + 1).strip();
    return choice.endsWith(".") ? choice.substring(0, choice.length() - 1) : choice;
  }

  private Optional<Event> lastRequest() {
    Optional<Event> last = Optional.empty();
    for (Event event : story.history().events()) {
      if (event.what().equals("slots requested")) {
        last = Optional.of(event);
      }
    }
    return last;
  }

  private Place place(WorkerId worker, int tasks) {
    int here = slots.getOrDefault(worker, 0);
    Event grant = grants.get(worker);
    Event offer = kept.get(worker);
    StringBuilder sentence = new StringBuilder("TaskManager " + worker + ": ");
    if (here > 0) {
      sentence.append(Phrases.counted(here, "slot")).append(", ");
    }
    sentence
        .append(Phrases.counted(tasks, "task"))
        .append(
            grant == null
                ? ""
                : "; "
                    + Phrases.counted(grant.count(), "slot")
                    + " granted in "
                    + grant.tookMillis()
                    + " ms")
        .append(offer == null ? "" : "; kept for the job since before the JobManager was started")
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
