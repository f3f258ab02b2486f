package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ConfigurationCheck;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.StateRecoveryOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.JobId;
import io.millrace.rest.JarRunner.JarRun;
import io.millrace.rest.JarStore.StoredJar;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Jars that are uploaded first and run later. */
final class JarOperations {
  private static final String FIELD = "jarfile";
  private static final String SAVEPOINT_PATH = "savepointPath";
  private static final String ALLOW_NON_RESTORED_STATE = "allowNonRestoredState";

  private final JarStore jars;
  private final UploadQuota quota;
  private final JarRunner runner;
  private final Supplier<String> url;

  /**
   * @param url the URL of this server, known when it listens
   */
  JarOperations(JarStore jars, UploadQuota quota, JarRunner runner, Supplier<String> url) {
    this.jars = jars;
    this.quota = quota;
    this.runner = runner;
    this.url = url;
  }

  List<Operation> table() {
    return List.of(
        Operation.flink(
                POST,
                "/jars/upload",
                "Uploads a jar as a multipart file, such as the field `jarfile`; the id is the last"
                    + " part of `filename`.",
                this::upload)
            .asSubmission(),
        Operation.flink(GET, "/jars", "The uploaded jars, newest first.", this::list),
        Operation.flink(
                POST,
                "/jars/:jarid/run",
                "Runs a jar's main method and answers with the id of the job it submits; 503 above"
                    + " `web.run.max-programs` programs. `savepointPath`, `allowNonRestoredState` and"
                    + " `claimMode` start the job with a savepoint.",
                this::run)
            .asSubmission(),
        Operation.flink(
                POST,
                "/jars/:jarid/run-application",
                "Runs a jar's main method like `/jars/:jarid/run`, and answers 202 with the id of the"
                    + " application, which is the one of the first job that it submits.",
                this::runApplication)
            .asSubmission(),
        Operation.flink(
                POST,
                "/jars/:jarid/plan",
                "Runs a jar's main method in another process up to its first job, and answers with"
                    + " the graph of that job, which does not run.",
                this::plan)
            .asSubmission(),
        Operation.flink(GET, "/jars/:jarid/plan", "The same, for dashboards.", this::plan)
            .asEffect("POST /jars/:jarid/plan")
            .asSubmission(),
        Operation.flink(DELETE, "/jars/:jarid", "Deletes an uploaded jar.", this::delete));
  }

  private CompletableFuture<RestResponse> list(RestRequest call) {
    return call.io(jars::list)
        .thenApply(
            stored ->
                RestResponse.ok(
                    new JsonObject()
                        .put("address", url.get())
                        .put("files", Json.array(stored, JarOperations::file))));
  }

  private static JsonObject file(StoredJar jar) {
    JsonArray entries = new JsonArray();
    jar.mainClass()
        .ifPresent(
            name ->
                entries.add(new JsonObject().put("name", name).put("description", "Main-Class")));
    return new JsonObject()
        .put("id", jar.id())
        .put("name", jar.name())
        .put("uploaded", jar.uploaded())
        .put("entry", entries);
  }

  private CompletableFuture<RestResponse> delete(RestRequest call) {
    String id = call.path("jarid");
    return call.io(
        () -> {
          jars.delete(id);
          return RestResponse.empty(200);
        });
  }

  private CompletableFuture<RestResponse> upload(RestRequest call) {
    String type = Optional.ofNullable(call.request().getHeader("Content-Type")).orElse("");
    if (!type.startsWith("multipart/form-data")) {
      throw new RestError(
          400, "Send the jar as multipart/form-data, in the field '" + FIELD + "'.");
    }
    long announced = call.announcedLength();
    call.request().setExpectMultipart(true);
    call.request().pause();
    return call.io(
            () -> {
              quota.check(announced);
              return quota;
            })
        .thenCompose(fits -> receive(call));
  }

  private CompletableFuture<RestResponse> receive(RestRequest call) {
    CompletableFuture<RestResponse> answer = new CompletableFuture<>();
    List<ReceivedJar> received = new ArrayList<>();
    call.request()
        .uploadHandler(
            file -> {
              // Flink's client chooses a name of its own for the field.
              if (received.isEmpty()) {
                Path path = jars.newUploadFile();
                received.add(
                    new ReceivedJar(
                        path, file.filename(), UploadFile.receive(call, file, path, quota)));
              } else {
                file.handler(ignored -> {});
                answer.completeExceptionally(new RestError(400, "Send one jar at a time."));
              }
            });
    call.onBodyFailure(answer::completeExceptionally);
    call.request()
        .endHandler(
            nothing -> {
              if (received.isEmpty()) {
                answer.completeExceptionally(
                    new RestError(
                        400, "The body has no file. Send the jar in the field '" + FIELD + "'."));
              } else {
                received
                    .get(0)
                    .written()
                    .whenComplete((x, y) -> store(call, received.get(0), answer));
              }
            });
    // A received file is kept only if the whole request is valid.
    answer.exceptionally(
        refused -> {
          received.forEach(
              one ->
                  one.written()
                      .thenAccept(
                          content ->
                              call.io(() -> jars.discard(one.path()))
                                  .whenComplete((x, y) -> quota.ended(content.bytes()))));
          return null;
        });
    call.request().resume();
    return answer;
  }

  /** A file that is being received; {@code written} completes when it is complete. */
  private record ReceivedJar(
      Path path, String name, CompletableFuture<UploadFile.Received> written) {}

