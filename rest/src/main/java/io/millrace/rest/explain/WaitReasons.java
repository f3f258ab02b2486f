package io.millrace.rest.explain;

import io.millrace.core.id.JobId;
import io.millrace.protocol.JobSlots.Need;
import io.millrace.protocol.WorkerInfo;
import io.millrace.protocol.journal.JobMasterEvent.ResourceManagerLost;
import io.millrace.protocol.journal.JobMasterEvent.ShortageReported;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRefused;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotRequestsAnswered;
import io.millrace.protocol.journal.ResourceManagerEvent.SlotsRequested;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerLost;
import io.millrace.protocol.journal.ResourceManagerEvent.TaskManagerRegistered;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerRequestCancelled;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartFailed;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStarted;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkerStartsPaused;
import io.millrace.protocol.journal.ResourceManagerEvent.WorkersRequested;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Explanation.Unmet;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.Plural;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Why a job waits: the requests that were made, their answers, and what the user can do. */
final class WaitReasons {
  private static final int HOLDERS_NAMED = 3;

  /** Events of workers that explain why slots are missing. */
  private static boolean isAboutWorkers(JournalEntry entry) {
    return entry.event() instanceof WorkersRequested
        || entry.event() instanceof WorkerRequestCancelled
        || entry.event() instanceof WorkerStarted
        || entry.event() instanceof WorkerStartFailed
        || entry.event() instanceof WorkerStartsPaused
        || entry.event() instanceof TaskManagerRegistered
        || entry.event() instanceof TaskManagerLost;
  }

  private final JobSnapshot snapshot;

