package io.millrace.rest.explain;

import io.millrace.core.id.JobId;
import io.millrace.protocol.Explanation.Said;
import io.millrace.protocol.Explanation.Unmet;
import io.millrace.protocol.JobSlots.Need;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.journal.Event;
import io.millrace.rpc.journal.History;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a job waits for: what was asked of whom, what was answered, and what would help. */
final class WaitReasons {
  private static final int HOLDERS_NAMED = 3;

  /** What became of workers, as far as it matters to somebody who waits for slots. */
  private static final List<String> ABOUT_WORKERS =
      List.of(
          "workers requested",
          "worker request cancelled",
          "worker started",
          "worker start failed",
          "worker starts paused",
          "worker registered",
          "worker lost");

  private final JobSnapshot story;

  WaitReasons(JobSnapshot story) {
    this.story = story;
  }

  List<Unmet> unmet() {
    List<Unmet> unmet = new ArrayList<>();
    if (story.hasEnded()) {
      return unmet;
    }
    for (Need need : story.job().slots().needs()) {
      if (need.missing() > 0) {
        unmet.add(
            new Unmet(
                need.profile(),
                need.required(),
                need.missing(),
                asked(),
                story
                    .job()
                    .waitingFor()
                    .map(ReasonText::of)
                    .orElse("Nothing has been answered yet."),
                answeredAt(),
                fixes(need)));
      }
    }
    return unmet;
  }

  /** When the job began to wait for the slots it lacks now, as far as its history is known. */
  static Optional<Long> since(History history) {
    return current(history).stream().findFirst().map(Event::wallMillis);
  }

  /** The events since slots are missing; where that is long ago, as many as are known. */
  private static List<Event> current(History history) {
    List<Event> events = history.events();
    int from = 0;
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).what().equals("slots wanted")) {
        from = i;
      }
    }
    return events.subList(from, events.size());
  }

  private long answeredAt() {
    long at = -1;
    for (Event event : current(story.history())) {
      at = event.what().equals("slots missing") ? event.wallMillis() : at;
    }
    return at;
  }

  private List<Said> asked() {
    List<Event> events = current(story.history());
    long since = events.isEmpty() ? Long.MAX_VALUE : events.get(0).id();
    Map<String, Event> latest = new LinkedHashMap<>();
    Map<String, Integer> counts = new LinkedHashMap<>();
    // The declaration stands, however long ago it was made.
    story.history().events().stream()
        .filter(event -> event.id() < since && isDeclaration(event))
        .forEach(event -> latest.put(event.what(), event));
    latest.keySet().forEach(what -> counts.put(what, 0));
    for (Event event : events) {
      if (isQuestion(event)) {
        keep(event, latest, counts);
      }
    }
    for (Event event : story.history().cluster()) {
      if (event.id() > since && ABOUT_WORKERS.contains(event.what())) {
        keep(event, latest, counts);
      }
    }
    return latest.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> entry.getValue().id()))
        .map(entry -> said(entry.getValue(), counts.get(entry.getKey())))
        .toList();
  }

  private static boolean isDeclaration(Event event) {
    return event.what().equals("slots declared") && event.component().equals("jobmaster");
  }

  private static boolean isQuestion(Event event) {
    return switch (event.what()) {
      case "slots declared" -> isDeclaration(event);
      case "slots requested", "slots answered", "slot refused", "resourcemanager lost" -> true;
      default -> false;
    };
  }

  private static void keep(Event event, Map<String, Event> latest, Map<String, Integer> counts) {
    latest.put(event.what(), event);
    counts.merge(event.what(), 1, Integer::sum);
  }

  private static Said said(Event event, int count) {
    String who =
        switch (event.what()) {
          case "slots declared" -> "The JobMaster asked the ResourceManager: ";
          case "slots requested" -> "The ResourceManager asked TaskManagers: ";
          case "slots answered" -> "TaskManagers answered: ";
          default ->
              Character.toUpperCase(event.what().charAt(0))
                  + event.what().substring(1)
                  + event.worker().map(worker -> " (" + worker + ")").orElse("")
                  + ": ";
        };
    String times = count <= 1 ? "" : " This was the last of " + count + " times.";
    return new Said(
        event.wallMillis(), event.component(), who + Phrases.sentence(event.detail()) + times);
  }

  private List<String> fixes(Need need) {
    List<String> fixes = new ArrayList<>();
    if (startsFail()) {
      fixes.add("That the cause of the failed start is mended; starting is tried again by itself.");
    }
    fixes.add(
        Phrases.counted(need.missing(), "more slot")
            + (need.profile().equals("any") ? "" : " of " + need.profile())
            + ", from further TaskManagers or from jobs that end."
            + holders());
    int has = need.required() - need.missing();
    if (has > 0 && story.job().slots().needs().size() == 1) {
      fixes.add(
          "Or a parallelism for which "
              + Phrases.counted(has, "slot")
              + (has == 1 ? " is" : " are")
              + " enough: so many it has already.");
    }
    return fixes;
  }

  /** Whether the latest worker that was started for those who wait did not come. */
  private boolean startsFail() {
    List<Event> events = current(story.history());
    long since = events.isEmpty() ? Long.MAX_VALUE : events.get(0).id();
    boolean fail = false;
    for (Event event : story.history().cluster()) {
      if (event.id() > since && event.what().equals("worker start failed")) {
        fail = true;
      } else if (event.what().equals("worker registered")) {
        fail = false;
      }
    }
    return fail;
  }

  /** Other jobs that have slots, those with most of them first. */
  private String holders() {
    Map<JobId, Integer> held = new TreeMap<>();
    for (WorkerInfo worker : story.workers().orElse(List.of())) {
      worker.slotsInUse().forEach(slot -> held.merge(slot.job(), 1, Integer::sum));
    }
    held.remove(story.job().id());
    if (held.isEmpty()) {
      return story.workers().isPresent() ? " No other job has any." : "";
    }
    List<String> named = new ArrayList<>();
    held.entrySet().stream()
        .sorted(Map.Entry.<JobId, Integer>comparingByValue().reversed())
        .limit(HOLDERS_NAMED)
        .forEach(entry -> named.add("job " + entry.getKey() + " has " + entry.getValue()));
    int others = held.size() - named.size();
    return " Of the others, "
        + String.join(", ", named)
        + (others > 0 ? ", and " + Phrases.counted(others, "further job") + " some" : "")
        + ".";
  }
}
