package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ArchivedJob;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.EndedJob;
import io.millrace.protocol.journal.DispatcherEvent.JobArchived;
import io.millrace.protocol.journal.DispatcherEvent.JobSubmitted;
import io.millrace.rpc.journal.History;
import io.millrace.rpc.journal.Journal;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class HistoryFilesTest extends RestTestBase {
  /**
   * Operations without an archived response: they exist only while the job runs, are for its client
   * only, answer the same for all jobs, or are contained in the response about the vertex.
   */
  private static final List<String> NOT_ARCHIVED =
      List.of(
          "/jobs/:jobid/checkpoints/:triggerid",
          "/jobs/:jobid/savepoints/:triggerid",
          "/jobs/:jobid/collected/:name",
          "/jobs/:jobid/flow",
          "/jobs/:jobid/metrics",
          "/jobs/:jobid/jobmanager/config",
          "/jobs/:jobid/jobmanager/environment",
          "/jobs/:jobid/jobmanager/log-url",
          "/jobs/:jobid/taskmanagers/:taskmanagerid/log-url",
          "/jobs/:jobid/vertices/:vertexid/flamegraph",
          "/jobs/:jobid/yarn-cancel",
          "/jobs/:jobid/yarn-stop",
          "/jobs/:jobid/resource-requirements",
          "/jobs/:jobid/rescales/config",
          "/jobs/:jobid/rescales/overview",
          "/jobs/:jobid/rescales/history",
          "/jobs/:jobid/rescales/summary",
          "/jobs/:jobid/rescales/details/:rescaleuuid",
          "/jobs/:jobid/rescaling/:triggerid",
          "/jobs/:jobid/vertices/:vertexid/jm-operator-metrics",
          "/jobs/:jobid/vertices/:vertexid/backpressure",
          "/jobs/:jobid/vertices/:vertexid/metrics",
          "/jobs/:jobid/vertices/:vertexid/subtasks/metrics",
          "/jobs/:jobid/vertices/:vertexid/subtasks/:subtaskindex",
          "/jobs/:jobid/vertices/:vertexid/subtasks/:subtaskindex/metrics",
          "/jobs/:jobid/vertices/:vertexid/watermarks");

  @Test
  @Behaviour(
      "C3: the history file of an ended job is written with retries, and nothing else waits for it")
  void containsAllRestResponsesAboutTheJob() throws IOException {
    cluster.add(SampleJobs.FAILED, JobStatus.FAILED);
    cluster.resourceManager.workers.clear();
    for (JobId job : List.of(SampleJobs.CANCELED, SampleJobs.FAILED)) {
      History history = history(job);
      cluster.dispatcher.histories.put(job, history);
      cluster.dispatcher.checkpoints.put(job, checkpoints());
      Map<String, JsonObject> responses = write(job, history);

      assertThat(responses.keySet()).first().isEqualTo("/jobs/overview");
      assertThat(responses.get("/jobs/overview").getJsonArray("jobs")).hasSize(1);
      responses.remove("/jobs/overview");
      responses.forEach(
          (path, response) ->
              assertThat(withoutTime(response))
                  .as(path)
                  .isEqualTo(withoutTime(cluster.get(path).json())));
      for (Operation operation : cluster.rest.operations()) {
        if (operation.method().equals(HttpMethod.GET)
            && operation.path().startsWith("/jobs/:jobid")
            && !NOT_ARCHIVED.contains(operation.path())) {
          String path =
              operation
                  .path()
                  .replace(":jobid", job.toString())
                  .replace(":checkpointid", "1")
                  .replace(":subtaskindex", "0")
                  .replace(":attempt", "0")
                  .replace(":vertexid", SampleJobs.SINK.toString());
          assertThat(responses)
              .as("%s: add it to ArchivedResponses or to NOT_ARCHIVED", operation.path())
              .containsKey(path);
        }
      }
    }
  }

  @Test
  void secondWriteReplacesFileAndLeavesNoOther() throws IOException {
    write(SampleJobs.CANCELED, History.NONE);
    Path archives = directory.resolve("archives");
    Files.writeString(archives.resolve("." + SampleJobs.CANCELED + ".new"), "half an att");

    Map<String, JsonObject> responses = write(SampleJobs.CANCELED, history(SampleJobs.CANCELED));

    assertThat(responses.get("/jobs/" + SampleJobs.CANCELED + "/journal").getJsonArray("events"))
        .hasSize(2);
    try (Stream<Path> files = Files.list(archives)) {
      assertThat(files).containsExactly(archives.resolve(SampleJobs.CANCELED.toString()));
    }
  }

  @Test
  void rejectsDirectoryOfUnknownFileSystem() {
    assertThatThrownBy(
            () -> new HistoryFiles(FileSystems.withoutPlugins(), FilePath.parse("moon://a/b")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("moon");
  }

  private Map<String, JsonObject> write(JobId job, History history) throws IOException {
    Path archives = directory.resolve("archives");
    new HistoryFiles(FileSystems.withoutPlugins(), FilePath.parse(archives.toString()))
        .write(
            new ArchivedJob(
                new EndedJob(
                    cluster.dispatcher.results.get(job),
                    SampleJobs.overview(job, cluster.dispatcher.results.get(job).status())),
                cluster.dispatcher.jobs.get(job),
                history,
                cluster.dispatcher.checkpoints.getOrDefault(job, CheckpointStatistics.NONE)));
    JsonArray archive =
        new JsonObject(Files.readString(archives.resolve(job.toString()))).getJsonArray("archive");
    Map<String, JsonObject> responses = new LinkedHashMap<>();
    for (int i = 0; i < archive.size(); i++) {
      JsonObject response = archive.getJsonObject(i);
      responses.put(response.getString("path"), new JsonObject(response.getString("json")));
    }
    return responses;
  }

  private static CheckpointStatistics checkpoints() {
    CheckpointRecord first =
        new CheckpointRecord(
                1,
                CheckpointRequest.Type.CHECKPOINT,
                CheckpointRecord.Status.IN_PROGRESS,
                5,
                CheckpointTotals.of(2, List.of()),
                Optional.empty(),
                false,
                Optional.empty(),
                List.of(new VertexRecord(SampleJobs.SINK, 2, List.of())))
            .completed("/checkpoints/1");
    return new CheckpointStatistics(
        new CheckpointCounts(0, 1, 0, 1, 0),
        CheckpointStatistics.NONE.summary(),
        Optional.of(first),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(first),
        List.of());
  }

  private static History history(JobId job) {
    Journal journal = new Journal(1, () -> SampleJobs.STARTED);
    journal.append(new JobSubmitted("counts").entry().forJob(job));
    journal.append(new JobArchived(JobStatus.FINISHED).entry().forJob(job));
    return journal.history(job);
  }

  /** Removes the time of the request. */
  private static JsonObject withoutTime(JsonObject response) {
    response.remove("now");
    return response;
  }
}