  private void store(RestRequest call, ReceivedJar jar, CompletableFuture<RestResponse> answer) {
    if (answer.isDone()) {
      return;
    }
    jar.written()
        .thenCompose(
            content ->
                call.io(
                    () -> {
                      quota.check(0);
                      Path path = jars.accept(jar.path(), jar.name());
                      quota.ended(content.bytes());
                      return path;
                    }))
        .whenComplete(
            (path, failure) -> {
              if (failure != null) {
                // Also deletes the file.
                answer.completeExceptionally(failure);
              } else {
                answer.complete(RestResponse.ok(uploaded(path)));
              }
            });
  }

  private static JsonObject uploaded(Path path) {
    return new JsonObject().put("filename", path.toString()).put("status", "success");
  }

  private CompletableFuture<RestResponse> run(RestRequest call) {
    return called(call, Settings.FIELDS, runner::run)
        .thenApply(
            job ->
                RestResponse.ok(
                    new JsonObject()
                        .put("jobid", job.toString())
                        .put("applicationId", job.toString())));
  }

  private CompletableFuture<RestResponse> runApplication(RestRequest call) {
    List<String> fields = new ArrayList<>(Settings.FIELDS);
    fields.add(Settings.APPLICATION);
    return called(call, fields, runner::run)
        .thenApply(
            job -> RestResponse.json(202, new JsonObject().put("applicationid", job.toString())));
  }

  private CompletableFuture<RestResponse> plan(RestRequest call) {
    return called(call, Settings.FIELDS, runner::plan)
        .thenApply(plan -> RestResponse.ok(new JsonObject().put("plan", Json.decode(plan))));
  }

  /**
   * Passes a stored jar and the settings of the request on.
   *
   * @param fields those that the body may have
   */
  private <T> CompletableFuture<T> called(
      RestRequest call, List<String> fields, Function<JarRun, CompletableFuture<T>> program) {
    String id = call.path("jarid");
    return call.json()
        .thenCompose(
            json -> {
              BodyFields body = new BodyFields(json);
              body.requireKnown(fields);
              Settings settings = Settings.of(call, body);
              return call.io(() -> jars.find(id))
                  .thenCompose(jar -> call.onEventLoop(program.apply(settings.of(jar))));
            });
  }

  /** How to run a program. A field of the body overrides the query parameter. */
  private record Settings(
      Optional<String> entryClass,
      List<String> arguments,
      Optional<Integer> parallelism,
      Optional<JobId> job,
      Configuration configuration) {
    /** The id of an application is the one of its job. */
    static final String APPLICATION = "applicationId";

    static final List<String> FIELDS =
        List.of(
            "entryClass",
            "programArgsList",
            "parallelism",
            "jobId",
            SAVEPOINT_PATH,
            ALLOW_NON_RESTORED_STATE,
            "claimMode",
            "flinkConfiguration");

    static Settings of(RestRequest call, BodyFields body) {
      try {
        Optional<String> entryClass = body.text("entryClass").or(() -> call.query("entry-class"));
        Optional<Integer> parallelism =
            body.number("parallelism")
                .map(String::valueOf)
                .or(() -> call.query("parallelism"))
                .map(CoreOptions.DEFAULT_PARALLELISM::parse);
        Optional<JobId> job =
            body.parsed("jobId", JobId::parse).or(() -> body.parsed(APPLICATION, JobId::parse));
        Configuration configuration = withSavepoint(configuration(body), call, body);
        new ConfigurationCheck(DeclaredOptions.all(), configuration).values(configuration);
        return new Settings(entryClass, arguments(call, body), parallelism, job, configuration);
      } catch (MillraceException e) {
        throw new RestError(400, e.getMessage(), e);
      }
    }

    private static List<String> arguments(RestRequest call, BodyFields body) {
      return body.texts("programArgsList")
          .orElseGet(
              () ->
                  call.query("programArg")
                      .map(text -> Arrays.asList(text.split(",")))
                      .orElse(List.of()));
    }

    private static Configuration configuration(BodyFields body) {
      Configuration configuration = Configuration.EMPTY;
      Optional<BodyFields> entries = body.settings("flinkConfiguration");
      if (entries.isPresent()) {
        for (String key : entries.get().names()) {
          Optional<String> value = entries.get().scalar(key);
          if (value.isPresent()) {
            configuration = configuration.with(key, value.get());
          }
        }
      }
      return configuration;
    }

    private static Configuration withSavepoint(
        Configuration configuration, RestRequest call, BodyFields body) {
      Configuration full = configuration;
      Optional<String> path = body.text(SAVEPOINT_PATH).or(() -> call.query(SAVEPOINT_PATH));
      if (path.isPresent()) {
        full = full.with(StateRecoveryOptions.PATH, path.get());
      }
      Optional<String> mode = body.text("claimMode");
      if (mode.isPresent()) {
        full =
            full.with(
                StateRecoveryOptions.CLAIM_MODE, StateRecoveryOptions.CLAIM_MODE.parse(mode.get()));
      }
      boolean allows =
          body.has(ALLOW_NON_RESTORED_STATE)
              ? body.flag(ALLOW_NON_RESTORED_STATE)
              : call.flag(ALLOW_NON_RESTORED_STATE);
      return allows ? full.with(StateRecoveryOptions.IGNORE_UNCLAIMED_STATE, true) : full;
    }

    JarRun of(Path jar) {
      return new JarRun(jar, entryClass, arguments, parallelism, job, configuration);
    }
  }
}
