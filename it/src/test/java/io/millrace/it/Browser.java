package io.millrace.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A headless Chromium of this machine with one tab, controlled through its DevTools protocol. It
 * records the problems that the console shows and the addresses that the tab requests.
 */
final class Browser implements AutoCloseable {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/bin/chromium"),
          Path.of("/usr/bin/chromium-browser"),
          Path.of("/usr/bin/google-chrome"));
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int TIMEOUT_SECONDS = 120;

  private final Process process;
  private final Path profile;
  private final WebSocket tab;
  private final AtomicInteger commands = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private final List<String> requested = new CopyOnWriteArrayList<>();

  /** The browser of this machine, if it has one. */
  static Optional<Path> installed() {
    return PLACES.stream().filter(Files::isExecutable).findFirst();
  }

  static Browser start(Path executable) throws IOException {
    Path profile = Files.createTempDirectory("millrace-browser");
    Process process =
        new ProcessBuilder(
                executable.toString(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--no-first-run",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("browser.log").toFile())
            .start();
    try {
      return new Browser(process, profile);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private Browser(Process process, Path profile) throws IOException {
    this.process = process;
    this.profile = profile;
    Path portFile = profile.resolve("DevToolsActivePort");
    Wait.untilTrue("the browser listens", () -> lines(portFile).size() > 1);
    String address = "http://127.0.0.1:" + lines(portFile).get(0);
    HttpClient http = HttpClient.newHttpClient();
    JsonNode created;
    try {
      created =
          MAPPER.readTree(
              http.send(
                      HttpRequest.newBuilder(URI.create(address + "/json/new?about:blank"))
                          .PUT(HttpRequest.BodyPublishers.noBody())
                          .build(),
                      HttpResponse.BodyHandlers.ofString())
                  .body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    tab =
        http.newWebSocketBuilder()
            .buildAsync(URI.create(created.path("webSocketDebuggerUrl").asText()), new Listener())
            .join();
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      command(domain + ".enable", MAPPER.createObjectNode());
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Receives answers and events of the tab. */
  private final class Listener implements WebSocket.Listener {
    private final StringBuilder message = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      message.append(data);
      if (last) {
        try {
          received(MAPPER.readTree(message.toString()));
        } catch (IOException e) {
          problems.add("DevTools: " + e);
        }
        message.setLength(0);
      }
      socket.request(1);
      return null;
    }

    private void received(JsonNode json) {
      JsonNode parameters = json.path("params");
      if (json.has("id")) {
        CompletableFuture<JsonNode> answer = pending.remove(json.path("id").asInt());
        if (answer != null) {
          answer.complete(json);
        }
        return;
      }
      switch (json.path("method").asText()) {
        case "Runtime.exceptionThrown" ->
            problems.add(parameters.at("/exceptionDetails/exception/description").asText());
        case "Runtime.consoleAPICalled" -> {
          if (List.of("error", "warning", "assert").contains(parameters.path("type").asText())) {
            problems.add(parameters.path("args").toString());
          }
        }
        case "Log.entryAdded" -> {
          if (!parameters.at("/entry/level").asText().equals("verbose")) {
            problems.add(
                parameters.at("/entry/text").asText() + " " + parameters.at("/entry/url").asText());
          }
        }
        case "Network.requestWillBeSent" -> requested.add(parameters.at("/request/url").asText());
        default -> {
          // Other events do not matter here.
        }
      }
    }
  }

  private JsonNode command(String method, ObjectNode parameters) {
    int id = commands.incrementAndGet();
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    pending.put(id, answer);
    ObjectNode json = MAPPER.createObjectNode().put("id", id).put("method", method);
    json.set("params", parameters);
    tab.sendText(json.toString(), true).join();
    JsonNode result = answer.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    if (result.has("error")) {
      throw new AssertionError(method + ": " + result.path("error"));
    }
    return result.path("result");
  }

  void open(String url) {
    command("Page.navigate", MAPPER.createObjectNode().put("url", url));
  }

  /** Changes the size and colours of the page. */
  void show(int width, int height, boolean dark) {
    command(
        "Emulation.setDeviceMetricsOverride",
        MAPPER
            .createObjectNode()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", false));
    ObjectNode media = MAPPER.createObjectNode();
    media
        .putArray("features")
        .addObject()
        .put("name", "prefers-color-scheme")
        .put("value", dark ? "dark" : "light");
    command("Emulation.setEmulatedMedia", media);
  }

  /** The value of an expression of JavaScript. */
  JsonNode evaluate(String expression) {
    JsonNode result =
        command(
            "Runtime.evaluate",
            MAPPER
                .createObjectNode()
                .put("expression", expression)
                .put("returnByValue", true)
                .put("awaitPromise", true));
    if (result.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + result.path("exceptionDetails"));
    }
    return result.path("result").path("value");
  }

  String text() {
    return evaluate("document.body?.innerText ?? ''").asText();
  }

  /** Waits until the page shows all of these texts. */
  void awaitText(String... texts) {
    Wait.untilTrue(
        "the page shows " + List.of(texts),
        () -> {
          String shown = text();
          return List.of(texts).stream().allMatch(shown::contains);
        });
  }

  /** Clicks the first element of a selector whose text contains the given one. */
  void click(String selector, String text) {
    Wait.untilTrue(
        selector + " '" + text + "' can be clicked",
        () ->
            evaluate(
                    """
                    (() => {
                      const found = [...document.querySelectorAll(%s)].find(e => e.textContent.includes(%s));
                      found?.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
                      return found !== undefined;
                    })()
                    """
                        .formatted(quoted(selector), quoted(text)))
                .asBoolean());
  }

  /** Presses a key in the element that has the focus. */
  void press(String key) {
    for (String event : List.of("keydown", "keyup")) {
      evaluate(
          "document.activeElement.dispatchEvent(new KeyboardEvent(%s, {key: %s, bubbles: true, cancelable: true}))"
              .formatted(quoted(event), quoted(key)));
    }
  }

  /** Sets the text of a field, as if it was typed and completed with Enter. */
  void type(String selector, String text) {
    Wait.untilTrue(
        selector + " takes text",
        () ->
            evaluate(
                    """
                    (() => {
                      const field = document.querySelector(%s);
                      if (!field) return false;
                      field.value = %s;
                      for (const event of ['input', 'change']) field.dispatchEvent(new Event(event, {bubbles: true}));
                      return true;
                    })()
                    """
                        .formatted(quoted(selector), quoted(text)))
                .asBoolean());
  }

  private static String quoted(String text) {
    return MAPPER.getNodeFactory().textNode(text).toString();
  }

  void screenshot(Path file) throws IOException {
    String data =
        command("Page.captureScreenshot", MAPPER.createObjectNode().put("format", "png"))
            .path("data")
            .asText();
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(data));
  }

  /** Errors and warnings of the console, and exceptions, since the last call. */
  List<String> takeProblems() {
    List<String> taken = new ArrayList<>(problems);
    problems.removeAll(taken);
    return taken;
  }

  /** All addresses that the tab has requested. */
  List<String> requested() {
    return requested;
  }

  @Override
  public void close() throws IOException {
    tab.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
