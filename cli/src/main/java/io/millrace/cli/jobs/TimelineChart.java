package io.millrace.cli.jobs;

import io.millrace.cli.common.SingleLine;
import io.millrace.protocol.rest.Timeline;
import io.millrace.protocol.rest.Timeline.Step;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws a timeline as bars, with one scale per start of the job. The bar of a step that runs much
 * longer than the start is cut off, so that the steps of the start stay visible. The output is
 * ASCII, which works in any locale.
 */
final class TimelineChart {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS").withZone(ZoneId.systemDefault());
  private static final int ROWS = 34;
  private static final int LONGEST_PROCESS = 24;
  private static final int SHORTEST_BAR = 8;
  private static final int MUCH_LONGER = 4;

  private final Timeline timeline;
  private final int steps;
  private final int processes;
  private final int bar;
  private final List<String> lines = new ArrayList<>();

  private TimelineChart(Timeline timeline, int width) {
    this.timeline = timeline;
    int name = 4;
    int process = 7;
    for (Step step : timeline.steps()) {
      name = Math.max(name, name(step).length());
      process = Math.max(process, Math.min(LONGEST_PROCESS, step.process().length()));
    }
    this.steps = name;
    this.processes = process;
    this.bar = Math.max(SHORTEST_BAR, width - name - process - 2 * 9 - 7);
  }

  static List<String> lines(Timeline timeline, int width) {
    TimelineChart chart = new TimelineChart(timeline, width);
    chart.draw();
    return chart.lines;
  }

  private void draw() {
    lines.add(
        "Job "
            + timeline.job()
            + " '"
            + SingleLine.of(timeline.name())
            + "' is "
            + timeline.status()
            + ".");
    List<List<Step>> rounds = rounds();
    if (rounds.isEmpty()) {
      lines.add("The cluster no longer has events of this job.");
      return;
    }
    timeline.notes().forEach(note -> lines.add(SingleLine.of(note)));
    draw(rounds.get(0));
    // Only the newest rounds that fit, because a job may have restarted a hundred times.
    int room = ROWS - rounds.get(0).size();
    int from = rounds.size();
    while (from > 1 && (from == rounds.size() || room >= rounds.get(from - 1).size() + 1)) {
      from--;
      room -= rounds.get(from).size() + 1;
    }
    if (from > 1) {
      lines.add("... " + (from - 1) + " starts in between are not shown; --json has them.");
    }
    rounds.subList(from, rounds.size()).forEach(this::draw);
    if (timeline.dropped() > 0) {
      lines.add("The journal has dropped " + timeline.dropped() + " older events of the job.");
    }
  }

  private List<List<Step>> rounds() {
    List<List<Step>> rounds = new ArrayList<>();
    int number = -1;
    for (Step step : timeline.steps()) {
      if (step.round() != number) {
        number = step.round();
        rounds.add(new ArrayList<>());
      }
      rounds.get(rounds.size() - 1).add(step);
    }
    return rounds;
  }

  private void draw(List<Step> round) {
    long begin = round.stream().mapToLong(Step::start).min().orElseThrow();
    long end = begin + 1;
    for (Step step : round) {
      if (step.step().equals("Run")) {
        break;
      }
      end = Math.max(end, end(step));
    }
    long last = round.stream().mapToLong(this::end).max().orElseThrow();
    if (last - begin <= MUCH_LONGER * (end - begin)) {
      end = Math.max(end, last);
    }
    lines.add(
        row(
            "STEP",
            "PROCESS",
            "START",
            "TOOK",
            " " + TIME.format(Instant.ofEpochMilli(begin)) + " + " + readable(end - begin)));
    for (Step step : round) {
      lines.add(
          row(
              name(step),
              shortened(SingleLine.of(step.process())),
              "+" + readable(step.start() - begin),
              readable(end(step) - step.start()) + (step.isOpen() ? ".." : ""),
              "|" + bar(step, begin, end) + "|"));
    }
  }

  private String bar(Step step, long begin, long end) {
    int from = (int) Math.min(bar - 1, (step.start() - begin) * bar / (end - begin));
    long until = Math.min(end(step), end);
    int to = (int) Math.max(from + 1, Math.min(bar, (until - begin) * bar / (end - begin)));
    StringBuilder text = new StringBuilder(" ".repeat(from));
    text.append((step.start() == end(step) ? "'" : "#").repeat(to - from));
    if (step.isOpen() || end(step) > end) {
      text.setCharAt(to - 1, '>');
    }
    return text.append(" ".repeat(bar - text.length())).toString();
  }

  private long end(Step step) {
    return step.isOpen() ? Math.max(step.start(), timeline.at()) : step.end();
  }

  private String row(String step, String process, String start, String took, String bar) {
    return String.format(
            Locale.ROOT,
            "%-" + steps + "s  %-" + processes + "s %9s %9s %s",
            step,
            process,
            start,
            took,
            bar)
        .stripTrailing();
  }

  private static String name(Step step) {
    return SingleLine.of(step.step()) + (step.count() > 0 ? " (" + step.count() + ")" : "");
  }

  private static String shortened(String process) {
    return process.length() <= LONGEST_PROCESS
        ? process
        : process.substring(0, LONGEST_PROCESS - 2) + "..";
  }

  /** At most seven characters: {@code 350 ms}, {@code 2.41 s}, {@code 12 min}, {@code 3.5 h}. */
  private static String readable(long millis) {
    if (millis < 1000) {
      return millis + " ms";
    }
    double seconds = millis / 1000.0;
    if (seconds < 100) {
      return String.format(Locale.ROOT, "%.2f s", seconds);
    }
    double minutes = seconds / 60;
    return minutes < 100
        ? String.format(Locale.ROOT, "%.1f min", minutes)
        : String.format(Locale.ROOT, "%.1f h", minutes / 60);
  }
}