  WaitReasons(JobSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  List<Unmet> unmet() {
    List<Unmet> unmet = new ArrayList<>();
    if (snapshot.hasEnded()) {
      return unmet;
    }
    for (Need need : snapshot.job().slots().needs()) {
      if (need.missing() > 0) {
        unmet.add(
            new Unmet(
                need.profile(),
                need.required(),
                need.missing(),
                asked(),
                snapshot
                    .job()
                    .waitingFor()
                    .map(ReasonText::of)
                    .orElse("No answer has arrived yet."),
                answeredAt(),
                fixes(need)));
      }
    }
    return unmet;
  }

  /** When the job began to wait for the slots that it lacks now, as far as its history is known. */
  static Optional<Long> since(History history) {
    return current(history).stream().findFirst().map(JournalEntry::wallMillis);
  }

  /** The events since slots are missing; all known events if that one was dropped. */
  private static List<JournalEntry> current(History history) {
    List<JournalEntry> events = history.events();
    int from = 0;
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).event() instanceof SlotsWanted) {
        from = i;
      }
    }
    return events.subList(from, events.size());
  }

  private long answeredAt() {
    long at = -1;
    for (JournalEntry event : current(snapshot.history())) {
      at = event.event() instanceof ShortageReported ? event.wallMillis() : at;
    }
    return at;
  }

  private List<Said> asked() {
    List<JournalEntry> events = current(snapshot.history());
    long since = events.isEmpty() ? Long.MAX_VALUE : events.get(0).id();
    Map<Class<?>, JournalEntry> latest = new LinkedHashMap<>();
    Map<Class<?>, Integer> counts = new LinkedHashMap<>();
    // A declaration stays valid until the next one.
    snapshot.history().events().stream()
        .filter(event -> event.id() < since && event.event() instanceof SlotsDeclared)
        .forEach(event -> latest.put(SlotsDeclared.class, event));
    latest.keySet().forEach(kind -> counts.put(kind, 0));
    for (JournalEntry event : events) {
      if (isRequestOrAnswer(event)) {
        addLatest(event, latest, counts);
      }
    }
    for (JournalEntry event : snapshot.history().cluster()) {
      if (event.id() > since && isAboutWorkers(event)) {
        addLatest(event, latest, counts);
      }
    }
    return latest.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> entry.getValue().id()))
        .map(entry -> said(entry.getValue(), counts.get(entry.getKey())))
        .toList();
  }

  private static boolean isRequestOrAnswer(JournalEntry entry) {
    return entry.event() instanceof SlotsDeclared
        || entry.event() instanceof SlotsRequested
        || entry.event() instanceof SlotRequestsAnswered
        || entry.event() instanceof SlotRefused
        || entry.event() instanceof ResourceManagerLost;
  }

  private static void addLatest(
      JournalEntry entry, Map<Class<?>, JournalEntry> latest, Map<Class<?>, Integer> counts) {
    latest.put(entry.event().getClass(), entry);
    counts.merge(entry.event().getClass(), 1, Integer::sum);
  }

  private static Said said(JournalEntry entry, int count) {
    JournalEvent event = JournalEvent.of(entry);
    String times = count <= 1 ? "" : " This is the last of " + count + " such events.";
    return new Said(
        entry.wallMillis(),
        JournalText.component(event),
        introduction(event, entry) + Phrases.sentence(JournalText.of(event)) + times);
  }

  private static String introduction(JournalEvent event, JournalEntry entry) {
    if (event instanceof SlotsDeclared) {
      return "The JobMaster asked the ResourceManager: ";
    } else if (event instanceof SlotsRequested) {
      return "The ResourceManager asked TaskManagers: ";
    } else if (event instanceof SlotRequestsAnswered) {
      return "TaskManagers answered: ";
    }
    String title = JournalText.title(event);
    return Character.toUpperCase(title.charAt(0))
        + title.substring(1)
        + entry.worker().map(worker -> " (" + worker + ")").orElse("")
        + ": ";
  }

  private List<String> fixes(Need need) {
    List<String> fixes = new ArrayList<>();
    if (doWorkerStartsFail()) {
      fixes.add("Correct the cause of the failed start; workers are started again automatically.");
    }
    fixes.add(
        Plural.of(need.missing(), "more slot")
            + (need.profile().equals("any") ? "" : " of " + need.profile())
            + ", from further TaskManagers or from jobs that end."
            + holders());
    int has = need.required() - need.missing();
    if (has > 0 && snapshot.job().slots().needs().size() == 1) {
      fixes.add(
          "Or a parallelism for which "
              + Plural.of(has, "slot")
              + (has == 1 ? " is" : " are")
              + " enough: the job has that many already.");
    }
    return fixes;
  }

  /** Whether the last worker start since the job waits failed. */
  private boolean doWorkerStartsFail() {
    List<JournalEntry> events = current(snapshot.history());
    long since = events.isEmpty() ? Long.MAX_VALUE : events.get(0).id();
    boolean fail = false;
    for (JournalEntry event : snapshot.history().cluster()) {
      if (event.id() > since && event.event() instanceof WorkerStartFailed) {
        fail = true;
      } else if (event.event() instanceof TaskManagerRegistered) {
        fail = false;
      }
    }
    return fail;
  }

  /** The other jobs that hold slots, the one with most slots first. */
  private String holders() {
    Map<JobId, Integer> held = new TreeMap<>();
    for (WorkerInfo worker : snapshot.workers().orElse(List.of())) {
      worker.slotsInUse().forEach(slot -> held.merge(slot.job(), 1, Integer::sum));
    }
    held.remove(snapshot.job().id());
    if (held.isEmpty()) {
      return snapshot.workers().isPresent() ? " No other job holds slots." : "";
    }
    List<String> named = new ArrayList<>();
    held.entrySet().stream()
        .sorted(Map.Entry.<JobId, Integer>comparingByValue().reversed())
        .limit(HOLDERS_NAMED)
        .forEach(entry -> named.add("job " + entry.getKey() + " has " + entry.getValue()));
    int others = held.size() - named.size();
    return " Other jobs: "
        + String.join(", ", named)
        + (others > 0 ? ", and " + Plural.of(others, "further job") + " hold slots" : "")
        + ".";
  }
}
