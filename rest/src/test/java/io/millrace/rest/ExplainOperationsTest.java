package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.CheckpointCounts;
import io.millrace.protocol.JobSlots;
import io.millrace.protocol.journal.JobMasterEvent.SlotsDeclared;
import io.millrace.protocol.journal.JobMasterEvent.SlotsWanted;
import io.millrace.rpc.journal.Journal;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.TaskSnapshot;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExplainOperationsTest extends RestTestBase {
  private void jobWaits() {
    cluster.dispatcher.jobs.put(
        SampleJobs.RUNNING,
        SampleJobs.details(SampleJobs.RUNNING, JobStatus.RUNNING, "It needs 4 slots.")
            .with(
                new JobSlots(
                    List.of(new JobSlots.Need("any", 4, 2)),
                    List.of(new JobSlots.Held(SampleJobs.WORKER, 2)))));
    Journal journal = new Journal(1, () -> SampleJobs.STARTED);
    journal.append(new SlotsWanted(4, 4).entry().forJob(SampleJobs.RUNNING));
    journal.append(
        new SlotsDeclared(4, 2, Duration.ofMinutes(5)).entry().forJob(SampleJobs.RUNNING));
    cluster.dispatcher.histories.put(SampleJobs.RUNNING, journal.history(SampleJobs.RUNNING));
  }

  @Test
  void explainsAJobWithAndWithoutPrefix() {
    jobWaits();
    for (String prefix : List.of("", "/v1")) {
      JsonObject json = cluster.get(prefix + "/jobs/" + SampleJobs.RUNNING + "/explain").json();
      assertThat(json.getString("jid")).isEqualTo(SampleJobs.RUNNING.toString());
      assertThat(json.getString("state")).isEqualTo("RUNNING");
      assertThat(json.getString("summary")).startsWith("The job waits for 2 of 4 slots");
      JsonObject unmet = json.getJsonArray("unmet").getJsonObject(0);
      assertThat(unmet.getInteger("required")).isEqualTo(4);
      assertThat(unmet.getInteger("missing")).isEqualTo(2);
      assertThat(unmet.getString("answer")).isEqualTo("It needs 4 slots.");
      assertThat(unmet.getJsonArray("asked").getJsonObject(0).getLong("time"))
          .isEqualTo(SampleJobs.STARTED);
      assertThat(unmet.getJsonArray("fixes").getString(0)).startsWith("2 more slots");
      JsonObject place = json.getJsonArray("places").getJsonObject(0);
      assertThat(place.getString("taskmanager")).isEqualTo(SampleJobs.WORKER.value());
      assertThat(place.getString("sentence")).contains("2 slots, 4 tasks");
    }
  }

  @Test
  void explainsASlowCheckpointByItsSlowestSubtask() {
    jobWaits();
    VertexId vertex =
        cluster.dispatcher.jobs.get(SampleJobs.RUNNING).graph().vertices().get(0).id();
    List<SubtaskRecord> subtasks =
        List.of(
            new SubtaskRecord(
                0, 6_000, 10, 10, 0, new TaskSnapshot.Timing(1, 1, 1, 4_900, 0, false)));
    CheckpointRecord slow =
        new CheckpointRecord(
            6,
            CheckpointRequest.Type.CHECKPOINT,
            CheckpointRecord.Status.COMPLETED,
            1_000,
            CheckpointTotals.of(1, subtasks),
            Optional.of("/checkpoints/chk-6"),
            false,
            Optional.empty(),
            List.of(new VertexRecord(vertex, 1, subtasks)));
    cluster.dispatcher.checkpoints.put(
        SampleJobs.RUNNING,
        new CheckpointStatistics(
            new CheckpointCounts(0, 1, 0, 1, 0),
            CheckpointStatistics.NONE.summary(),
            Optional.of(slow),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(slow),
            List.of()));
    JsonObject json = cluster.get("/jobs/" + SampleJobs.RUNNING + "/explain").json();
    assertThat(json.getJsonArray("notes").stream().map(String::valueOf))
        .anyMatch(
            note ->
                note.startsWith("The slowest task of checkpoint 6 was ")
                    && note.contains("the storage /checkpoints/chk-6 is slow"));
  }

  @Test
  void showsATimeline() {
    jobWaits();
    for (String prefix : List.of("", "/v1")) {
      JsonObject json = cluster.get(prefix + "/jobs/" + SampleJobs.RUNNING + "/timeline").json();
      JsonObject step = json.getJsonArray("steps").getJsonObject(0);
      assertThat(step.getString("step")).isEqualTo("Wait for slots");
      assertThat(step.getString("process")).isEqualTo("jobmanager");
      assertThat(step.getLong("start-time")).isEqualTo(SampleJobs.STARTED);
      assertThat(step.getLong("end-time")).isEqualTo(-1);
      assertThat(step.getLong("duration"))
          .isEqualTo(Math.max(0, json.getLong("now") - SampleJobs.STARTED));
    }
  }

  @Test
  void unknownJobsAreNotFound() {
    for (String what : List.of("explain", "timeline")) {
      FakeCluster.Answer answer = cluster.get("/jobs/" + FakeCluster.SUBMITTED + "/" + what);
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.error()).isEqualTo("Job " + FakeCluster.SUBMITTED + " not found.");
      assertThat(cluster.get("/jobs/nonsense/" + what).status()).isEqualTo(400);
    }
  }

  @Test
  void recordsTimeThatClientNeeded() {
    Bytes bytes = Bytes.utf8("graph");
    BlobKey graph = BlobKey.of(bytes);
    cluster.blobs.put(graph, bytes);
    String body = "{\"jobId\":\"%s\",\"graph\":\"%s\",\"took\":%s}";
    assertThat(
            cluster
                .send("POST", "/jobs", body.formatted(FakeCluster.SUBMITTED, graph, "250"))
                .status())
        .isEqualTo(202);
    assertThat(cluster.env().journal().of(FakeCluster.SUBMITTED))
        .singleElement()
        .satisfies(event -> assertThat(event.tookMillis()).isBetween(250L, 250L + 10_000));
    assertThat(
            cluster
                .send("POST", "/jobs", body.formatted(FakeCluster.SUBMITTED, graph, "-1"))
                .error())
        .contains("'took'");
  }
}
