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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The web page in a real browser. {@code tools/chromium} installs one. */
class WebPageIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static final Path SCREENSHOTS = Path.of("target/screenshots");
  private static final int PHONE = 390;

  private Browser browser;

  @BeforeAll
  static void browserIsInstalled() {
    assumeTrue(
        Browser.installed().isPresent(),
        "The tests of the web page are skipped: this machine has no Chromium. Run tools/chromium.");
  }

  @AfterEach
  void closeBrowser() throws IOException {
    if (browser != null) {
      browser.close();
    }
  }

  private void startBrowser() throws IOException {
    browser = Browser.start(Browser.installed().orElseThrow());
    browser.show(1280, 900, false);
  }

  private void checkClean(String address) {
    assertThat(browser.takeProblems()).as("problems in the console").isEmpty();
    assertThat(browser.requested())
        .as("requests leave the server")
        .allMatch(
            url -> url.startsWith(address) || url.startsWith("data:") || url.startsWith("about:"));
  }

  private void picture(String name) throws IOException {
    browser.screenshot(SCREENSHOTS.resolve(name + ".png"));
  }

  /** Light, dark, and on a phone, which the page must fit. */
  private void pictures(String name) throws IOException {
    picture(name);
    browser.show(1280, 900, true);
    picture(name + "-dark");
    browser.show(PHONE, 844, false);
    picture(name + "-narrow");
    assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
        .as("the width of %s on a phone", name)
        .isLessThanOrEqualTo(PHONE);
    browser.show(1280, 900, false);
  }

  private void part(String tab, String... texts) {
    browser.click(".tabs a", tab);
    browser.awaitText(texts);
    assertThat(browser.evaluate("document.querySelector('.problem')?.textContent ?? ''").asText())
        .as(tab)
        .isEmpty();
  }

  @Test
  @Behaviour("I2: the page shows jobs, graph, checkpoints, timeline, failures and workers")
  void showsACluster() throws Exception {
    Path archives = SHELL.directory().resolve("archives");
    startBrowser();
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
            "rest.flamegraph.enabled=true",
            "-D",
            "execution.checkpointing.savepoint-dir=" + SHELL.directory().resolve("savepoints"),
            "-D",
            "jobmanager.archive.fs.dir=" + archives)) {
      String address = "http://" + cluster.rest().address();
      showsWhatToTypeWithoutJobs(cluster, address);
      job =
          cluster.submit(
              "-p",
              "2",
              "-D",
              "execution.checkpointing.interval=500ms",
              Shell.example("rate-counter.jar").toString());
      browser.click("header nav a", "Jobs");
      browser.awaitText("rate counter", "RUNNING", "2 / 4");
      showsTheRunningJob(cluster, job);
      checkClean(address);
      showsProcesses(cluster);
      checkClean(address);

      String failed = cluster.submit(ProgramJar.of(SHELL.directory(), FailingJob.class).toString());
      browser.open(address + "/#/jobs/" + failed + "/exceptions");
      browser.awaitText("FAILED", "cannot mill a stone");
      pictures("exceptions");
      String waiting = cluster.submit("-p", "8", Shell.example("rate-counter.jar").toString());
      browser.open(address + "/");
      browser.awaitText("Waits:", "slots");
      pictures("overview");
      cluster.millrace("cancel", waiting).succeeded();

      browser.open(address + "/#/jobs/" + job);
      browser.click("button", "Cancel");
      browser.click("button.danger", "Yes");
      browser.awaitText("CANCELED");
      cluster.rest().awaitState(job, "CANCELED");
      checkClean(address);
    }
    showsHistory(archives, job);
  }

  private void showsWhatToTypeWithoutJobs(Cluster cluster, String address) throws IOException {
    browser.open(address + "/");
    browser.awaitText("No jobs yet", "./millrace run -m " + cluster.rest().address(), "0 / 4");
    pictures("empty");
    browser.click("header nav a", "TaskManagers");
    browser.awaitText("taskmanager-1", "taskmanager-2", "0 / 2");
    browser.click("header nav a", "Submit");
    browser.awaitText("Upload a jar", "No jar is uploaded.");
    checkClean(address);
  }

  private void showsTheRunningJob(Cluster cluster, String job) throws IOException {
    browser.click("a", "rate counter");
    browser.awaitText("Source: generator", "hash", "busy", "The job runs in 2 slots");
    Wait.untilTrue(
        "the graph shows the rates of vertices and edges",
        () ->
            browser.text().matches("(?s).*in [1-9][\\d.]*( k)?/s.*hash · [1-9][\\d.]*( k)?/s.*")
                || browser
                    .text()
                    .matches("(?s).*hash · [1-9][\\d.]*( k)?/s.*in [1-9][\\d.]*( k)?/s.*"));
    // With the keyboard alone: to the graph, along its edge, and open the vertex there.
    browser.evaluate("document.querySelector('svg.graph').focus()");
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.press("Enter");
    browser.awaitText("Parallelism", "taskmanager-");
    pictures("graph");

    cluster.rest().awaitCheckpoints(job, 2);
    part("Checkpoints", "Completed", "exactly once");
    browser.click("long-table a", "");
    browser.awaitText("synchronous part");
    pictures("checkpoints");
    part("Timeline", "Register at ResourceManager", "Deploy tasks");
    pictures("timeline");
    part("Explain", "Where the slots are");
    picture("explain");
    part("Vertices", "Source: generator", "Skew");
    pictures("vertices");
    part("Configuration", "restart-strategy");
    picture("configuration");
    part("Exceptions", "No failure.");
    part("Flame graph");
    awaitElements("g.flame", 2);
    pictures("flamegraph");
    browser.click("button", "Savepoint");
    browser.click("button.danger", "Yes");
    browser.awaitText("Savepoint: ");
  }

  private void showsProcesses(Cluster cluster) throws IOException {
    browser.click("header nav a", "TaskManagers");
    browser.awaitText("taskmanager-1", "taskmanager-2");
    pictures("taskmanagers");
    browser.click("long-table a", cluster.anyBusyTaskManager());
    browser.awaitText("JVM heap", "Managed memory", "for the process");
    pictures("taskmanager");
    part("Slots", "slots in use");
    picture("slots");
    part("Logs", "bytes 0 to");
    awaitElements("pre.log", 1);
    pictures("logs");
    part("Threads", "of");
    awaitElements("details", 5);
    browser.click("header nav a", "JobManager");
    browser.awaitText("rest.port");
    pictures("jobmanager");
    part("Environment", "Class path");
    part("Logs", "bytes 0 to");
    part("Threads", "of");
  }

  private void awaitElements(String selector, int count) {
    Wait.untilTrue(
        "the page has " + selector,
        () ->
            browser.evaluate("document.querySelectorAll('%s').length".formatted(selector)).asInt()
                >= count);
  }

  @Test
  @Behaviour("I2: the page follows a job through the loss of a TaskManager")
  void followsAFailOver() throws Exception {
    startBrowser();
    try (Cluster cluster =
        SHELL.startCluster(
            "--taskmanagers", "2", "--slots", "2", "-D", "heartbeat.interval=500ms")) {
      String address = "http://" + cluster.rest().address();
      String job =
          cluster.submit(
              "-p",
              "4",
              "-D",
              "execution.checkpointing.interval=500ms",
              "-D",
              "restart-strategy.type=fixed-delay",
              "-D",
              "restart-strategy.fixed-delay.attempts=100",
              Shell.example("rate-counter.jar").toString());
      browser.open(address + "/#/jobs/" + job);
      browser.awaitText("Source: generator", "RUNNING");
      cluster.rest().awaitCheckpoints(job, 1);
      cluster.kill("taskmanager-1");
      // Two slots are left for four.
      browser.awaitText("Waits:", "slots");
      pictures("failover");
      browser.click(".tabs a", "Exceptions");
      browser.awaitText("taskmanager-1");
      picture("failover-exceptions");
      browser.click(".tabs a", "Timeline");
      browser.awaitText("Restart 1");
      picture("failover-timeline");
      browser.click("header nav a", "Jobs");
      browser.awaitText("Waits:", "1 TaskManager");
      checkClean(address);
      cluster.millrace("cancel", job).succeeded();
    }
  }

  @Test
  @Behaviour("I2: the page stays usable for a job of 1,000 vertices")
  void showsAThousandVertices() throws Exception {
    startBrowser();
    try (Cluster cluster = SHELL.startCluster("--slots", "1")) {
      String address = "http://" + cluster.rest().address();
      String job =
          cluster.submit(ProgramJar.of(SHELL.directory(), WideGraph.class).toString(), "50", "20");
      cluster.rest().awaitState(job, "RUNNING");
      int vertices = cluster.rest().job(job).path("vertices").size();
      browser.open(address + "/#/jobs/" + job);
      Wait.untilTrue(
          "all vertices are drawn",
          () ->
              browser.evaluate("document.querySelectorAll('g.vertex').length").asInt() == vertices);
      pictures("wide");
      browser.type("job-graph input[type=search]", "line 7, step 3");
      browser.awaitText("Parallelism", "line 7, step 3");
      Wait.untilTrue(
          "only the visible vertices are drawn",
          () -> browser.evaluate("document.querySelectorAll('g.vertex').length").asInt() < 200);
      picture("wide-near");
      part("Vertices", "line 0, first");
      assertThat(
              browser.evaluate("document.querySelectorAll('long-table tbody tr').length").asInt())
          .as("rows in the document")
          .isLessThan(100);
      checkClean(address);
      cluster.millrace("cancel", job).succeeded();
    }
  }

  private void showsHistory(Path archives, String job) throws Exception {
    Command server = SHELL.start(Map.of(), "history", "--dir", archives.toString(), "--port", "0");
    String line = server.awaitLine(text -> text.startsWith("History server shows"));
    String address = "http://" + line.substring(line.lastIndexOf('/') + 1);
    browser.close();
    startBrowser();
    browser.open(address + "/");
    browser.awaitText("history", "rate counter", "CANCELED", "FAILED");
    pictures("history");
    browser.open(address + "/#/jobs/" + job);
    browser.awaitText("Source: generator");
    picture("history-job");
    for (String tab :
        List.of("Vertices", "Timeline", "Explain", "Exceptions", "Configuration", "Checkpoints")) {
      part(tab);
    }
    assertThat(browser.text()).doesNotContain("Flame graph", "Cancel", "TaskManagers");
    checkClean(address);
    server.terminate();
    server.await();
  }
}
