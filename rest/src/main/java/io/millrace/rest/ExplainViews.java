package io.millrace.rest;

import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Explanation.Place;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Explanation.Unmet;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.rest.Timeline.Step;
import io.millrace.protocol.text.JournalText;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.JournalEntry;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Explanations, timelines and journals as JSON. */
final class ExplainViews {
  private ExplainViews() {}

  static JsonObject explanation(Explanation explanation) {
    return new JsonObject()
        .put("jid", explanation.job().toString())
        .put("name", explanation.name())
        .put("state", explanation.status().name())
        .put("since", explanation.since())
        .put("summary", explanation.summary())
        .put("unmet", Json.array(explanation.unmet(), ExplainViews::unmet))
        .put("places", Json.array(explanation.places(), ExplainViews::place))
        .put("causes", Json.array(explanation.causes(), ExplainViews::entry))
        .put("notes", new JsonArray(explanation.notes()));
  }

  static JsonObject timeline(Timeline timeline) {
    return new JsonObject()
        .put("jid", timeline.job().toString())
        .put("name", timeline.name())
        .put("state", timeline.status().name())
        .put("now", timeline.at())
        .put("steps", Json.array(timeline.steps(), step -> step(step, timeline.at())))
        .put("dropped-events", timeline.dropped())
        .put("notes", new JsonArray(timeline.notes()));
  }

  static JsonObject journal(History known) {
    return new JsonObject()
        .put("events", Json.array(known.events(), ExplainViews::event))
        .put("dropped", known.dropped());
  }

  /** Ids are texts, because JavaScript numbers have too few digits for them. */
  private static JsonObject event(JournalEntry entry) {
    JournalEvent event = JournalEvent.of(entry);
    JsonObject json =
        new JsonObject()
            .put("id", String.valueOf(entry.id()))
            .put("time", entry.wallMillis())
            .put("component", JournalText.component(event))
            .put("type", event.getClass().getSimpleName())
            .put("what", JournalText.title(event))
            .put("detail", JournalText.of(event))
            .put("count", event.count())
            .put("took", entry.tookMillis());
    entry.worker().ifPresent(worker -> json.put("worker", worker.value()));
    return entry.cause() == 0 ? json : json.put("cause", String.valueOf(entry.cause()));
  }

  private static JsonObject unmet(Unmet unmet) {
    return new JsonObject()
        .put("profile", unmet.profile())
        .put("required", unmet.required())
        .put("missing", unmet.missing())
        .put("asked", Json.array(unmet.asked(), ExplainViews::entry))
        .put("answer", unmet.answer())
        .put("answered", unmet.answeredAt())
        .put("fixes", new JsonArray(unmet.fixes()));
  }

  private static JsonObject place(Place place) {
    return new JsonObject()
        .put("taskmanager", place.worker().value())
        .put("slots", place.slots())
        .put("tasks", place.tasks())
        .put("granted", place.grantedAt())
        .put("took", place.tookMillis())
        .put("sentence", place.sentence());
  }

  private static JsonObject entry(Said entry) {
    return new JsonObject()
        .put("time", entry.time())
        .put("who", entry.who())
        .put("sentence", entry.sentence());
  }

  private static JsonObject step(Step step, long now) {
    return new JsonObject()
        .put("round", step.round())
        .put("step", step.step())
        .put("process", step.process())
        .put("start-time", step.start())
        .put("end-time", step.end())
        .put("duration", Math.max(0, (step.isOpen() ? now : step.end()) - step.start()))
        .put("count", step.count())
        .put("detail", step.detail());
  }
}
