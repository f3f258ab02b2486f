package io.millrace.bench.scale;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws the cost per slot against the number of workers as SVG, one panel per scenario and one line
 * per phase. Cost in proportion to the cluster is a horizontal line.
 */
final class ScalePlot {
  private static final int WIDTH = 300;
  private static final int HEIGHT = 220;
  private static final int LEFT = 48;
  private static final int TOP = 34;
  private static final int GAP = 36;
  private static final int LEGEND = 24;

  private static final List<String> COLOURS =
      List.of("#1f6feb", "#b35900", "#1a7f37", "#8250df", "#cf222e", "#57606a", "#9a6700");

  private final Map<ScaleScenario, ScaleFigures> measured;
  private final StringBuilder svg = new StringBuilder();
  private double highest;

  ScalePlot(Map<ScaleScenario, ScaleFigures> measured) {
    this.measured = measured;
    this.highest = 1;
  }

  String draw() {
    measured
        .values()
        .forEach(
            figures ->
                figures
                    .sizes()
                    .forEach(
                        workers ->
                            Phases.NAMES.stream()
                                .filter(figures::has)
                                .forEach(
                                    phase ->
                                        highest =
                                            Math.max(highest, figures.perSlot(workers, phase)))));
    highest = Math.ceil(highest / 10) * 10;
    int width = LEFT + measured.size() * (WIDTH + GAP) + 12;
    int height = TOP + HEIGHT + 52 + LEGEND;
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"11\">",
        width, height, width, height);
    add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", width, height);
    int left = LEFT;
    for (Map.Entry<ScaleScenario, ScaleFigures> entry : measured.entrySet()) {
      panel(left, entry.getKey(), entry.getValue());
      left += WIDTH + GAP;
    }
    legend(TOP + HEIGHT + 52);
    add("</svg>");
    return svg.toString();
  }

  private void panel(int left, ScaleScenario scenario, ScaleFigures figures) {
    add("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>", left, TOP - 14, scenario.title());
    for (int i = 0; i <= 5; i++) {
      double value = highest * i / 5;
      double y = y(value);
      add(
          "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#d0d7de\"/>",
          left, y, left + WIDTH, y);
      add(
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#57606a\">%.0f</text>",
          left - 5, y + 4, value);
    }
    List<Integer> sizes = figures.sizes();
    for (int workers : sizes) {
      add(
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">%,d</text>",
          x(left, sizes, workers), TOP + HEIGHT + 16, workers);
    }
    add(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#57606a\">workers; µs of CPU a"
            + " slot</text>",
        left + WIDTH / 2, TOP + HEIGHT + 32);
    for (int i = 0; i < Phases.NAMES.size(); i++) {
      String phase = Phases.NAMES.get(i);
      if (figures.has(phase)) {
        line(left, figures, phase, COLOURS.get(i));
      }
    }
  }

  private void line(int left, ScaleFigures figures, String phase, String colour) {
    StringBuilder points = new StringBuilder();
    for (int workers : figures.sizes()) {
      double x = x(left, figures.sizes(), workers);
      double y = y(figures.perSlot(workers, phase));
      points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
      add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>", x, y, colour);
    }
    add(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>",
        points.toString().strip(), colour);
  }

  private void legend(int y) {
    for (int i = 0; i < Phases.NAMES.size(); i++) {
      int x = LEFT + i * 92;
      add("<rect x=\"%d\" y=\"%d\" width=\"10\" height=\"10\" fill=\"%s\"/>", x, y, COLOURS.get(i));
      add("<text x=\"%d\" y=\"%d\">%s</text>", x + 14, y + 9, Phases.NAMES.get(i));
    }
  }

  /** Logarithmic scale, because sizes grow by factors. */
  private static double x(int left, List<Integer> sizes, int workers) {
    double first = Math.log(sizes.get(0));
    double last = Math.log(sizes.get(sizes.size() - 1));
    double part = last > first ? (Math.log(workers) - first) / (last - first) : 0.5;
    return left + 20 + part * (WIDTH - 40);
  }

  private double y(double value) {
    return TOP + HEIGHT - value / highest * HEIGHT;
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
