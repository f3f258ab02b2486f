package io.millrace.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobType;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The content of a file about an ended job. Other processes write these files, so reading limits
 * the size, ignores responses about other jobs, and checks that clients can read the overview.
 *
 * @param overview the entry of the job in the list of jobs
 * @param responses the REST responses about the job by path, without the prefix {@code /v1}
 */
record HistoryFile(JsonObject overview, Map<String, String> responses) {
  static final int MAX_BYTES = 64 << 20;

  private static final String OVERVIEW = "/jobs/overview";

  static HistoryFile read(FileSystem files, FileStatus file, JobId job) throws IOException {
    if (file.length() > MAX_BYTES) {
      throw new IOException("it has more than " + MAX_BYTES + " bytes");
    }
    byte[] content;
    try (InputStream in = files.open(file.path(), 0)) {
      content = in.readNBytes(MAX_BYTES + 1);
    }
    if (content.length > MAX_BYTES) {
      throw new IOException("it has more than " + MAX_BYTES + " bytes; it grew while it was read");
    }
    return parse(job, content);
  }

  static HistoryFile parse(JobId job, byte[] content) throws IOException {
    JsonObject overview = null;
    Map<String, String> responses = new LinkedHashMap<>();
    List<String> own = List.of("/jobs/" + job, "/applications/" + job);
    for (Object entry : array(decode(content), "archive")) {
      if (entry instanceof JsonObject response
          && response.getValue("path") instanceof String path
          && response.getValue("json") instanceof String json) {
        if (path.equals(OVERVIEW)) {
          overview = overviewOf(job, json);
        } else if (own.stream()
            .anyMatch(start -> path.equals(start) || path.startsWith(start + "/"))) {
          responses.put(path, json);
        }
      }
    }
    if (overview == null) {
      throw new IOException("it has no overview of job " + job);
    }
    return new HistoryFile(overview, responses);
  }

  long endedAt() {
    return overview.getLong("end-time");
  }

  private static JsonObject overviewOf(JobId job, String json) throws IOException {
    for (Object each : array(decode(Buffer.buffer(json).getBytes()), "jobs")) {
      if (each instanceof JsonObject entry && job.toString().equals(entry.getValue("jid"))) {
        check(entry);
        return entry;
      }
    }
    throw new IOException("its overview does not contain job " + job);
  }

  /** Clients parse the whole list, so one unreadable entry would make all jobs unreadable. */
  private static void check(JsonObject overview) throws IOException {
    try {
      JobStatus.valueOf(String.valueOf(overview.getValue("state")));
      JobType.valueOf(String.valueOf(overview.getValue("jobType", JobType.STREAMING.name())));
    } catch (IllegalArgumentException e) {
      throw new IOException("its overview has an unknown state or job type", e);
    }
    for (String key : new String[] {"start-time", "end-time", "last-modification", "duration"}) {
      if (!(overview.getValue(key) instanceof Number)) {
        throw new IOException("its overview lacks the number '" + key + "'");
      }
    }
    if (!(overview.getValue("name") instanceof String)
        || !(overview.getValue("tasks") instanceof JsonObject)) {
      throw new IOException("its overview lacks a name or the numbers of tasks");
    }
  }

  private static JsonArray array(JsonObject json, String key) throws IOException {
    if (json.getValue(key) instanceof JsonArray array) {
      return array;
    }
    throw new IOException("it lacks the list '" + key + "'");
  }

  private static JsonObject decode(byte[] json) throws IOException {
    try {
      return Json.decode(Buffer.buffer(json));
    } catch (RestError e) {
      throw new IOException("it is not a JSON object", e);
    }
  }
}
