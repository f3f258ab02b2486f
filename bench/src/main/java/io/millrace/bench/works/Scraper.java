package io.millrace.bench.works;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Scrapes the metrics of this process every second, as Prometheus does. */
final class Scraper implements AutoCloseable {
  private final int port;
  private final HttpClient http = HttpClient.newHttpClient();
  private final AtomicLong scrapes = new AtomicLong();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "scraper");
            thread.setDaemon(true);
            return thread;
          });

  Scraper() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    timer.scheduleAtFixedRate(this::scrape, 1, 1, TimeUnit.SECONDS);
  }

  /** The port at which it expects the endpoint. */
  int port() {
    return port;
  }

  long scrapes() {
    return scrapes.get();
  }

  private void scrape() {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
    try {
      if (http.send(request, BodyHandlers.ofString()).body().contains("_written{")) {
        scrapes.incrementAndGet();
      }
    } catch (IOException e) {
      System.err.println("Not scraped: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
