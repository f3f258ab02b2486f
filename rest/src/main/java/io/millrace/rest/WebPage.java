package io.millrace.rest;

import static io.vertx.core.http.HttpMethod.GET;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Serves the files of the web page from the class path: those in {@code web/} beside this class,
 * and files of libraries, which are WebJars. All links of the page are relative, so that it works
 * behind a proxy under any path.
 */
final class WebPage {
  private static final Pattern OWN_FILE =
      Pattern.compile("([a-z]+/)?[a-z][a-z0-9-]*\\.(js|css|svg)");
  private static final Pattern IMPORT_MAP =
      Pattern.compile("<script type=\"importmap\">(.*?)</script>", Pattern.DOTALL);

  /** Parts of libraries that the page loads; nothing else of them is served. */
  private static final Pattern LIBRARY_FILE =
      Pattern.compile(
          "lib/(?<library>[a-z0-9._-]+)/(?<file>(?:dist/|directives/)?[a-z0-9-]+(?:\\.umd)?(?:\\.min)?\\.js)");

  private static final Map<String, String> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("js", "text/javascript; charset=UTF-8");
    TYPES.put("css", "text/css; charset=UTF-8");
    TYPES.put("svg", "image/svg+xml");
    TYPES.put("html", "text/html; charset=UTF-8");
  }

  private final Properties libraries = new Properties();

  WebPage() {
    try (InputStream in = WebPage.class.getResourceAsStream("web-libraries.properties")) {
      if (in == null) {
        throw new IllegalStateException(
            "This build lacks io/millrace/rest/web-libraries.properties");
      }
      libraries.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Operation> table() {
    return List.of(
        Operation.extension(GET, "/", "The web page.", this::page),
        Operation.extension(GET, "/web/*", "The files of the web page.", this::file));
  }

  private CompletableFuture<RestResponse> page(RestRequest call) {
    return call.io(() -> read("web/index.html"))
        .thenApply(
            page -> {
              Buffer body =
                  page.orElseThrow(() -> new RestError(404, "This build has no web page."));
              RestResponse reply = response(call, "html", body);
              reply.headers().put("Content-Security-Policy", policy(body.toString()));
              return reply;
            });
  }

  private CompletableFuture<RestResponse> file(RestRequest call) {
    String path = call.requestedPath();
    String name = path.substring(path.indexOf("/web/") + "/web/".length());
    String type = name.substring(name.lastIndexOf('.') + 1);
    return call.io(() -> resource(name).flatMap(WebPage::read))
        .thenApply(
            file ->
                response(
                    call,
                    type,
                    file.orElseThrow(
                        () -> new RestError(404, "The web page has no file '" + name + "'."))));
  }

  /** Where the class path has a file of the page. */
  private Optional<String> resource(String name) {
    if (OWN_FILE.matcher(name).matches()) {
      return Optional.of("web/" + name);
    }
    Matcher library = LIBRARY_FILE.matcher(name);
    if (library.matches()) {
      return Optional.ofNullable(libraries.getProperty(library.group("library")))
          .map(
              version ->
                  "/META-INF/resources/webjars/"
                      + library.group("library")
                      + "/"
                      + version
                      + "/"
                      + library.group("file"));
    }
    return Optional.empty();
  }

  private static Optional<Buffer> read(String resource) {
    try (InputStream in = WebPage.class.getResourceAsStream(resource)) {
      return in == null ? Optional.empty() : Optional.of(Buffer.buffer(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The browser asks again each time, and gets the content only if it has changed. */
  private static RestResponse response(RestRequest call, String type, Buffer body) {
    String tag = "\"" + digest(body.getBytes()) + "\"";
    boolean known = tag.equals(call.request().getHeader("If-None-Match"));
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("ETag", tag);
    headers.put("Cache-Control", "no-cache");
    return new RestResponse(
        known ? 304 : 200, TYPES.get(type), headers, known ? Buffer.buffer() : body, false);
  }

  /** The page loads from this server only. The import map is the only inline script. */
  private static String policy(String page) {
    Matcher map = IMPORT_MAP.matcher(page);
    if (!map.find()) {
      throw new IllegalStateException("The web page has no import map");
    }
    return "default-src 'none'; script-src 'self' 'sha256-"
        + digest(map.group(1).getBytes(StandardCharsets.UTF_8))
        + "'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none';"
        + " form-action 'none'; frame-ancestors 'none'";
  }

  private static String digest(byte[] content) {
    try {
      return Base64.getEncoder()
          .encodeToString(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
