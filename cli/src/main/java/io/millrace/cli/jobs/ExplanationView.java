package io.millrace.cli.jobs;

import io.millrace.cli.common.SingleLine;
import io.millrace.protocol.rest.Explanation;
import io.millrace.protocol.rest.Explanation.Place;
import io.millrace.protocol.rest.Explanation.Said;
import io.millrace.protocol.rest.Explanation.Unmet;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/** Formats an explanation as one screen of text. */
final class ExplanationView {
  /** The height of a usual terminal, with a line for the prompt. */
  static final int LINES = 40;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
  private static final String NO_TIME = " ".repeat("HH:mm:ss.SSS".length());

  private final List<String> lines = new ArrayList<>();
  private final int width;

  private ExplanationView(int width) {
    this.width = width;
  }

  static List<String> lines(Explanation explanation, int width) {
    ExplanationView page = new ExplanationView(width);
    page.write(explanation);
    if (page.lines.size() <= LINES) {
      return page.lines;
    }
    List<String> screen = new ArrayList<>(page.lines.subList(0, LINES - 1));
    screen.add("... " + (page.lines.size() - screen.size()) + " more lines; --json has it all.");
    return screen;
  }

  private void write(Explanation job) {
    write(
        "",
        "Job "
            + job.job()
            + " '"
            + job.name()
            + "' is "
            + job.status()
            + (job.since() < 0 ? "" : " since " + time(job.since()))
            + ".");
    write("", job.summary());
    for (Unmet unmet : job.unmet()) {
      title(
          "Waits for "
              + unmet.missing()
              + " of "
              + unmet.required()
              + " slots"
              + (unmet.profile().equals("any") ? "" : " of " + unmet.profile()));
      inOrder(unmet).forEach(this::write);
      for (int i = 0; i < unmet.fixes().size(); i++) {
        write(i == 0 ? "  Would help:   " : "                ", unmet.fixes().get(i));
      }
    }
    if (!job.causes().isEmpty()) {
      title("What happened");
      job.causes().forEach(this::write);
    }
    if (!job.places().isEmpty()) {
      title(job.status().isTerminal() ? "Where its tasks were" : "Where its slots are");
      for (Place place : job.places()) {
        write(prefix(place.grantedAt()), place.sentence());
      }
    }
    if (!job.notes().isEmpty()) {
      lines.add("");
      job.notes().forEach(note -> write("", note));
    }
  }

  /** Sorts the answer among the requests by time; later requests follow it. */
  private static List<Said> inOrder(Unmet unmet) {
    List<Said> entries = new ArrayList<>();
    Said answer = new Said(unmet.answeredAt(), "resourcemanager", "Answer: " + unmet.answer());
    boolean answered = false;
    for (Said request : unmet.asked()) {
      if (!answered && unmet.answeredAt() >= 0 && request.time() > unmet.answeredAt()) {
        entries.add(answer);
        answered = true;
      }
      entries.add(request);
    }
    if (!answered) {
      entries.add(answer);
    }
    return entries;
  }

  private void title(String title) {
    lines.add("");
    write("", title + ":");
  }

  private void write(Said entry) {
    write(prefix(entry.time()), entry.sentence());
  }

  private static String prefix(long time) {
    return "  " + (time < 0 ? NO_TIME : time(time)) + "  ";
  }

  private static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis));
  }

  /** Breaks the text into lines; continuation lines are indented by the length of the prefix. */
  private void write(String prefix, String text) {
    StringBuilder line = new StringBuilder(prefix);
    boolean fresh = true;
    for (String word : SingleLine.of(text).split(" ")) {
      if (!fresh && line.length() + 1 + word.length() > width) {
        lines.add(line.toString().stripTrailing());
        line = new StringBuilder(" ".repeat(prefix.length()));
        fresh = true;
      }
      line.append(fresh ? "" : " ").append(word);
      fresh = false;
    }
    lines.add(line.toString().stripTrailing());
  }
}
