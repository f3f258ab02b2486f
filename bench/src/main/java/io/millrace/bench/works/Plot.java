package io.millrace.bench.works;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The leading figure of a work as bars: the median, and a line from the lowest to the highest run.
 */
record Plot(BenchReport report) {
  private static final int WIDTH = 720;
  private static final int LEFT = 90;
  private static final int RIGHT = 110;
  private static final int TOP = 52;
  private static final int ROW = 34;
  private static final Map<String, String> COLOURS =
      Map.of("millrace", "#2b6cb0", "flink", "#c05621", "jet", "#6b46c1");

  String svg() {
    String figure = report.work().lead();
    List<String> contestants =
        report.figures().keySet().stream()
            .filter(contestant -> !Double.isNaN(report.median(contestant, figure)))
            .toList();
    double most = contestants.stream().mapToDouble(c -> values(c, figure)[1]).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    int height = TOP + ROW * contestants.size() + 10;
    line(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"13\">",
        WIDTH,
        height);
    line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    line(
        svg,
        "<text x=\"10\" y=\"20\" font-weight=\"bold\">%s: %s</text>",
        report.work().shortName(),
        report.work().what());
    line(svg, "<text x=\"10\" y=\"38\" fill=\"#555\">%s</text>", figure);
    for (int i = 0; i < contestants.size(); i++) {
      bar(svg, contestants.get(i), figure, TOP + i * ROW, most);
    }
    return svg.append("</svg>\n").toString();
  }

  private void bar(StringBuilder svg, String contestant, String figure, int y, double most) {
    double scale = (WIDTH - LEFT - RIGHT) / most;
    double median = report.median(contestant, figure);
    double[] range = values(contestant, figure);
    line(svg, "<text x=\"10\" y=\"%d\">%s</text>", y + 17, contestant);
    line(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
        LEFT,
        y,
        median * scale,
        ROW - 10,
        COLOURS.getOrDefault(contestant, "#718096"));
    line(
        svg,
        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#1a202c\"/>",
        LEFT + range[0] * scale,
        LEFT + range[1] * scale,
        y + (ROW - 10) / 2,
        y + (ROW - 10) / 2);
    line(
        svg,
        "<text x=\"%.1f\" y=\"%d\">%s</text>",
        LEFT + range[1] * scale + 6,
        y + 17,
        BenchReport.number(median));
  }

  /** The lowest and the highest value of a figure. */
  private double[] values(String contestant, String figure) {
    double[] sorted =
        report.figures().get(contestant).stream()
            .filter(run -> run.containsKey(figure))
            .mapToDouble(run -> run.get(figure))
            .sorted()
            .toArray();
    return new double[] {sorted[0], sorted[sorted.length - 1]};
  }

  private static void line(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
