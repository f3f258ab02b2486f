package io.millrace.rest;

import io.millrace.core.config.CheckpointRetention;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.core.id.VertexId;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointRecord.CheckpointTotals;
import io.millrace.protocol.CheckpointRecord.Status;
import io.millrace.protocol.CheckpointRecord.SubtaskRecord;
import io.millrace.protocol.CheckpointRecord.VertexRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.CheckpointStatistics.Distribution;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Checkpoints as JSON. */
final class CheckpointViews {
  private CheckpointViews() {}

  static JsonObject statistics(CheckpointStatistics statistics) {
    CheckpointStatistics.CheckpointCounts counts = statistics.counts();
    CheckpointStatistics.CheckpointSummary summary = statistics.summary();
    return new JsonObject()
        .put(
            "counts",
            new JsonObject()
                .put("restored", counts.restored())
                .put("total", counts.total())
                .put("in_progress", counts.inProgress())
                .put("completed", counts.completed())
                .put("failed", counts.failed()))
        .put(
            "summary",
            new JsonObject()
                .put("checkpointed_size", distribution(summary.newBytes()))
                .put("state_size", distribution(summary.bytes()))
                .put("end_to_end_duration", distribution(summary.durationMillis()))
                .put("alignment_buffered", distribution(Distribution.of(new long[] {0})))
                .put("processed_data", distribution(summary.processedBytes()))
                .put("persisted_data", distribution(summary.persistedBytes())))
        .put(
            "latest",
            new JsonObject()
                .put("completed", orNull(statistics.latestCompleted()))
                .put("savepoint", orNull(statistics.latestSavepoint()))
                .put("failed", orNull(statistics.latestFailed()))
                .put(
                    "restored",
                    statistics
                        .restored()
                        .map(
                            restored ->
                                new JsonObject()
                                    .put("id", restored.checkpoint())
                                    .put("restore_timestamp", restored.at())
                                    .put("is_savepoint", restored.savepoint())
                                    .put("external_path", restored.path()))
                        .orElse(null)))
        .put("history", Json.array(statistics.history(), CheckpointViews::checkpoint));
  }

  private static JsonObject orNull(Optional<CheckpointRecord> checkpoint) {
    return checkpoint.map(CheckpointViews::checkpoint).orElse(null);
  }

  static JsonObject checkpoint(CheckpointRecord checkpoint) {
    JsonObject tasks = new JsonObject();
    checkpoint
        .vertices()
        .forEach(vertex -> tasks.put(vertex.vertex().toString(), vertex(checkpoint, vertex)));
    JsonObject json =
        new JsonObject()
            .put("className", checkpoint.status().name().toLowerCase(Locale.ROOT))
            .put("id", checkpoint.number())
            .put("status", checkpoint.status().name())
            .put("is_savepoint", checkpoint.type().isSavepoint())
            .put("savepointFormat", format(checkpoint.type()))
            .put("trigger_timestamp", checkpoint.triggeredAt());
    putTotals(json, checkpoint.totals(), checkpoint.triggeredAt())
        .put("checkpoint_type", type(checkpoint.type()))
        .put("tasks", tasks);
    if (checkpoint.status() == Status.COMPLETED) {
      json.put("external_path", checkpoint.path().orElse(""))
          .put("discarded", checkpoint.discarded());
    }
    checkpoint
        .failure()
        .ifPresent(
            failure ->
                json.put("failure_timestamp", failure.at())
                    .put("failure_message", ReasonText.of(failure.reason())));
    return json;
  }

  private static String type(CheckpointRequest.Type type) {
    return switch (type) {
      case CHECKPOINT -> "CHECKPOINT";
      case SAVEPOINT, NATIVE_SAVEPOINT -> "SAVEPOINT";
      case SAVEPOINT_SUSPEND, SAVEPOINT_DRAIN, NATIVE_SAVEPOINT_SUSPEND, NATIVE_SAVEPOINT_DRAIN ->
          "SYNC_SAVEPOINT";
    };
  }

