package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.example.FailingJob;
import com.example.WideGraph;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The web page in a real browser. {@code tools/chromium} installs one. */
class WebPageIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final Path SCREENSHOTS = Path.of("target/screenshots");

  @BeforeAll
  static void browserIsInstalled() {
    assumeTrue(
        Browser.installed().isPresent(),
        "The tests of the web page are skipped: this machine has no Chromium. Run tools/chromium.");
  }

  private static Browser browser() throws IOException {
    return Browser.start(Browser.installed().orElseThrow());
  }

  private static void checkClean(Browser browser, String address) {
    assertThat(browser.takeProblems()).as("problems in the console").isEmpty();
    assertThat(browser.requested())
        .as("requests leave the server")
        .allMatch(
            url -> url.startsWith(address) || url.startsWith("data:") || url.startsWith("about:"));
  }

  @Test
  @Behaviour("I2: the page shows jobs, graph, checkpoints, timeline, failures and workers")
  void showsACluster() throws Exception {
    Path archives = SHELL.directory().resolve("archives");
    String job;
    try (Cluster cluster =
            SHELL.startCluster(
                "--taskmanagers",
                "2",
                "--slots",
                "2",
                "-D",
                "heartbeat.interval=500ms",
                "-D",
                "jobmanager.archive.fs.dir=" + archives);
        Browser browser = browser()) {
      String address = "http://" + cluster.rest().address();
      browser.show(1280, 900, false);
      browser.open(address + "/");
      browser.awaitText("No jobs yet", "./millrace run -m " + cluster.rest().address(), "0 / 4");
      browser.screenshot(SCREENSHOTS.resolve("empty.png"));

      job =
          cluster.submit(
              "-p",
              "2",
              "-D",
              "execution.checkpointing.interval=500ms",
              Shell.example("rate-counter.jar").toString());
      browser.awaitText("rate counter", "RUNNING", "2 / 4");
      showsTheRunningJob(cluster, browser, job);
      showsWorkers(cluster, browser);
      checkClean(browser, address);

      String failed = cluster.submit(ProgramJar.of(SHELL.directory(), FailingJob.class).toString());
      browser.open(address + "/#/jobs/" + failed + "/exceptions");
      browser.awaitText("FAILED", "cannot mill a stone");
      browser.screenshot(SCREENSHOTS.resolve("exceptions.png"));

      String waiting = cluster.submit("-p", "8", Shell.example("rate-counter.jar").toString());
      browser.open(address + "/");
      browser.awaitText("Waits:", "slots");
      browser.screenshot(SCREENSHOTS.resolve("waiting.png"));
      cluster.millrace("cancel", waiting).succeeded();

      browser.open(address + "/#/jobs/" + job);
      browser.click("button", "Cancel");
      browser.click("button.danger", "Yes");
      browser.awaitText("CANCELED");
      cluster.rest().awaitState(job, "CANCELED");
      checkClean(browser, address);

      wideGraphStaysUsable(cluster, browser);
      checkClean(browser, address);
    }
    showsHistory(archives, job);
  }

  private static void showsTheRunningJob(Cluster cluster, Browser browser, String job)
      throws IOException {
    browser.click("a", "rate counter");
    browser.awaitText("Source: generator", "hash", "busy", "The job runs in 2 slots");
    Wait.untilTrue(
        "the graph shows rates", () -> browser.text().matches("(?s).*in [1-9][\\d.]*( k)?/s.*"));
    browser.click("g.vertex", "count");
    browser.awaitText("Parallelism", "taskmanager-");
    browser.screenshot(SCREENSHOTS.resolve("graph.png"));
    browser.show(1280, 900, true);
    browser.screenshot(SCREENSHOTS.resolve("graph-dark.png"));
    browser.show(390, 844, false);
    browser.screenshot(SCREENSHOTS.resolve("graph-narrow.png"));
    assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
        .as("the page fits a phone")
        .isLessThanOrEqualTo(390);
    browser.show(1280, 900, false);

    cluster.rest().awaitCheckpoints(job, 2);
    browser.click(".tabs a", "Checkpoints");
    browser.awaitText("Completed", "exactly once");
    browser.click("long-table a", "");
    browser.awaitText("synchronous part");
    browser.screenshot(SCREENSHOTS.resolve("checkpoints.png"));
    browser.click(".tabs a", "Timeline");
    browser.awaitText("Register at ResourceManager", "Deploy tasks");
    browser.screenshot(SCREENSHOTS.resolve("timeline.png"));
    browser.click(".tabs a", "Explain");
    browser.awaitText("Where the slots are");
    browser.click(".tabs a", "Vertices");
    browser.awaitText("Source: generator");
    browser.click(".tabs a", "Configuration");
    browser.awaitText("restart-strategy");
    browser.click(".tabs a", "Exceptions");
    browser.awaitText("No failure.");
  }

  private static void showsWorkers(Cluster cluster, Browser browser) throws IOException {
    browser.click("header nav a", "TaskManagers");
    browser.awaitText("taskmanager-1", "taskmanager-2");
    browser.click("long-table a", cluster.anyBusyTaskManager());
    browser.awaitText("JVM heap", "Managed memory", "for the process");
    browser.screenshot(SCREENSHOTS.resolve("taskmanager.png"));
    browser.click(".tabs a", "Slots");
    browser.awaitText("slots in use");
    browser.click("header nav a", "Submit");
    browser.awaitText("Upload a jar", "No jar is uploaded.");
  }

  /** A graph of about 1,000 vertices: the page lays it out, and each vertex can be selected. */
  private static void wideGraphStaysUsable(Cluster cluster, Browser browser) throws IOException {
    String wide =
        cluster.submit(ProgramJar.of(SHELL.directory(), WideGraph.class).toString(), "50", "20");
    cluster.rest().awaitState(wide, "RUNNING");
    browser.open("http://" + cluster.rest().address() + "/#/jobs/" + wide);
    Wait.untilTrue(
        "all vertices are drawn",
        () ->
            browser.evaluate("document.querySelectorAll('g.vertex').length").asInt()
                == cluster.rest().job(wide).path("vertices").size());
    browser.screenshot(SCREENSHOTS.resolve("wide.png"));
    browser.click("g.vertex", "line 7, step 3");
    browser.awaitText("Parallelism");
    cluster.millrace("cancel", wide).succeeded();
  }

  private static void showsHistory(Path archives, String job) throws Exception {
    Command server = SHELL.start(Map.of(), "history", "--dir", archives.toString(), "--port", "0");
    String line = server.awaitLine(text -> text.startsWith("History server shows"));
    String address = "http://" + line.substring(line.lastIndexOf('/') + 1);
    try (Browser browser = browser()) {
      browser.show(1280, 900, false);
      browser.open(address + "/");
      browser.awaitText("history", "rate counter", "CANCELED", "FAILED");
      browser.open(address + "/#/jobs/" + job);
      browser.awaitText("Source: generator");
      browser.screenshot(SCREENSHOTS.resolve("history.png"));
      for (String tab : List.of("Timeline", "Explain", "Exceptions", "Configuration")) {
        browser.click(".tabs a", tab);
        Wait.untilTrue(
            tab, () -> browser.evaluate("document.querySelector('.problem') === null").asBoolean());
      }
      checkClean(browser, address);
    }
    server.terminate();
    server.await();
  }
}
