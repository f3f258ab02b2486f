package io.millrace.bench.works;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BenchReportTest {
  private static Map<String, Double> run(String figure, double value) {
    Map<String, Double> run = new LinkedHashMap<>();
    run.put(figure, value);
    return run;
  }

  private static List<Map<String, Double>> runs(String figure, double... values) {
    return new ArrayList<>(Arrays.stream(values).mapToObj(value -> run(figure, value)).toList());
  }

  /** A report in which Millrace and its peers have these medians. */
  private static BenchReport report(
      Work work, String figure, double[] own, double[] flink, double[] jet) {
    Map<String, List<Map<String, Double>>> figures = new LinkedHashMap<>();
    figures.put("millrace", runs(figure, own));
    figures.put("flink", runs(figure, flink));
    figures.put("jet", runs(figure, jet));
    return new BenchReport(work, figures);
  }

  @Test
  void medianIsTheMiddleOfTheRunsThatHaveTheFigure() {
    BenchReport report =
        report(Work.W3A, "x", new double[] {5, 1, 3}, new double[] {4, 2, 9, 1}, new double[] {});
    assertThat(report.median("millrace", "x")).isEqualTo(3);
    assertThat(report.median("flink", "x")).isEqualTo(3);
    assertThat(report.median("jet", "x")).isNaN();
    assertThat(report.median("millrace", "y")).isNaN();
    assertThat(report.median("storm", "x")).isNaN();
    report.figures().get("millrace").add(run("y", 1));
    assertThat(report.median("millrace", "x")).as("without the run that lacks it").isEqualTo(3);
  }

  @Test
  void rateIsComparedWithTheHighestPeerAndTimeWithTheLowest() {
    BenchReport rate =
        report(
            Work.W3A, "perCoreSecond", new double[] {6e6}, new double[] {2e6}, new double[] {3e6});
    assertThat(rate.rows().get(0)).contains("| 6.00 M | 2.00 M | 3.00 M | 2.00 |");
    BenchReport time =
        report(Work.W1, "wall", new double[] {1}, new double[] {2}, new double[] {4});
    assertThat(time.rows().get(0)).contains("| 1.00 s | 2.00 s | 4.00 s | 0.50 |");
  }

  @Test
  void missingFiguresAreDashes() {
    BenchReport alone = report(Work.W1, "wall", new double[] {1}, new double[] {}, new double[] {});
    assertThat(alone.rows().get(0)).contains("| 1.00 s | – | – | – | 0 |");
    BenchReport peers =
        report(Work.W1, "wall", new double[] {}, new double[] {1}, new double[] {2});
    assertThat(peers.rows().get(0)).contains("| – | 1.00 s | 2.00 s | – |");
  }

  @Test
  void rowsTellTheFewestRunsAndTheLoadOfTheMachine() {
    BenchReport report =
        report(Work.W1, "wall", new double[] {1, 1, 1}, new double[] {2, 2}, new double[] {2, 2});
    assertThat(report.rows().get(0)).endsWith("| 2 |");
    report.figures().get("flink").get(0).put("otherCores", 0.25);
    report.figures().get("millrace").get(0).put("otherCores", 0.75);
    assertThat(report.rows().get(0)).endsWith("| 2, 0.5 |");
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 0.500",
    "-0.5, -0.500",
    "999.9994, 999.999",
    "1000, '1,000'",
    "-12345, '-12,345'"
  })
  void numbersAreReadable(double value, String text) {
    assertThat(BenchReport.number(value)).isEqualTo(text);
  }

  @Test
  void tableHasTheRatioToEachPeer() {
    String table =
        report(Work.W1, "wall", new double[] {1}, new double[] {2}, new double[] {4}).table();
    assertThat(table)
        .startsWith("W1: ")
        .contains("flink 2.000 (ours is 0.50 of it)")
        .contains("jet 4.000 (ours is 0.25 of it)")
        .doesNotContain("millrace 1.000 (ours");
  }

  @Test
  void jsonHasAllRunsAndMedians() {
    String json =
        report(Work.W1, "wall", new double[] {1, 3}, new double[] {2}, new double[] {}).json();
    assertThat(json)
        .contains("\"millrace\": [\n      {\"wall\": 1.000},\n      {\"wall\": 3.000}\n    ]")
        .contains("\"millrace\": {\"wall\": 2.000}")
        .contains("\"jet\": {}")
        .doesNotContain("NaN");
    assertThat(json.chars().filter(c -> c == '{').count())
        .isEqualTo(json.chars().filter(c -> c == '}').count());
  }

  private static Document parse(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
  }

  /** Descriptions of all works are XML as they are. */
  @ParameterizedTest
  @EnumSource(Work.class)
  void plotOfEachWorkIsAnImageWithABarPerContestant(Work work) throws Exception {
    BenchReport report =
        report(work, work.lead(), new double[] {10, 20}, new double[] {40}, new double[] {});
    Document svg = parse(new Plot(report).svg());
    NodeList bars = svg.getElementsByTagName("rect");
    assertThat(bars.getLength()).as("background, Millrace and one peer").isEqualTo(3);
    double own = width((Element) bars.item(1));
    double peer = width((Element) bars.item(2));
    assertThat(own / peer).isBetween(15.0 / 40 - 0.01, 15.0 / 40 + 0.01);
    assertThat(90 + peer).as("the longest bar is inside").isLessThanOrEqualTo(720);
    assertThat(svg.getElementsByTagName("line").getLength()).isEqualTo(2);
  }

  private static double width(Element bar) {
    return Double.parseDouble(bar.getAttribute("width"));
  }

  @ParameterizedTest
  @EnumSource(Work.class)
  void leadingFigureOfEachWorkIsCompared(Work work) {
    assertThat(work.compared()).contains(work.lead()).doesNotHaveDuplicates();
    assertThat(work.what()).isNotBlank().doesNotContain("\"").doesNotContain("|");
  }
}