  /** Null for a checkpoint. */
  private static String format(CheckpointRequest.Type type) {
    if (!type.isSavepoint()) {
      return null;
    }
    return type.isNativeSavepoint() ? SavepointOperations.NATIVE : SavepointOperations.CANONICAL;
  }

  private static JsonObject putTotals(JsonObject json, CheckpointTotals totals, long triggeredAt) {
    return json.put("latest_ack_timestamp", totals.latestAcknowledgement())
        .put("checkpointed_size", totals.newBytes())
        .put("state_size", totals.bytes())
        .put("end_to_end_duration", totals.durationMillis(triggeredAt))
        .put("alignment_buffered", 0)
        .put("processed_data", totals.processedBytes())
        .put("persisted_data", totals.persistedBytes())
        .put("num_subtasks", totals.subtasks())
        .put("num_acknowledged_subtasks", totals.acknowledged());
  }

  private static JsonObject vertex(CheckpointRecord checkpoint, VertexRecord vertex) {
    CheckpointTotals totals = vertex.totals();
    Status status =
        totals.acknowledged() == totals.subtasks() ? Status.COMPLETED : checkpoint.status();
    JsonObject json = new JsonObject().put("id", checkpoint.number()).put("status", status.name());
    return putTotals(json, totals, checkpoint.triggeredAt());
  }

  /** A vertex with its subtasks; empty if it takes no part. */
  static Optional<JsonObject> subtasks(CheckpointRecord checkpoint, VertexId id) {
    return checkpoint.vertices().stream()
        .filter(vertex -> vertex.vertex().equals(id))
        .findFirst()
        .map(
            vertex ->
                vertex(checkpoint, vertex)
                    .put("summary", summary(checkpoint, vertex.acknowledged()))
                    .put("subtasks", subtasks(checkpoint, vertex)));
  }

  private static JsonObject summary(CheckpointRecord checkpoint, List<SubtaskRecord> subtasks) {
    return new JsonObject()
        .put("checkpointed_size", distribution(subtasks, SubtaskRecord::newBytes))
        .put("state_size", distribution(subtasks, SubtaskRecord::bytes))
        .put(
            "end_to_end_duration", distribution(subtasks, subtask -> duration(checkpoint, subtask)))
        .put(
            "checkpoint_duration",
            new JsonObject()
                .put("sync", distribution(subtasks, subtask -> subtask.timing().synchronous()))
                .put("async", distribution(subtasks, subtask -> subtask.timing().asynchronous())))
        .put(
            "alignment",
            new JsonObject()
                .put("buffered", distribution(subtasks, subtask -> 0))
                .put(
                    "processed", distribution(subtasks, subtask -> subtask.timing().alignedBytes()))
                .put("persisted", distribution(subtasks, SubtaskRecord::persistedBytes))
                .put("duration", distribution(subtasks, subtask -> subtask.timing().alignment())))
        .put("start_delay", distribution(subtasks, subtask -> subtask.timing().startDelay()));
  }

  private static long duration(CheckpointRecord checkpoint, SubtaskRecord subtask) {
    return Math.max(0, subtask.acknowledgedAt() - checkpoint.triggeredAt());
  }

  /** Subtasks that have not stored their state come after those that have. */
  private static JsonArray subtasks(CheckpointRecord checkpoint, VertexRecord vertex) {
    JsonArray array = Json.array(vertex.acknowledged(), subtask -> subtask(checkpoint, subtask));
    int pending = vertex.subtasks() - vertex.acknowledged().size();
    for (int index = 0; pending > 0; index++) {
      int candidate = index;
      if (vertex.acknowledged().stream().noneMatch(known -> known.index() == candidate)) {
        pending--;
        array.add(
            new JsonObject()
                .put("className", "pending")
                .put("index", index)
                .put("status", "pending_or_failed"));
      }
    }
    return array;
  }

