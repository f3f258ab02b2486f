package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.RestAuthentication;
import io.millrace.core.testing.Behaviour;
import io.millrace.rest.FakeCluster.Answer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrowserSessionsTest {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  @TempDir private Path directory;
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    RestSettings usual = FakeCluster.settings(directory);
    cluster =
        new FakeCluster(
            new RestSettings(
                usual.bindAddress(),
                usual.address(),
                usual.ports(),
                usual.uploadDir(),
                usual.maxContentLength(),
                usual.longestWait(),
                new RestAuthenticator(RestAuthentication.TOKEN, Optional.of(TOKEN), List.of()),
                usual.connections(),
                usual.tls(),
                usual.refusal(),
                WebSettings.DEFAULT),
            Optional::empty);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private String link(String query) {
    return cluster
        .send(
            cluster
                .request("/web/links" + query)
                .header("Authorization", "Bearer " + TOKEN)
                .POST(java.net.http.HttpRequest.BodyPublishers.noBody()))
        .json()
        .getString("path");
  }

  private Answer withCookie(String method, String path, String cookie) {
    return cluster.send(
        cluster
            .request(path)
            .header("Cookie", "theme=dark; " + cookie)
            .method(method, java.net.http.HttpRequest.BodyPublishers.noBody()));
  }

  @Test
  @Behaviour("I4: a browser gets in through a link that works once")
  void linkOpensOneSession() {
    assertThat(cluster.get("/overview").status()).isEqualTo(401);
    assertThat(cluster.get("/").status()).isEqualTo(401);
    assertThat(cluster.send("POST", "/web/links", "").status()).isEqualTo(401);

    String link = link("");
    Answer opened = cluster.get(link);
    assertThat(opened.status()).isEqualTo(303);
    assertThat(opened.header("Location")).as("the address keeps no key").isEqualTo("./");
    String set = opened.header("Set-Cookie");
    assertThat(set).contains("HttpOnly", "SameSite=Strict");
    String cookie = set.split(";")[0];

    assertThat(withCookie("GET", "/overview", cookie).status()).isEqualTo(200);
    assertThat(withCookie("DELETE", "/cluster", cookie).status()).isEqualTo(200);
    assertThat(withCookie("GET", "/overview", cookie + "0").status()).isEqualTo(401);

    Answer replayed = cluster.get(link);
    assertThat(replayed.status()).isEqualTo(401);
    assertThat(replayed.error()).contains("`millrace web` prints a new one");
    assertThat(cluster.get("/?login=").status()).isEqualTo(401);
  }

  @Test
  void readersSessionChangesNothing() {
    String cookie = cluster.get(link("?role=reader")).header("Set-Cookie").split(";")[0];
    assertThat(withCookie("GET", "/overview", cookie).status()).isEqualTo(200);
    assertThat(withCookie("DELETE", "/cluster", cookie).status()).isEqualTo(403);
    assertThat(withCookie("POST", "/web/links", cookie).status()).isEqualTo(403);
    assertThat(link("?role=owner")).isNull();
  }

  @Test
  void pagesOfOtherSitesCannotUseASession() {
    String cookie = cluster.get(link("")).header("Set-Cookie").split(";")[0];
    Answer foreign =
        cluster.send(
            cluster
                .request("/cluster")
                .header("Cookie", cookie)
                .header("Origin", "http://evil.example")
                .DELETE());
    assertThat(foreign.status()).isEqualTo(403);
    Answer link =
        cluster.send(cluster.request(link("")).header("Origin", "http://evil.example").GET());
    assertThat(link.status()).isEqualTo(403);
  }

  @Test
  void linksAndSessionsExpireAndAreBounded() {
    BrowserSessions sessions = new BrowserSessions();
    String late = sessions.createLink(AccessRole.OPERATOR, 0);
    assertThat(sessions.open(late, false, BrowserSessions.LINK_LIFETIME.toMillis()).status())
        .isEqualTo(401);

    RestResponse opened = sessions.open(sessions.createLink(AccessRole.READER, 0), true, 1);
    String cookie = opened.headers().get("Set-Cookie");
    assertThat(cookie).endsWith("; Secure");
    cookie = cookie.split(";")[0];
    assertThat(sessions.roleOf(cookie, 2)).contains(AccessRole.READER);
    assertThat(sessions.roleOf(cookie, 1 + BrowserSessions.SESSION_LIFETIME.toMillis())).isEmpty();

    String first = sessions.createLink(AccessRole.OPERATOR, 0);
    for (int i = 0; i < BrowserSessions.MAX_LINKS; i++) {
      sessions.createLink(AccessRole.OPERATOR, 0);
    }
    assertThat(sessions.open(first, false, 1).status()).isEqualTo(401);
  }
}
