package io.millrace.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.graph.JobGraph;
import io.millrace.graph.Partitioning;
import java.io.StringReader;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ScaleReportTest {
  private static Map<String, Double> figures(String phase, double cpu) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put(phase + "." + Phases.CPU, cpu);
    figures.put(phase + ".othersCpuMs", 7.0);
    figures.put(phase + ".allocatedMb", 2.0);
    figures.put(phase + ".sent", 300.0);
    figures.put(phase + ".received", 100.0);
    figures.put(phase + ".sentMb", 4.0);
    return figures;
  }

  private static ScaleFigures measured(String phase, double... cpuByRun) {
    ScaleFigures figures = new ScaleFigures();
    for (double cpu : cpuByRun) {
      figures.add(100, figures(phase, cpu));
      figures.add(400, figures(phase, 6 * cpu));
    }
    return figures;
  }

  @Test
  void medianIsTheMiddleOfTheRunsOfASize() {
    ScaleFigures figures = measured("deploy", 30, 10, 20, 50);
    assertThat(figures.median(100, "deploy.cpuMs")).isEqualTo(25);
    assertThat(figures.median(400, "deploy.cpuMs")).isEqualTo(150);
    assertThat(figures.median(100, "deploy.absent")).isNaN();
    assertThat(figures.sizes()).containsExactly(100, 400);
    assertThat(figures.runs(100)).hasSize(4);
    assertThat(figures.names(100)).first().isEqualTo("deploy.cpuMs");
    assertThat(figures.has("deploy")).isTrue();
    assertThat(figures.has("cancel")).isFalse();
  }

  @Test
  void costInProportionToTheClusterHasTheGrowthOne() {
    ScaleFigures figures = measured("deploy", 20);
    assertThat(figures.perSlot(100, "deploy"))
        .isCloseTo(20_000.0 / (100 * ScaleCluster.SLOTS), within(1e-9));
    assertThat(figures.growth("deploy")).isCloseTo(1.5, within(1e-9));
    ScaleFigures even = new ScaleFigures();
    even.add(10, figures("quiet", 3));
    even.add(1_000, figures("quiet", 300));
    assertThat(even.growth("quiet")).isCloseTo(1, within(1e-9));
  }

  private static ScaleReport report() {
    Map<ScaleScenario, ScaleFigures> measured = new EnumMap<>(ScaleScenario.class);
    measured.put(ScaleScenario.LANES, measured("deploy", 20));
    measured.put(ScaleScenario.HASH, measured("register", 10, 30));
    return new ScaleReport(measured);
  }

  @Test
  void tableHasALinePerPhaseAndSize() {
    String tables = report().tables();
    double slots = 100 * ScaleCluster.SLOTS;
    assertThat(tables)
        .contains("### " + ScaleScenario.LANES.title())
        .contains("### " + ScaleScenario.HASH.title())
        .contains(
            String.format(
                java.util.Locale.ROOT,
                "| deploy | 100 | 20 | %.1f |  | %.2f | %.2f | %.2f | 7 |",
                20_000 / slots,
                2_000 / slots,
                400 / slots,
                4_000 / slots))
        .contains("| 1.50 |")
        .doesNotContain("| cancel |")
        .doesNotContain("NaN");
    assertThat(tables.lines().filter(line -> line.startsWith("| deploy")).count()).isEqualTo(2);
  }

  @Test
  void heapOfTheJobManagerIsBelowTheTable() {
    ScaleFigures figures = new ScaleFigures();
    Map<String, Double> run = figures("deploy", 20);
    run.put(Phases.HEAP, 50.0);
    figures.add(100, run);
    Map<ScaleScenario, ScaleFigures> measured = new EnumMap<>(ScaleScenario.class);
    measured.put(ScaleScenario.JOBS, figures);
    assertThat(new ScaleReport(measured).tables())
        .contains("100 workers: 50 MB of heap are the JobManager's, 125.0 kB a slot.")
        .as("a single size has no growth")
        .contains("| deploy | 100 | 20 | 50.0 |  | 5.00 |");
  }

  @Test
  void jsonHasEachRun() {
    String json = report().json();
    assertThat(json)
        .contains("\"lanes\": {")
        .contains("\"hash\": {")
        .contains("\"100\": [")
        .contains("\"register.cpuMs\": 10.000")
        .contains("\"register.cpuMs\": 30.000")
        .contains("\"slotsPerWorker\": " + ScaleCluster.SLOTS);
    assertThat(json.chars().filter(c -> c == '{').count())
        .isEqualTo(json.chars().filter(c -> c == '}').count());
    assertThat(json).doesNotContain(",\n      ]").doesNotContain(",\n    }");
  }

  @Test
  void plotHasAPointPerSizeInsideOfItsPanel() throws Exception {
    String svg = new ScalePlot(report().measured()).draw();
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    Document image = factory.newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    Element root = image.getDocumentElement();
    double width = Double.parseDouble(root.getAttribute("width"));
    double height = Double.parseDouble(root.getAttribute("height"));
    NodeList points = image.getElementsByTagName("circle");
    assertThat(points.getLength()).as("two panels with one phase of two sizes").isEqualTo(4);
    for (int i = 0; i < points.getLength(); i++) {
      Element point = (Element) points.item(i);
      assertThat(Double.parseDouble(point.getAttribute("cx"))).isBetween(0.0, width);
      assertThat(Double.parseDouble(point.getAttribute("cy"))).isBetween(0.0, height);
    }
    assertThat(image.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    // A higher cost is further up.
    assertThat(y(points, 1)).isLessThan(y(points, 0));
  }

  private static double y(NodeList points, int index) {
    return Double.parseDouble(((Element) points.item(index)).getAttribute("cy"));
  }

  @Test
  void plotOfOneSizeHasItsPointInTheMiddle() throws Exception {
    ScaleFigures figures = new ScaleFigures();
    figures.add(100, figures("deploy", 20));
    Map<ScaleScenario, ScaleFigures> measured = new EnumMap<>(ScaleScenario.class);
    measured.put(ScaleScenario.LANES, figures);
    assertThat(new ScalePlot(measured).draw())
        .contains("cx=\"198.0\"")
        .doesNotContain("NaN")
        .doesNotContain("Infinity");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 999, 1_000, 1_001, 4_096})
  void jobsOfAScenarioUseAllSlots(int slots) {
    for (ScaleScenario scenario : ScaleScenario.values()) {
      List<JobGraph> graphs = scenario.graphs(slots);
      assertThat(graphs.stream().mapToInt(graph -> graph.vertices().get(0).parallelism()).sum())
          .as(scenario.name())
          .isEqualTo(slots);
      Set<Object> ids = new HashSet<>();
      for (JobGraph graph : graphs) {
        assertThat(ids.add(graph.id())).isTrue();
        assertThat(graph.vertices()).hasSize(2);
        assertThat(graph.vertices().get(1).parallelism())
            .isEqualTo(graph.vertices().get(0).parallelism());
      }
    }
    assertThat(ScaleScenario.LANES.graphs(slots).get(0).edges().get(0).partitioning())
        .isEqualTo(Partitioning.FORWARD);
    assertThat(ScaleScenario.JOBS.graphs(slots)).hasSize(Math.min(1_000, slots));
  }
}