  private static JsonObject subtask(CheckpointRecord checkpoint, SubtaskRecord subtask) {
    return new JsonObject()
        .put("className", "completed")
        .put("index", subtask.index())
        .put("ack_timestamp", subtask.acknowledgedAt())
        .put("end_to_end_duration", duration(checkpoint, subtask))
        .put("checkpointed_size", subtask.newBytes())
        .put("state_size", subtask.bytes())
        .put(
            "checkpoint",
            new JsonObject()
                .put("sync", subtask.timing().synchronous())
                .put("async", subtask.timing().asynchronous()))
        .put(
            "alignment",
            new JsonObject()
                .put("buffered", 0)
                .put("processed", subtask.timing().alignedBytes())
                .put("persisted", subtask.persistedBytes())
                .put("duration", subtask.timing().alignment()))
        .put("start_delay", subtask.timing().startDelay())
        .put("unaligned_checkpoint", subtask.timing().unaligned())
        .put("aborted", false)
        .put("status", "completed");
  }

  private static JsonObject distribution(
      List<SubtaskRecord> subtasks, ToLongFunction<SubtaskRecord> value) {
    return distribution(Distribution.of(subtasks.stream().mapToLong(value).sorted().toArray()));
  }

  private static JsonObject distribution(Distribution values) {
    return new JsonObject()
        .put("min", values.min())
        .put("max", values.max())
        .put("avg", values.average())
        .put("p50", quantile(values.p50()))
        .put("p90", quantile(values.p90()))
        .put("p95", quantile(values.p95()))
        .put("p99", quantile(values.p99()))
        .put("p999", quantile(values.p999()));
  }

  private static Object quantile(double value) {
    return Double.isNaN(value) ? "NaN" : value;
  }

  /**
   * @param configuration of the cluster, overridden by that of the job
   */
  static JsonObject config(Configuration configuration) {
    CheckpointRetention retention = configuration.get(CheckpointingOptions.EXTERNALIZED_RETENTION);
    return new JsonObject()
        .put("mode", "exactly_once")
        .put("interval", millis(configuration.get(CheckpointingOptions.INTERVAL)))
        .put("timeout", millis(configuration.get(CheckpointingOptions.TIMEOUT)))
        .put("min_pause", millis(configuration.get(CheckpointingOptions.MIN_PAUSE)))
        .put("max_concurrent", configuration.get(CheckpointingOptions.MAX_CONCURRENT))
        .put(
            "externalization",
            new JsonObject()
                .put("enabled", retention != CheckpointRetention.NO_EXTERNALIZED_CHECKPOINTS)
                .put(
                    "delete_on_cancellation",
                    retention != CheckpointRetention.RETAIN_ON_CANCELLATION))
        .put("state_backend", "HashMapStateBackend")
        .put("checkpoint_storage", "FileSystemCheckpointStorage")
        .put("unaligned_checkpoints", configuration.get(CheckpointingOptions.UNALIGNED))
        .put(
            "tolerable_failed_checkpoints",
            configuration.get(CheckpointingOptions.TOLERABLE_FAILED_CHECKPOINTS))
        .put(
            "aligned_checkpoint_timeout",
            millis(configuration.get(CheckpointingOptions.ALIGNED_TIMEOUT)))
        .put("checkpoints_after_tasks_finish", true)
        .put("state_changelog_enabled", false)
        .put("changelog_periodic_materialization_interval", 0)
        .put("changelog_storage", "none");
  }

  private static long millis(Duration duration) {
    return duration.toMillis();
  }

  static JsonObject inProgress() {
    return new JsonObject()
        .put("status", new JsonObject().put("id", "IN_PROGRESS"))
        .putNull("operation");
  }

  static JsonObject completed(JsonObject operation) {
    return new JsonObject()
        .put("status", new JsonObject().put("id", "COMPLETED"))
        .put("operation", operation);
  }

  /** Flink's clients expect a class and a stack trace; the message is what people read. */
  static JsonObject failure(Failure failure) {
    return new JsonObject()
        .put("class", failure.kind().name())
        .put("stack-trace", failure.message())
        .put("serialized-throwable", FlinkObjects.throwable(failure));
  }
}
