package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class WebPageTest extends RestTestBase {
  private static final Pattern IMPORT =
      Pattern.compile("(?:\\bfrom|\\bimport)\\s*[\"']([^\"'\\s>]+)[\"']");
  private static final Pattern LINK = Pattern.compile("(?:src|href)=\"(web/[^\"]+)\"");
  private static final Pattern MAPPED = Pattern.compile("\"([^\"]+)\": \"\\./([^\"]+)\"");

  @Test
  @Behaviour("I2: the JobManager serves a page for people")
  void servesThePageAndEachFileThatItLoads() {
    String page = cluster.get("/").body();
    Map<String, String> importMap = importMap(page);
    Deque<String> toLoad = new ArrayDeque<>();
    Matcher links = LINK.matcher(page);
    while (links.find()) {
      toLoad.add("/" + links.group(1));
    }
    Set<String> loaded = new LinkedHashSet<>();
    while (!toLoad.isEmpty()) {
      String path = toLoad.remove();
      if (!loaded.add(path)) {
        continue;
      }
      Answer file = cluster.get(path);
      assertThat(file.status()).as(path).isEqualTo(200);
      boolean bundle = path.contains("/dist/");
      if (path.endsWith(".js") && !bundle) {
        assertThat(file.header("Content-Type")).startsWith("text/javascript");
        Matcher imports = IMPORT.matcher(file.body());
        while (imports.find()) {
          toLoad.add(resolve(path, imports.group(1), importMap));
        }
      }
    }
    assertThat(loaded)
        .contains(
            "/web/app.js",
            "/web/style.css",
            "/web/pages/job.js",
            "/web/lib/lit-html/lit-html.js",
            "/web/lib/d3/dist/d3.min.js");
  }

  private static Map<String, String> importMap(String page) {
    Map<String, String> map = new LinkedHashMap<>();
    Matcher entries = MAPPED.matcher(page);
    while (entries.find()) {
      map.put(entries.group(1), "/" + entries.group(2));
    }
    return map;
  }

  private static String resolve(String from, String name, Map<String, String> importMap) {
    if (name.startsWith(".")) {
      return URI.create(from).resolve(name).getPath();
    }
    if (importMap.containsKey(name)) {
      return importMap.get(name);
    }
    String prefix =
        importMap.keySet().stream()
            .filter(key -> key.endsWith("/") && name.startsWith(key))
            .findFirst()
            .orElseThrow(() -> new AssertionError(from + " imports " + name));
    return importMap.get(prefix) + name.substring(prefix.length());
  }

  @Test
  @Behaviour("I4: the page loads scripts of this server only")
  void policyAllowsOnlyOwnScriptsAndTheImportMap() throws Exception {
    Answer page = cluster.get("/");
    String map = page.body().split("<script type=\"importmap\">")[1].split("</script>")[0];
    String hash =
        Base64.getEncoder()
            .encodeToString(
                MessageDigest.getInstance("SHA-256").digest(map.getBytes(StandardCharsets.UTF_8)));
    assertThat(page.header("Content-Security-Policy"))
        .contains("default-src 'none'", "script-src 'self' 'sha256-" + hash + "';")
        .doesNotContain("unsafe", "http:", "https:", "*");
    assertThat(page.header("X-Frame-Options")).isEqualTo("DENY");
  }

  @Test
  void servesNoOtherFilesOfTheClassPath() {
    for (String path :
        List.of(
            "/web/../build.properties",
            "/web/%2e%2e/build.properties",
            "/web/web-libraries.properties",
            "/web/WebPage.class",
            "/web/lib/lit/package.json",
            "/web/lib/lit/../../../../../logback.xml",
            "/web/lib/unknown/index.js",
            "/web/lib/d3/dist/../package.js",
            "/web/",
            "/web/index.html",
            "/web/pages/nothing.js")) {
      assertThat(cluster.get(path).status()).as(path).isEqualTo(404);
    }
  }

  @Test
  void sendsAFileAgainOnlyIfItHasChanged() {
    Answer first = cluster.get("/web/app.js");
    Answer second =
        cluster.send(
            cluster.request("/web/app.js").header("If-None-Match", first.header("ETag")).GET());
    assertThat(second.status()).isEqualTo(304);
    assertThat(second.body()).isEmpty();
    assertThat(first.header("Cache-Control")).isEqualTo("no-cache");
  }

  @Test
  void allLinksOfThePageAreRelative() {
    assertThat(cluster.get("/").body())
        .as("a proxy serves the page under another path")
        .doesNotContain("=\"/", "\"/web", "//");
  }
}
